//! Damage on the disk: a file of gyre has other bytes than gyre wrote.

mod damage;
mod judge;

pub(crate) use damage::{Damage, Victim};
pub(crate) use judge::{Rotten, judge, seconds_a_row};
