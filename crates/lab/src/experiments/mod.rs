//! The experiments, each in a module.

pub(crate) mod fig3_11;
pub(crate) mod fig6;
pub(crate) mod fig12;
pub(crate) mod fig13;
pub(crate) mod fig14;
pub(crate) mod fig15_18;
pub(crate) mod io_modes;
pub(crate) mod open;

use crate::Experiment;

/// Every experiment, in the order of the reference.
pub const EXPERIMENTS: &[Experiment] = &[
    fig6::EXPERIMENT,
    fig3_11::EXPERIMENT,
    fig12::EXPERIMENT,
    fig13::EXPERIMENT,
    fig14::EXPERIMENT,
    fig15_18::EXPERIMENT,
    io_modes::EXPERIMENT,
    open::EXPERIMENT,
];

/// 2026-01-01 00:00 UTC: the first midnight of the experiments.
const MIDNIGHT_SECONDS: u64 = 1_767_225_600;
const HOUR_SECONDS: u64 = 3600;

/// Hours and minutes, UTC.
fn time_of_day(at_seconds: u64) -> String {
    let minutes = at_seconds / 60 % (24 * 60);
    format!("{:02}:{:02}", minutes / 60, minutes % 60)
}
