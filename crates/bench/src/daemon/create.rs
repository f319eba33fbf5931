//! CREATE commands, sent without waiting for the answers, by one client and by several.

use serde_json::json;

use super::load::{Load, Manner, Outcome};
use super::subject::{Place, Subject, Sync};
use super::{Bench, first_cycle};
use crate::report::{Report, Row};

/// The required databases a second.
const FLOOR: f64 = 50_000.0;
/// rrdcached makes and writes a file for each, so it gets this part of the number.
const PEER_SHARE: u64 = 10;

pub(super) fn measure(bench: &Bench<'_>, report: &mut Report) -> Result<(), String> {
    let count = bench.options.creates;
    let ring = bench.place("create-ring")?;
    let files = bench.place("create-files")?;
    let ours = Subject::Ring(Sync::Always).start(&ring, None)?;
    let theirs = bench.debian().map(|it| it.start(&files, None)).transpose()?;
    let mut raw = Vec::new();
    for (nth, clients) in [1, bench.options.connections.max(2)].into_iter().enumerate() {
        let send = |place: &Place, count: u64| {
            let manner = Manner::Creates { first: count * nth as u64, count, connections: clients };
            Load { socket: place.socket(), rrds: 2 * count, first_cycle: first_cycle(), manner }
                .send()
        };
        let made = send(&ring, count)?;
        let beside = theirs.as_ref().map(|_| send(&files, (count / PEER_SHARE).max(1)));
        let beside = beside.transpose()?;
        let what = format!("CREATE, pipelined by {clients} clients, ring store, /s");
        let mut row = Row::new(what, "/s", made.rate()).at_least(FLOOR).note(note("gyre", &made));
        if let Some(beside) = &beside {
            row = row.beside([("rrdcached", beside.rate())]).note(note("rrdcached", beside));
        }
        report.row(row);
        raw.push(json!({ "clients": clients, "gyre": made, "rrdcached": beside }));
    }
    report.raw("create", json!(raw));
    drop((ours, theirs));
    for place in [ring, files] {
        let _ = std::fs::remove_dir_all(&place.beside); // the space is needed
    }
    Ok(())
}

fn note(who: &str, outcome: &Outcome) -> String {
    format!(
        "{who}: {} databases of MRTG's layout in {:.2} s",
        ::figures::count(outcome.updates),
        outcome.seconds()
    )
}
