//! Every check in every possible state.
#![allow(clippy::disallowed_methods)] // a test: it makes files

#[path = "../given/mod.rs"]
mod given;
mod changes;
mod recommended;
mod disk;
mod running;

use std::collections::BTreeSet;

use doctor::Facts;
use doctor::State::{self, Advice};
use doctor::checks::CHECKS;
use given::facts;

/// A change of the facts.
type Change = fn(&mut Facts);

/// A check, a change to a well-configured machine, the resulting state, and words in the finding.
type Row = (&'static str, Change, State, &'static str);

/// All rows, in the order of the checks.
fn rows() -> impl Iterator<Item = &'static Row> {
    [recommended::ROWS, disk::ROWS, running::ROWS].into_iter().flatten()
}

#[test]
fn every_state_of_every_check() {
    let mut wrong = Vec::new();
    for (name, change, state, words) in rows() {
        let mut facts = facts("good");
        change(&mut facts);
        let check = CHECKS.iter().find(|check| check.name == *name).unwrap();
        let finding = check.decide(&facts).unwrap_or_else(|| panic!("{name} says nothing"));
        if finding.state != *state || !finding.found.contains(words) {
            wrong.push(format!("{name}: expected {state:?} and '{words}', found {finding:?}"));
        }
        let is_to_change = finding.state >= Advice;
        assert_eq!(
            is_to_change,
            !finding.change.is_empty(),
            "{name} says what to change: {finding:?}"
        );
        assert!(
            !is_to_change || finding.gain.is_some() || finding.found.contains("no target"),
            "{name}: what it gains"
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_check_is_left_out() {
    let tested: BTreeSet<&str> = rows().map(|(name, ..)| *name).collect();
    let all: BTreeSet<&str> = CHECKS.iter().map(|check| check.name).collect();
    assert_eq!(tested, all);
    assert_eq!(all.len(), CHECKS.len(), "no two have one name");
}

#[test]
fn what_does_not_arise_is_not_told() {
    let mut facts = facts("good");
    (facts.place, facts.work, facts.sample, facts.targets) = (None, None, None, None);
    let decided = CHECKS.iter().filter(|check| check.decide(&facts).is_some());
    let told: Vec<&str> = decided.map(|check| check.name).collect();
    assert_eq!(
        told,
        ["dedicated", "resolver", "write-back", "swap", "descriptors", "kernel", "clock"]
    );
}

#[test]
fn every_check_is_documented() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/doctor.md");
    let text = std::fs::read_to_string(file).unwrap();
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`'));
    let documented: Vec<&str> =
        rows.map(|(name, _)| name).filter(|name| !name.starts_with('-')).collect();
    let all: Vec<&str> = CHECKS.iter().map(|check| check.name).collect();
    assert_eq!(documented, all, "the table of docs/doctor.md, in the order of the checks");
}
