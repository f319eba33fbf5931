//! Compares the existing crates with the table.

use std::collections::BTreeSet;

use super::table::{Crate, Layer, MACHINE_CRATES};
use crate::metadata::{Dependency, Package};

/// All differences between the workspace and the table, one sentence each.
pub(crate) fn violations(table: &[Crate], members: &[Package]) -> Vec<String> {
    let mut found = strangers(table, members);
    for package in members {
        let Some(own) = lookup(table, &package.name) else {
            continue; // a stranger, named above
        };
        let wrong = package.dependencies.iter().filter_map(|dependency| {
            let reason = refusal(table, own, dependency)?;
            Some(format!("{} uses {}: {reason}", own.name, dependency.name))
        });
        found.extend(wrong.collect::<BTreeSet<_>>());
    }
    found
}

/// Crates without a line, and lines without a crate: otherwise a rename would go unnoticed.
fn strangers(table: &[Crate], members: &[Package]) -> Vec<String> {
    let exist: BTreeSet<&str> = members.iter().map(|member| member.name.as_str()).collect();
    let known: BTreeSet<&str> = table.iter().map(|line| line.name).collect();
    let mentioned = table.iter().flat_map(|line| line.also.iter().chain(line.never).copied());
    let without_line = exist.difference(&known);
    let without_crate: BTreeSet<&str> = known.iter().copied().chain(mentioned).collect();
    without_line
        .map(|name| format!("{name} has no line in the table of layers"))
        .chain(
            without_crate
                .difference(&exist)
                .map(|name| format!("the table of layers names {name}, which does not exist")),
        )
        .collect()
}

/// Why a crate may not use another, or `None`.
fn refusal(table: &[Crate], own: &Crate, dependency: &Dependency) -> Option<&'static str> {
    let Some(other) = lookup(table, &dependency.name) else {
        let machine = MACHINE_CRATES.contains(&dependency.name.as_str());
        let refused = own.layer == Layer::Pure && is_product(dependency) && machine;
        return refused.then_some("a pure crate does not reach the machine");
    };
    if own.also.contains(&other.name) || own.layer == Layer::Beside {
        return beside_refusal(own, other);
    }
    if !is_product(dependency) {
        return test_refusal(own, other);
    }
    if own.never.contains(&other.name) {
        return Some("the table forbids it");
    }
    (other.layer >= own.layer).then_some("it is not of a lower layer")
}

/// The tools may use all of the product, but each other only as the table permits.
fn beside_refusal(own: &Crate, other: &Crate) -> Option<&'static str> {
    let refused = other.layer == Layer::Beside && !own.also.contains(&other.name);
    refused.then_some("tools stand alone")
}

/// Tests may use crates of the same layer and the oracles, but nothing above them.
fn test_refusal(own: &Crate, other: &Crate) -> Option<&'static str> {
    let allowed = other.layer <= own.layer || other.name == "oracle";
    (!allowed).then_some("a test may use its own layer, lower ones and `oracle`")
}

/// Whether a dependency is part of what we ship, and not only of its tests.
fn is_product(dependency: &Dependency) -> bool {
    dependency.kind.as_deref() != Some("dev")
}

fn lookup<'a>(table: &'a [Crate], name: &str) -> Option<&'a Crate> {
    table.iter().find(|line| line.name == name)
}

#[cfg(test)]
mod tests {
    use super::violations;
    use crate::layers::TABLE;
    use crate::metadata::{Dependency, Package};

    /// The workspace according to the table, with one more dependency.
    fn with(user: &str, used: &str, kind: Option<&str>) -> Vec<String> {
        let member = |name: &str| Package {
            id: name.to_owned(),
            name: name.to_owned(),
            version: "0.1.0".to_owned(),
            license: None,
            dependencies: Vec::new(),
        };
        let mut members: Vec<_> = TABLE.iter().map(|line| member(line.name)).collect();
        let user = members.iter_mut().find(|member| member.name == user);
        user.expect("a crate of the table").dependencies =
            vec![Dependency { name: used.to_owned(), kind: kind.map(str::to_owned) }];
        violations(TABLE, &members)
    }

    #[test]
    fn downwards_is_allowed() {
        for (user, used) in [
            ("store", "disk"),
            ("rrdfile", "rrd"),
            ("server", "graph"),
            ("gyre", "server"),
            ("bench", "store"),
            ("rrd", "jiff"),
        ] {
            assert!(with(user, used, None).is_empty(), "{user} -> {used}");
        }
    }

    #[test]
    fn upwards_and_sideways_are_refused() {
        for (user, used) in [
            ("rrd", "rrdfile"),
            ("rrd", "disk"),
            ("graph", "store"),
            ("collector", "store"),
            ("store", "snmp"),
            ("server", "collector"),
            ("server", "gyre"),
            ("gyre", "bench"),
            ("gyre", "oracle"),
            ("xtask", "bench"),
            ("rrd", "rustix"),
        ] {
            assert_eq!(with(user, used, None).len(), 1, "{user} -> {used}");
        }
    }

    #[test]
    fn tests_may_ask_oracles_but_not_look_up() {
        assert!(with("rrd", "oracle", Some("dev")).is_empty());
        assert!(with("collector", "simnet", Some("dev")).is_empty());
        assert_eq!(with("rrd", "store", Some("dev")).len(), 1);
        assert_eq!(with("store", "bench", Some("dev")).len(), 1);
    }

    #[test]
    fn a_renamed_crate_is_told_from_both_sides() {
        let renamed = TABLE.iter().map(|line| Package {
            id: line.name.to_owned(),
            name: line.name.replace("collector", "poller"),
            version: "0.1.0".to_owned(),
            license: None,
            dependencies: Vec::new(),
        });
        let found = violations(TABLE, &renamed.collect::<Vec<_>>());
        assert_eq!(
            found,
            [
                "poller has no line in the table of layers",
                "the table of layers names collector, which does not exist",
            ]
        );
    }
}
