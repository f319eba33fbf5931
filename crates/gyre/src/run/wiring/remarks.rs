//! What the operator is told of users and communities that there cannot be.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use mrtg::{Configuration, Position};

use super::Wiring;

/// Why targets are not measured, and which.
struct Unmeasured<'c> {
    why: &'c Arc<str>,
    first: &'c Arc<str>,
    place: &'c Position,
    others: usize,
}

impl Wiring {
    /// A line for each user or community that there cannot be, with the first target that it keeps
    /// from being measured and the number of the others.
    pub(in crate::run) fn remarks(&self, configuration: &Configuration) -> Vec<String> {
        let mut found: Vec<Unmeasured<'_>> = Vec::new();
        let mut position_of = HashMap::new();
        let reasons: HashSet<&Arc<str>> = self.of_no_user.values().collect();
        for (target, sources) in configuration.targets.iter().zip(&*self.sources_of_target) {
            let Err(why) = sources else { continue };
            if !reasons.contains(why) {
                continue;
            }
            let position = *position_of.entry(why).or_insert(found.len());
            match found.get_mut(position) {
                Some(known) => known.others += 1,
                None => {
                    let (first, place) = (&target.name, &target.position);
                    found.push(Unmeasured { why, first, place, others: 0 });
                }
            }
        }
        found.iter().map(Unmeasured::words).collect()
    }
}

impl Unmeasured<'_> {
    fn words(&self) -> String {
        let Self { why, first, place, others } = self;
        match others {
            0 => format!("{place}: target {first} is not measured: {why}"),
            1 => format!("{place}: target {first} and 1 other are not measured: {why}"),
            _ => format!("{place}: target {first} and {others} others are not measured: {why}"),
        }
    }
}
