//! One UPDATE for each round trip, by one client and by many.

use serde_json::json;

use super::load::{Load, Manner, Outcome};
use super::subject::{Place, Subject, Sync};
use super::{Bench, first_cycle, sparse};
use crate::report::{Report, Row};

/// The number of concurrent clients.
const CLIENTS: [u64; 2] = [1, 64];

pub(super) fn measure(bench: &Bench<'_>, report: &mut Report) -> Result<(), String> {
    let place = bench.place("few")?;
    sparse::create(&place.base, bench.options.few_files, first_cycle())?;
    let mut raw = Vec::new();
    for clients in CLIENTS {
        let theirs = bench.debian().map(|it| send(bench, &place, &it, clients)).transpose()?;
        let lazy = send(bench, &place, &Subject::Files(Sync::EverySecond), clients)?;
        let eager = send(bench, &place, &Subject::Files(Sync::Always), clients)?;
        let what = format!("one UPDATE a round trip, {clients} clients, --sync 1");
        let mut row = Row::new(what, "/s", lazy.rate()).note(note("gyre, --sync 1", &lazy));
        if let Some(theirs) = &theirs {
            row = row
                .at_least(theirs.rate())
                .beside([("rrdcached", theirs.rate())])
                .note(note("rrdcached -j", theirs));
        }
        report.row(row);
        let what = format!("one UPDATE a round trip, {clients} clients, --sync always");
        report.row(Row::new(what, "/s", eager.rate()).note(note("gyre, --sync always", &eager)));
        raw.push(json!({
            "clients": clients, "sync_1": lazy, "sync_always": eager, "rrdcached": theirs,
        }));
    }
    report.raw("round_trip", json!(raw));
    Ok(())
}

/// Sends updates, after each file is known.
fn send(
    bench: &Bench<'_>,
    place: &Place,
    subject: &Subject,
    clients: u64,
) -> Result<Outcome, String> {
    place.clear();
    let daemon = subject.start(place, None)?;
    let options = bench.options;
    let (rrds, socket) = (options.few_files, place.socket());
    let (lines, connections) = (options.batch_lines, options.connections);
    let manner = Manner::Batches { cycles: 1, lines, connections };
    Load { socket: socket.clone(), rrds, first_cycle: first_cycle(), manner }.send()?;
    let manner = Manner::RoundTrips { clients, updates: options.round_trips };
    let outcome = Load { socket, rrds, first_cycle: first_cycle() + 1, manner }.send();
    drop(daemon);
    outcome
}

fn note(who: &str, outcome: &Outcome) -> String {
    format!(
        "{who}: {:.1} us median, {:.1} us at 99%; the load took {:.2} us of processor time each",
        outcome.median_us,
        outcome.slowest_us,
        outcome.own_seconds / outcome.updates as f64 * 1e6
    )
}
