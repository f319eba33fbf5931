//! What a run would do with a configuration, without running it.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use mrtg::Configuration;

use super::alarms::{UnusableError, check_usable};
use super::secrets::{Place, Secrets, SecretsError};
use super::wiring::Wiring;

/// The sources of a configuration's targets.
pub(crate) struct Survey {
    pub(crate) devices: usize,
    /// The intervals of all that is measured, the shortest first.
    pub(crate) intervals: Vec<Duration>,
    pub(crate) programs: usize,
    /// For each target why it is not measured, if so.
    pub(crate) not_measured: Vec<Option<Arc<str>>>,
}

impl Survey {
    /// Whether a run would take the configuration.
    ///
    /// # Errors
    ///
    /// What it names for its thresholds is not there.
    pub(crate) fn may_run(read: &Configuration) -> Result<(), UnusableError> {
        check_usable(read)
    }

    /// With the secrets that are there.
    ///
    /// # Errors
    ///
    /// A file of secrets cannot be used.
    pub(crate) fn of(read: &Configuration, secrets: &[Place]) -> Result<Self, SecretsError> {
        let wiring = Wiring::new(read, Secrets::at(secrets)?.into());
        let sources = wiring.sources_of_target.iter();
        // A device is one however many intervals it is asked at.
        let plans = wiring.plan.devices.iter();
        let devices: HashSet<_> =
            plans.map(|plan| (&plan.host, plan.port, &plan.snmp.security)).collect();
        Ok(Self {
            devices: devices.len(),
            intervals: wiring.plan.intervals.clone(),
            programs: wiring.programs.len(),
            not_measured: sources.map(|sources| sources.as_ref().err().cloned()).collect(),
        })
    }
}
