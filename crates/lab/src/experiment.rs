//! What can be done in the laboratory.

use crate::experiments::{fig3_11, fig6, fig12, fig13, fig14, fig15_18, io_modes, open};
use crate::{Laboratory, Outcome};

/// One experiment.
#[derive(Clone, Copy, Debug)]
pub struct Experiment {
    /// What it is called on the command line.
    pub name: &'static str,
    /// What it asks.
    pub question: &'static str,
    /// What the reference says to that.
    pub reference: &'static str,
    /// How long it takes on two cores, seconds: in full, and in its tiny form.
    pub seconds: [u64; 2],
    pub(crate) run: fn(&mut Laboratory<'_>) -> Result<Outcome, String>,
}

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

impl Experiment {
    /// Sets up, runs, and cleans up.
    ///
    /// # Errors
    /// The kernel does not let this user, the disk fails, or a signal came; what was set up is
    /// gone.
    pub fn run(&self, laboratory: &mut Laboratory<'_>) -> Result<Outcome, String> {
        (self.run)(laboratory).map_err(|error| format!("{}: {error}", self.name))
    }
}
