//! What is measured of the store, each part in the row or rows of the table that it fills.

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

/// What every part needs.
pub(crate) struct Bench<'a> {
    pub(crate) options: &'a Options,
    pub(crate) device: &'a Device,
    pub(crate) peers: &'a Peers,
}

/// RRDs taken at random, the same in each run.
pub(crate) fn random_rrds(count: u64, rrds: u64) -> Vec<u64> {
    (0..count).map(|nth| chance::first(nth ^ 0xfe7c4) % rrds).collect()
}
