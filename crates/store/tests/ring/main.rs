//! The ring store against a model of what it must answer.

#[path = "../cases/mod.rs"]
mod cases;
mod histories;
mod model;
