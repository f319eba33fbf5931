//! The journal: its bytes, its records, and that it loses nothing whatever the machine does.
#![allow(clippy::disallowed_methods)] // `GYRE_SEEDS` asks for a longer search

mod simulation;
mod format;
mod record;
mod crashes;
mod seeds;
mod rot;
mod needless;
mod growing;
mod threads;
