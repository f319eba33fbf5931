//! The ring store against a model of what it must answer, whatever the machine does in between.
#![allow(clippy::disallowed_methods)] // seeds come from the environment; a child is to be killed

mod model;
mod simulation;
mod chance;
mod seeds;
mod histories;
mod values;
mod faults;
mod crowds;
mod exhaustive;
mod rot;
mod zeroed;
mod attics;
mod attic_ends;
mod losses;
mod torn;
mod lost;
mod leaving;
mod salvage;
mod repeated;
mod replaced;
mod kill;
mod frozen;
mod census;
mod sparse;
mod segments;
mod held;
mod held_log;
mod given_up;
mod idle;
mod written;
mod gaps;
mod regroup;
mod moved;
