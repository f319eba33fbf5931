//! The ring store against a model of what it must answer.

mod model;
mod simulation;
mod chance;
mod seeds;
mod histories;
mod faults;
mod exhaustive;
mod rot;
mod kill;
