//! The faults that devices have now.

use super::choice::Choice;
use super::kind::Fault;
use super::listing::Present;
use super::restart::Restart;
use super::rule::{Mending, Rule};
use crate::topology::{Device, Topology};
use std::collections::HashMap;
use std::time::Duration;

/// The faults of all devices that have some.
#[derive(Debug, Default)]
pub(crate) struct Conditions(HashMap<u32, Condition>);

/// The faults of a device: one of each kind.
#[derive(Debug, Clone, Default)]
pub(crate) struct Condition {
    faults: Vec<Fault>,
    /// Its restarts, past and to come, by their times.
    pub(super) restarts: Vec<Restart>,
}

impl Conditions {
    /// The faults of the device with this number, if it has some.
    pub(crate) fn of(&self, number: u32) -> Option<&Condition> {
        if self.0.is_empty() { None } else { self.0.get(&number) }
    }

    /// All faults, and the restarts that are still to come.
    pub(crate) fn present(&self, now: Duration) -> Vec<Present> {
        let all = self.0.iter().flat_map(|(number, condition)| {
            let to_come = condition.restarts.iter().filter_map(move |it| it.still_to_come(now));
            let faults = condition.faults().chain(to_come);
            faults.map(|fault| Present { device: *number, fault })
        });
        all.collect()
    }

    /// Gives devices a fault; times count from `now`, since 1970. Returns how many have it.
    pub(crate) fn set(&mut self, rule: &Rule, topology: &Topology, now: Duration) -> usize {
        let from = rule.fault.ordinal();
        let chosen = topology.devices.iter().filter(|device| rule.devices.has(device, from));
        let mut count = 0;
        for device in chosen {
            self.0.entry(device.number).or_default().add(rule.fault, now);
            count += 1;
        }
        count
    }

    /// Takes faults from devices, and restarts that are still to come. Returns how many devices
    /// were meant.
    pub(crate) fn mend(&mut self, mending: &Mending, topology: &Topology, now: Duration) -> usize {
        let Mending { kind, devices } = mending;
        let is_meant = |name: &str| kind == "all" || kind == name;
        let meant = |device: &&Device| match &devices {
            // The devices of a share are those that the fault was given to.
            Choice::Share(_) => {
                let condition = self.0.get(&device.number);
                condition.is_some_and(|condition| condition.names().any(&is_meant))
            }
            devices => devices.has(device, 0),
        };
        let numbers: Vec<u32> =
            topology.devices.iter().filter(meant).map(|device| device.number).collect();
        for number in &numbers {
            if let Some(condition) = self.0.get_mut(number) {
                condition.faults.retain(|fault| !is_meant(fault.name()));
                condition.restarts.retain(|it| it.at <= now || !is_meant(it.name()));
                if condition.faults.is_empty() && condition.restarts.is_empty() {
                    self.0.remove(number);
                }
            }
        }
        numbers.len()
    }
}

impl Condition {
    /// The faults that it has now.
    pub(crate) fn faults(&self) -> impl Iterator<Item = Fault> {
        self.faults.iter().copied()
    }

    /// What a fault of one kind says, if the device has it.
    pub(crate) fn find<T>(&self, say: impl Fn(Fault) -> Option<T>) -> Option<T> {
        self.faults().find_map(say)
    }

    fn names(&self) -> impl Iterator<Item = &'static str> {
        let restarts = self.restarts.iter().map(Restart::name);
        self.faults.iter().map(Fault::name).chain(restarts)
    }

    fn add(&mut self, fault: Fault, now: Duration) {
        if let Some(restart) = Restart::of(fault, now) {
            self.restarts.push(restart);
            self.restarts.sort_by_key(|restart| restart.at);
            return;
        }
        self.faults.retain(|other| other.name() != fault.name());
        self.faults.push(fault);
    }
}
