//! One UPDATE for each round trip, by one client and by many.

use serde_json::json;

use super::load::{Load, Manner, Outcome};
use super::subject::{Place, Subject, Sync};
use super::{Bench, batch_ring, first_cycle, sparse};
use crate::report::{Report, Row};
use crate::workload::Workload;

/// The number of concurrent clients.
const CLIENTS: [u64; 2] = [1, 64];
/// The updates a second that many clients are to get where each is synced.
const EAGER_RATE: f64 = 100_000.0;
/// How many times fewer updates a client sends that waits for a sync each time.
const FEWER_ALONE: u64 = 20;

pub(super) fn measure(bench: &Bench<'_>, report: &mut Report) -> Result<(), String> {
    let place = bench.place("few")?;
    sparse::create(&place.base, bench.options.few_files, first_cycle())?;
    let mut raw = Vec::new();
    for clients in CLIENTS {
        let theirs = bench.debian().map(|it| send(bench, &place, &it, clients)).transpose()?;
        let lazy = send(bench, &place, &Subject::Files(Sync::EverySecond), clients)?;
        let eager = send(bench, &place, &Subject::Files(Sync::Always), clients)?;
        let ring = send_to_ring(bench, clients)?;
        let what = format!("one UPDATE a round trip, {clients} clients, --sync 1");
        let mut row = Row::new(what, "/s", lazy.rate()).note(note("gyre, --sync 1", &lazy));
        if let Some(theirs) = &theirs {
            row = row
                .at_least(theirs.rate())
                .beside([("rrdcached", theirs.rate())])
                .note(note("rrdcached -j", theirs));
        }
        report.row(row);
        for (store, outcome) in [("files", &eager), ("ring store", &ring)] {
            let what =
                format!("one UPDATE a round trip, {clients} clients, --sync always, {store}");
            let row = Row::new(what, "/s", outcome.rate()).note(note("gyre", outcome));
            report.row(if clients > 1 { row.at_least(EAGER_RATE) } else { row });
        }
        raw.push(json!({
            "clients": clients, "sync_1": lazy, "sync_always": eager, "ring": ring,
            "rrdcached": theirs,
        }));
    }
    report.raw("round_trip", json!(raw));
    Ok(())
}

/// Sends updates to a ring store of its own, whose databases are as many as the files.
fn send_to_ring(bench: &Bench<'_>, clients: u64) -> Result<Outcome, String> {
    let place = bench.place("few-ring")?;
    batch_ring::create(&place, &Workload::mrtg(bench.options.few_files))?;
    let outcome = send(bench, &place, &Subject::Ring(Sync::Always), clients);
    let _ = std::fs::remove_dir_all(&place.beside); // the next one is made there
    outcome
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
    let is_synced_each = matches!(subject, Subject::Files(Sync::Always) | Subject::Ring(_));
    let updates = match is_synced_each && clients == 1 {
        true => options.round_trips / FEWER_ALONE,
        false => options.round_trips,
    };
    let manner = Manner::RoundTrips { clients, updates };
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
