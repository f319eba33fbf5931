//! The measurements of the store, each with its rows of the table.

mod day;
mod fetch;
mod restart;
mod limit;
mod out_of_step;

pub(crate) use day::Day;
pub(crate) use fetch::fetches;
pub(crate) use limit::limited;
pub(crate) use out_of_step::out_of_step;
pub(crate) use restart::restart;

use testbed::Device;

use super::options::Options;
use super::peers::Peers;

/// The inputs of every part.
pub(crate) struct Bench<'a> {
    pub(crate) options: &'a Options,
    pub(crate) device: &'a Device,
    pub(crate) peers: &'a Peers,
}

/// Pseudo-random RRDs, the same in each run.
pub(crate) fn random_rrds(count: u64, rrds: u64) -> Vec<u64> {
    (0..count).map(|nth| chance::first(nth ^ 0xfe7c4) % rrds).collect()
}
