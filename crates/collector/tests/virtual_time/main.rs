//! The scheduler in virtual time: without a socket or a clock, every run is the same.

mod world;
mod schedule;
mod discontinuity;
mod router;
mod identity;
mod intervals;
mod users;
mod walks;
mod limits;
