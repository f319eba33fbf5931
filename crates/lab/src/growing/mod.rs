//! Adds databases step by step, until the program that keeps them cannot keep up any more.
//!
//! ```text
//! steps:   | 1000         | 1125         | 1250   ...    databases
//! cycles:  | 0  1  2  3   | 4  5  6  7   | 8      ...    each updates all that there are
//!            ^ those that came are read    ^ judged, window by window (`share`)
//! ```

mod turn;
mod growth;
mod schedule;
mod share;
mod cohorts;
mod life;
mod writers;
mod ring;
mod worker;

pub(crate) use growth::{Growth, Keeping};
pub(crate) use life::{Ended, Life};
pub(crate) use schedule::Step;
pub(crate) use share::{Broken, Share, judged};
pub(crate) use turn::Turn;
pub(crate) use worker::grow;
