//! The faults of all devices as few rules.

use super::choice::{Choice, Item};
use super::kind::Fault;
use super::rule::Rule;
use std::collections::BTreeMap;

/// A fault of a device.
pub(crate) struct Present {
    /// The device's place, from 0.
    pub(crate) device: u32,
    pub(crate) fault: Fault,
}

/// The same with one rule for each fault, in the order of their words. `devices` is the number of
/// all devices.
pub(crate) fn as_rules(all: &[Present], devices: usize) -> Vec<Rule> {
    let mut by_words = BTreeMap::<String, Having>::new();
    for Present { device, fault } in all {
        let having = by_words.entry(fault.to_string());
        let having = having.or_insert_with(|| Having { fault: *fault, numbers: Vec::new() });
        having.numbers.push(device + 1);
    }
    let rule = |it: Having| Rule { fault: it.fault, devices: choice(it.numbers, devices) };
    by_words.into_values().map(rule).collect()
}

/// The devices that have a fault, counted from 1.
struct Having {
    fault: Fault,
    numbers: Vec<u32>,
}

fn choice(mut numbers: Vec<u32>, devices: usize) -> Choice {
    numbers.sort_unstable();
    numbers.dedup();
    if numbers.len() == devices {
        return Choice::All;
    }
    let stretches = numbers.chunk_by(|one, next| one + 1 == *next);
    let item = |stretch: &[u32]| Some(Item::Numbers(*stretch.first()?..=*stretch.last()?));
    Choice::These(stretches.filter_map(item).collect())
}
