//! Which devices and targets of a configuration were already in the one before it.
//!
//! A reload finds that out on its own thread, so that the polling thread, which switches, has
//! nothing to look up.

use std::collections::HashMap;

use collector::{DevicePlan, DevicePoll, Missing};
use snmp::Security;

use super::Measured;

/// The positions that a new configuration's devices and targets had in the old one.
#[derive(Debug, Default)]
pub(in crate::run) struct Succession {
    /// For each device its predecessor.
    pub(super) devices: Vec<Option<Predecessor>>,
    /// For each target its position in the old configuration.
    pub(super) targets: Vec<Option<u32>>,
}

/// A device in the old configuration.
#[derive(Debug)]
pub(super) struct Predecessor {
    pub(super) position: usize,
    /// For each variable its position in the old plan; `None` if the variables are the same.
    pub(super) variables: Option<Vec<Option<usize>>>,
}

/// The part of a configuration in use that its successor is compared with.
pub(in crate::run) struct Outgoing {
    configuration: std::sync::Arc<mrtg::Configuration>,
    plan: std::sync::Arc<collector::Plan>,
}

impl Outgoing {
    pub(in crate::run) fn of(measured: &Measured) -> Self {
        let configuration = measured.configuration.clone();
        Self { configuration, plan: measured.wiring.plan.clone() }
    }

    /// Compares a new configuration with this one.
    pub(in crate::run) fn succession(&self, new: &Measured) -> Succession {
        let devices = devices(&self.plan.devices, &new.wiring.plan.devices);
        let targets = positions(&self.configuration.targets, &new.configuration.targets);
        Succession { devices, targets }
    }
}

fn devices(old: &[DevicePlan], new: &[DevicePlan]) -> Vec<Option<Predecessor>> {
    let known: HashMap<_, _> = old.iter().map(identity).zip(0_usize..).collect();
    let of = |plan: &DevicePlan| {
        let position = *known.get(&identity(plan))?;
        Some(Predecessor { position, variables: variables(&old[position], plan) })
    };
    new.iter().map(of).collect()
}

fn variables(old: &DevicePlan, new: &DevicePlan) -> Option<Vec<Option<usize>>> {
    if old.variables == new.variables {
        return None;
    }
    let known: HashMap<_, _> = old.variables.iter().zip(0_usize..).collect();
    Some(new.variables.iter().map(|variable| known.get(variable).copied()).collect())
}

/// The positions of targets with the same names. Most follow one another as they did before.
fn positions(old: &[mrtg::Target], new: &[mrtg::Target]) -> Vec<Option<u32>> {
    let mut by_name = None;
    let mut expected = 0_u32;
    let of = |target: &mrtg::Target| {
        let is_next = old.get(expected as usize).is_some_and(|next| next.name == target.name);
        let found = match is_next {
            true => Some(expected),
            false => {
                let names = || old.iter().map(|target| &target.name).zip(0..).collect();
                let by_name: &mut HashMap<&String, u32> = by_name.get_or_insert_with(names);
                by_name.get(&target.name).copied()
            }
        };
        expected = found.map_or(expected, |found| found + 1);
        found
    };
    new.iter().map(of).collect()
}

/// What identifies a device to the collector.
fn identity(plan: &DevicePlan) -> (&str, u16, &Security) {
    (&plan.host, plan.port, &plan.snmp.security)
}

impl Predecessor {
    /// A poll made with the old plan, as one of the new plan's.
    pub(super) fn rearranged(&self, poll: DevicePoll, device: usize) -> DevicePoll {
        let Some(positions) = &self.variables else {
            return DevicePoll { device, ..poll };
        };
        let missing = || Err(Missing::NotAsked);
        let reading = |position: &Option<usize>| {
            position
                .and_then(|position| poll.readings.get(position).cloned())
                .unwrap_or_else(missing)
        };
        DevicePoll { readings: positions.iter().map(reading).collect(), device, ..poll }
    }
}
