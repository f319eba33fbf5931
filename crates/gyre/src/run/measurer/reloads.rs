//! Random reloads: no difference is ever taken between the counters of two interfaces, and none is
//! lost where nothing changed.

use std::collections::{BTreeMap, HashMap};

use chance::Random;

use super::tests::{NOW, measured_with, poll, silent};
use super::*;

/// A target that may be in a configuration.
type Line = (&'static str, String);

/// One of some, by chance.
fn some<'a, T: ?Sized>(chance: &mut Random, all: &[&'a T]) -> &'a T {
    all[chance.below(all.len() as u64) as usize]
}

fn operand(chance: &mut Random) -> String {
    let host = chance.below(2) + 1;
    let port = chance.below(3) + 1;
    // Another timeout makes another device of the same host.
    let timeout = some(chance, &["::::2", ":3:::2", ":4:::2"]);
    let community = if chance.below(8) == 0 { "other" } else { "public" };
    format!("{port}:{community}@10.0.0.{host}:{timeout}")
}

/// What a configuration has, in any order.
fn lines(chance: &mut Random, before: &[Line]) -> Vec<Line> {
    let mut lines = Vec::new();
    for name in ["a", "b", "c", "d"] {
        let known = before.iter().find(|(each, _)| *each == name);
        match (chance.below(4), known) {
            (0, _) => {}
            (1 | 2, Some(known)) => lines.push(known.clone()),
            _ => {
                let mut text = operand(chance);
                if chance.below(4) == 0 {
                    text = format!("{text} + {}", operand(chance));
                }
                let interval = some(chance, &["", "10s"]);
                let more = format!("gyre*Interval[{name}]: {interval}\n");
                let more = if interval.is_empty() { String::new() } else { more };
                lines.push((name, format!("Target[{name}]: {text}\n{more}")));
            }
        }
    }
    let places = lines.len() as u64;
    for nth in 0..lines.len() {
        lines.swap(nth, chance.below(places) as usize);
    }
    lines
}

/// What is known of a database.
#[derive(Clone, Debug, Default)]
struct Kept {
    /// The target that its last reading is of; `None` if that is unknown.
    of: Option<String>,
    has_samples: bool,
}

/// Of a line, what is measured, without how it is asked.
fn identity(line: &str) -> String {
    let target = line.lines().next().unwrap();
    target.replace(":3:::2", "::::2").replace(":4:::2", "::::2")
}

struct Simulated {
    measured: Measured,
    lines: Vec<Line>,
    kept: BTreeMap<String, Kept>,
    /// Targets that have been in every configuration, unchanged, since their last sample.
    unchanged: HashMap<&'static str, bool>,
}

impl Simulated {
    fn configured(lines: &[Line], kept: &BTreeMap<String, Kept>) -> Measured {
        let text: String = lines.iter().map(|(_, line)| line.as_str()).collect();
        let has_samples =
            |name: &str| kept.get(&format!("{name}.rrd")).is_some_and(|kept| kept.has_samples);
        measured_with(&text, |name| has_samples(name).then_some(NOW - 300))
    }

    fn reload(&mut self, chance: &mut Random) {
        let lines = lines(chance, &self.lines);
        let mut new = Self::configured(&lines, &self.kept);
        let succession = Outgoing::of(&self.measured).succession(&new);
        new.inherit(&mut self.measured, &succession);
        self.unchanged.retain(|_, is_unchanged| *is_unchanged);
        for (name, _) in &self.lines {
            let of = |lines: &[Line]| lines.iter().find(|(each, _)| each == name).cloned();
            if of(&self.lines) != of(&lines) {
                self.unchanged.remove(name);
            }
        }
        (self.measured, self.lines) = (new, lines);
    }

    /// Some devices report, in any order.
    fn report(&mut self, chance: &mut Random) {
        for device in 0..self.measured.wiring.plan.devices.len() {
            if chance.below(3) == 0 {
                continue;
            }
            let variables = self.measured.wiring.plan.devices[device].variables.len();
            let poll = match chance.below(6) {
                0 => silent(device, variables),
                _ => poll(device, &vec![7; variables]),
            };
            for write in self.measured.take(device, poll).0 {
                self.check(&write);
            }
        }
    }

    fn check(&mut self, write: &Write) {
        let name = write.database.strip_suffix(".rrd").unwrap();
        let (name, line) = self.lines.iter().find(|(each, _)| *each == name).unwrap();
        let now = identity(line);
        let kept = self.kept.entry(write.database.to_string()).or_default();
        let is_known = write.readings[0] != ReadingKept::UNKNOWN;
        let breaks = write.unknown_until.is_some();
        if let Some(of) = &kept.of {
            assert!(*of == now || breaks, "{name}: {of} before {now}");
            let is_unchanged = self.unchanged.contains_key(name);
            assert!(!is_unchanged || !breaks, "{name} goes on: {now}");
        }
        *kept = Kept { of: is_known.then_some(now), has_samples: true };
        self.unchanged.insert(name, true);
    }
}

#[test]
fn no_reload_takes_the_difference_of_two_interfaces() {
    for seed in 0..600 {
        let mut chance = Random::new(seed);
        let lines = lines(&mut chance, &[]);
        let kept = BTreeMap::new();
        let measured = Simulated::configured(&lines, &kept);
        let mut simulated = Simulated { measured, lines, kept, unchanged: HashMap::new() };
        for _ in 0..12 {
            simulated.report(&mut chance);
            if chance.below(3) > 0 {
                simulated.reload(&mut chance);
            }
        }
    }
}
