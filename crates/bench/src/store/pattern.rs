//! Which samples arrive in a cycle: one of each RRD, or those of a network out of step.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::workload::{is_patient, router};

/// How the samples of a cycle arrive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Pattern {
    /// One sample of every RRD.
    InStep,
    /// One router in ten is silent during some cycles. RRDs with the long heartbeat are late by one
    /// to ten cycles: one half sends one sample for the whole time, the other half sends all
    /// samples that it has kept.
    OutOfStep {
        /// Its first cycle: samples of earlier cycles are not sent again.
        first: u64,
        /// The cycles of silence.
        silent: Range<u64>,
    },
}

impl Pattern {
    /// The cycles whose samples of an RRD are delivered in `cycle`.
    pub(crate) fn samples(&self, rrd: u64, cycle: u64) -> Range<u64> {
        match self {
            Self::OutOfStep { silent, .. } if router(rrd) % 10 == 7 && silent.contains(&cycle) => {
                cycle..cycle
            }
            Self::OutOfStep { first, .. } if is_patient(rrd) => {
                let samples = late(rrd, cycle);
                samples.start.max(*first)..samples.end
            }
            _ => cycle..cycle + 1,
        }
    }
}

/// An RRD that is polled every second to eleventh cycle.
fn late(rrd: u64, cycle: u64) -> Range<u64> {
    let own = chance::first(!rrd);
    let (cycles_late, phase) = (1 + own % 10, own >> 32);
    match (cycle + phase) % (cycles_late + 1) {
        0 if own >> 16 & 1 == 0 => cycle..cycle + 1,
        0 => cycle - cycles_late..cycle + 1,
        _ => cycle..cycle,
    }
}

#[cfg(test)]
mod tests {
    use super::Pattern;
    use crate::workload::is_patient;

    #[test]
    fn out_of_step_delivers_each_sample_once_or_leaves_it_out() {
        let pattern = Pattern::OutOfStep { first: 1000, silent: 1010..1020 };
        for rrd in 0..5000 {
            let samples = (1000..1100).flat_map(|cycle| pattern.samples(rrd, cycle));
            let samples: Vec<u64> = samples.collect();
            assert!(samples.is_sorted_by(|one, next| one < next), "RRD {rrd}: {samples:?}");
            assert!(samples.len() >= 8 && samples.len() <= 111);
        }
    }

    #[test]
    fn one_in_twenty_is_late() {
        let patient = (0..100_000).filter(|rrd| is_patient(*rrd)).count();
        assert!((4_500..5_500).contains(&patient));
    }
}
