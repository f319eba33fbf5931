//! Packed live states: nothing is lost, ordinary states fit, and the bytes are as in the picture.
#![allow(clippy::disallowed_methods)] // `GYRE_CASES` asks for a longer search; a measurement takes time

#[path = "../../../files/tests/cases/random.rs"]
mod cases;
mod model;
mod picture;
mod histories;
mod import;
mod hostile;
mod measure;
