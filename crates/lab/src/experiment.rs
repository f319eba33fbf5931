//! An experiment: a question, and the function that answers it.

use crate::{Laboratory, Outcome};

/// One experiment.
#[derive(Clone, Copy, Debug)]
pub struct Experiment {
    /// Its name on the command line.
    pub name: &'static str,
    /// The question that it answers.
    pub question: &'static str,
    /// The reference's answer.
    pub reference: &'static str,
    /// Its duration on two cores in seconds: in full, and in its tiny form.
    pub seconds: [u64; 2],
    pub(crate) run: fn(&mut Laboratory<'_>) -> Result<Outcome, String>,
}

impl Experiment {
    /// Prepares, runs and cleans up.
    ///
    /// # Errors
    ///
    /// The kernel does not permit it for this user, the disk fails, or a signal came. Everything
    /// that was set up is removed.
    pub fn run(&self, laboratory: &mut Laboratory<'_>) -> Result<Outcome, String> {
        (self.run)(laboratory).map_err(|error| format!("{}: {error}", self.name))
    }
}
