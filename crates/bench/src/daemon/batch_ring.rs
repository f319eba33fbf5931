//! Batches to the ring store: parsed, consolidated, journaled, synced, acknowledged.

use ring::{RingOptions, RingStore};
use rrd::Timestamp;
use serde_json::json;
use store::NewDatabase;
use testbed::ProcessCounters;

use super::load::{Load, Manner, Outcome};
use super::subject::{Place, Subject, Sync};
use super::{Bench, first_cycle};
use crate::figures::median;
use crate::report::{Report, Row};
use crate::served::Daemon;
use crate::workload::{Workload, cycle_seconds};

/// The required updates a second.
const FLOOR: f64 = 500_000.0;
/// After this many cycles, flushes of groups are in progress all the time.
const WARM_CYCLES: u64 = 20;
/// Databases that are made with one wait for the disk.
const CREATED_AT_ONCE: u64 = 1000;

pub(super) fn measure(bench: &Bench<'_>, report: &mut Report) -> Result<(), String> {
    let options = bench.options;
    let place = bench.place("ring")?;
    create(&place, &Workload::mrtg(options.rrds))?;
    let daemon = Subject::Ring(Sync::Always).start(&place, None)?;
    let warm_cycles = WARM_CYCLES.min(options.cycles);
    send(bench, &place, first_cycle(), warm_cycles)?;
    let (ours, used) =
        watched(&daemon, || send(bench, &place, first_cycle() + warm_cycles, options.cycles))?;
    drop(daemon);
    let theirs = debian(bench)?;

    let what = format!("BATCH, ring store of {} RRDs, updates/s", ::figures::count(options.rrds));
    let slowest = ours.cycle_seconds.iter().copied().fold(0.0, f64::max);
    let mut row = Row::new(what, "/s", ours.rate()).at_least(FLOOR).note(format!(
        "{} connections, {} lines a BATCH, --sync always; {} cycles after {warm_cycles}, median \
         {:.3} s, slowest {slowest:.3} s; goal 1,000,000/s",
        options.connections,
        options.batch_lines,
        options.cycles,
        median(&ours.cycle_seconds),
    ));
    row = row.note(cost("gyre", &ours, used));
    if let Some((theirs, used)) = &theirs {
        row = row.beside([("rrdcached", theirs.rate())]).note(cost(
            "rrdcached (files known, nothing written back)",
            theirs,
            *used,
        ));
    }
    report.row(row);
    report.raw("batch_ring", json!({ "gyre": ours, "rrdcached": theirs.map(|it| it.0) }));
    let _ = std::fs::remove_dir_all(&place.beside); // the space is needed
    Ok(())
}

fn send(bench: &Bench<'_>, place: &Place, first: u64, cycles: u64) -> Result<Outcome, String> {
    let (lines, connections) = (bench.options.batch_lines, bench.options.connections);
    let manner = Manner::Batches { cycles, lines, connections };
    let rrds = bench.options.rrds;
    Load { socket: place.socket(), rrds, first_cycle: first, manner }.send()
}

/// Measures the daemon's use of resources meanwhile.
fn watched(
    daemon: &Daemon,
    work: impl FnOnce() -> Result<Outcome, String>,
) -> Result<(Outcome, ProcessCounters), String> {
    let before = daemon.counters()?;
    let outcome = work()?;
    Ok((outcome, daemon.counters()? - before))
}

/// The processor time of the daemon and of the load.
fn cost(who: &str, outcome: &Outcome, used: ProcessCounters) -> String {
    let us = |seconds: f64| seconds / outcome.updates as f64 * 1e6;
    format!(
        "{who}: {:.2} us of processor time an update ({:.2} user, {:.2} kernel), the load {:.2} us; \
         both took {:.0}% of the two processors",
        us(used.user_seconds + used.system_seconds),
        us(used.user_seconds),
        us(used.system_seconds),
        us(outcome.own_seconds),
        (used.user_seconds + used.system_seconds + outcome.own_seconds) / outcome.seconds() * 50.0,
    )
}

/// The same lines to Debian's daemon with files that it knows already; it parses no readings and
/// syncs nothing.
fn debian(bench: &Bench<'_>) -> Result<Option<(Outcome, ProcessCounters)>, String> {
    let Some(subject) = bench.debian() else { return Ok(None) };
    let place = bench.sparse_files()?;
    place.clear();
    let daemon = subject.start(place, None)?;
    send(bench, place, first_cycle(), 1)?;
    // All cycles stay in its memory.
    let cycles = bench.options.cycles.min(6);
    watched(&daemon, || send(bench, place, first_cycle() + 1, cycles)).map(Some)
}

/// Makes the databases beforehand.
pub(crate) fn create(place: &Place, workload: &Workload) -> Result<(), String> {
    let rrds = workload.rrds;
    let start = Timestamp::from_seconds(cycle_seconds(first_cycle()));
    let options = RingOptions { sparse: true, ..RingOptions::default() };
    let store = RingStore::create(&place.base, options).map_err(|error| error.to_string())?;
    for first in (0..rrds).step_by(CREATED_AT_ONCE as usize) {
        let made = (first..rrds.min(first + CREATED_AT_ONCE))
            .map(|rrd| Ok((workload.name(rrd), workload.definition(rrd)?)));
        let made: Vec<_> = made.collect::<Result<_, String>>()?;
        let new = made.iter().map(|(name, definition)| NewDatabase {
            name: name.as_ref(),
            definition,
            start,
        });
        if let Some((_, error)) = store.engine().create_all(&new.collect::<Vec<_>>()).first() {
            return Err(error.to_string());
        }
    }
    store.close().map_err(|error| error.to_string())
}
