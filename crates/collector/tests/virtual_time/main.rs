//! The scheduler in virtual time: no socket, no clock, and every run the same.

mod world;
mod schedule;
mod discontinuity;
