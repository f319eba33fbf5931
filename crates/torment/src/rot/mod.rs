//! Damage to what lies on the disk: some file that gyre wrote has other bytes than it wrote.

mod damage;
mod judge;

pub(crate) use damage::{Damage, Victim};
pub(crate) use judge::{Rotten, judge, seconds_a_row};
