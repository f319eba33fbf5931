//! Files that Debian's cfgmaker wrote for a live snmpd, frozen, and their interpretation.
//!
//! `REWRITE_GOLDEN=1 cargo test -p mrtg --test all golden` writes the interpretations again.
#![allow(clippy::disallowed_methods, reason = "reads and rewrites golden files")]

mod support;

use std::fmt::Write as _;
use std::path::PathBuf;

use mrtg::database::create_arguments;
use mrtg::{Configuration, Poll};
use support::read;

const FILES: [&str; 7] = ["nr", "name", "descr", "eth", "ip", "type", "subdirs"];

fn meaning(configuration: &Configuration) -> String {
    let mut text = String::new();
    for note in &configuration.notes {
        writeln!(text, "note {note}").unwrap();
    }
    for target in &configuration.targets {
        writeln!(text, "target {} at {}", target.name, target.position).unwrap();
        writeln!(text, "  title {}", target.title()).unwrap();
        writeln!(
            text,
            "  options {:?}, max bytes {:?}",
            target.settings.options, target.settings.max_bytes
        )
        .unwrap();
        writeln!(text, "  environment {:?}", target.environment()).unwrap();
        let page_top = target.page_top().unwrap_or_default();
        writeln!(text, "  page top of {} characters", page_top.chars().count()).unwrap();
        for poll in target.expression.polls() {
            let Poll::Snmp(poll) = configuration.poll(poll) else { continue };
            let agent = configuration.agent(poll.agent);
            writeln!(text, "  ask {} port {} {:?}", agent.host, agent.port, agent.version).unwrap();
            for object in &poll.objects {
                writeln!(text, "    {} of {:?}", object.prefix, object.interface).unwrap();
            }
        }
        let definition = target.settings.definition();
        writeln!(text, "  {}", target.rrd_path().display()).unwrap();
        writeln!(text, "  {}", create_arguments(&definition).join(" ")).unwrap();
    }
    text
}

#[test]
fn what_cfgmaker_wrote_keeps_its_meaning() {
    let directory = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/cfgmaker");
    for file in FILES {
        let text = std::fs::read(directory.join(file).with_extension("cfg")).unwrap();
        let found = meaning(&read(text).unwrap_or_else(|error| panic!("{file}: {error}")));
        let golden = directory.join(file).with_extension("meaning");
        if std::env::var_os("REWRITE_GOLDEN").is_some() {
            std::fs::write(&golden, &found).unwrap();
        }
        assert_eq!(found, std::fs::read_to_string(&golden).unwrap(), "{file}");
    }
}
