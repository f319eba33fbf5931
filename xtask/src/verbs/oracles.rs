//! Installs the real programs that the tests compare gyre with.

use serde_json::json;

use super::Verb;
use crate::Outcome;
use crate::arguments::Arguments;
use crate::foreign::{self, MACHINES};
use crate::packages::{NEEDS, Need, can_install, provide};
use crate::{node, python};

pub(super) const VERB: Verb = Verb {
    name: "oracles",
    usage: "[--no-install] [--json]",
    summary: "the real programs that tests hold gyre against, from Debian's packages",
    run,
};

fn run(words: Vec<String>) -> Outcome {
    let mut arguments = Arguments::new(words);
    let may_install = !arguments.flag("--no-install");
    let json = arguments.flag("--json");
    arguments.finish()?;
    let missing = provide(NEEDS, may_install);
    // They are large, so they are fetched by default only if oracles may be installed at all.
    let foreign = foreign::provide(may_install && can_install());
    let has_python = python::provide(may_install && can_install());
    let has_node = node::provide(may_install && can_install());
    if json {
        println!(
            "{}",
            json!({
                "missing": packages(&missing),
                "foreign_missing": foreign,
                "python_missing": !has_python,
                "node_missing": !has_node,
            })
        );
    }
    if missing.is_empty() && foreign.is_empty() && has_python && has_node {
        eprintln!("all {} there", NEEDS.len() + MACHINES.len() + 2);
        return Ok(());
    }
    for need in &missing {
        eprintln!("NOT TESTED, {} is missing: {}", need.package, need.tests);
    }
    for machine in &foreign {
        eprintln!("NOT TESTED, rrdtool for {machine} is missing: {}", foreign::TESTS);
    }
    if !has_python {
        eprintln!("NOT TESTED, DuckDB and pyarrow are missing: {}", python::TESTS);
    }
    if !has_node {
        eprintln!("NOT TESTED, playwright-core and axe-core are missing: {}", node::TESTS);
    }
    let advice = match missing.is_empty() {
        true if foreign.is_empty() => "cargo xtask oracles, with python3-venv, pip and npm".into(),
        true => "cargo xtask foreign".into(),
        false => format!("apt-get install {}", packages(&missing).join(" ")),
    };
    if std::env::var_os("CI").is_some() {
        return Err(format!("in CI every oracle must be there: {advice}"));
    }
    eprintln!("to test it all: {advice}");
    Ok(())
}

fn packages(needs: &[&Need]) -> Vec<&'static str> {
    needs.iter().map(|need| need.package).collect()
}
