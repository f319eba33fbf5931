//! Cycle after cycle an update of each database: rrdcached's lines to a ring store that syncs
//! before it acknowledges, lines of Influx to VictoriaMetrics, which does not.

use std::path::Path;
use std::time::Instant;

use serde_json::json;
use testbed::ProcessCounters;

use super::Bench;
use super::victoria::Victoria;
use crate::daemon::{Load, Manner, Place, Subject, Sync, create_ring, first_cycle};
use crate::figures::median;
use crate::report::{Report, Row};
use crate::workload::{THREADS, Workload};

/// After this many cycles, flushes of groups are in progress all the time.
const WARM_CYCLES_MAX: u64 = 20;
/// VictoriaMetrics knows all series after this many cycles.
const KNOWN_CYCLES: u64 = 2;

/// The result of one server.
#[derive(serde::Serialize)]
struct Taken {
    cycle_seconds: Vec<f64>,
    /// Microseconds of the server's processor time for an update.
    processor_us: f64,
}

impl Taken {
    fn new(cycle_seconds: Vec<f64>, rrds: u64, used: ProcessCounters) -> Self {
        let updates = rrds as f64 * cycle_seconds.len() as f64;
        let seconds = used.user_seconds + used.system_seconds;
        Self { cycle_seconds, processor_us: seconds / updates * 1e6 }
    }

    /// Updates a second in the median cycle.
    fn rate(&self, rrds: u64) -> f64 {
        rrds as f64 / median(&self.cycle_seconds)
    }
}

pub(super) fn measure(bench: &Bench<'_>, report: &mut Report) -> Result<(), String> {
    let rrds = bench.options.rrds;
    let ours = gyre(bench)?;
    let what = format!("updates of {} databases", ::figures::count(rrds));
    let mut row = Row::new(what, "/s", ours.rate(rrds)).at_least(1.6e6).note(format!(
        "gyre: BATCH of {} by {THREADS} connections, --sync always; {:.2} us of processor time an \
         update; goal 2,000,000/s and 0.8 us",
        bench.options.batch_lines, ours.processor_us
    ));
    let theirs = bench.victoria.as_deref().map(|program| victoria(bench, program)).transpose()?;
    if let Some(theirs) = &theirs {
        row = row.beside([("victoria-metrics", theirs.rate(rrds))]).note(format!(
            "victoria-metrics: lines of Influx with two fields, {} a request by {THREADS} \
             connections, not synced; {:.2} us of processor time a line",
            bench.options.batch_lines, theirs.processor_us
        ));
    }
    report.row(row);
    report.raw("ingest", json!({ "gyre": ours, "victoria-metrics": theirs }));
    Ok(())
}

fn gyre(bench: &Bench<'_>) -> Result<Taken, String> {
    let options = bench.options;
    let place = Place::make(bench.inside, "ingest")?;
    create_ring(&place, &Workload::mrtg(options.rrds))?;
    let daemon = Subject::Ring(Sync::Always).start(&place, None)?;
    let send = |first_cycle, cycles| {
        let lines = options.batch_lines;
        let manner = Manner::Batches { cycles, lines, connections: THREADS };
        Load { socket: place.socket(), rrds: options.rrds, first_cycle, manner }.send()
    };
    let warm_cycles = WARM_CYCLES_MAX.min(options.cycles * 4);
    send(first_cycle(), warm_cycles)?;
    let before = daemon.counters()?;
    let outcome = send(first_cycle() + warm_cycles, options.cycles)?;
    let used = daemon.counters()? - before;
    drop(daemon);
    let _ = std::fs::remove_dir_all(&place.beside); // the space is needed
    Ok(Taken::new(outcome.cycle_seconds, options.rrds, used))
}

fn victoria(bench: &Bench<'_>, program: &Path) -> Result<Taken, String> {
    let options = bench.options;
    let directory = bench.inside.join("victoria-ingest");
    let server = Victoria::start(program, &directory)?;
    let workload = Workload::mrtg(options.rrds);
    let first = first_cycle();
    send(&server, workload, first..first + KNOWN_CYCLES, options.batch_lines)?;
    let before = server.counters()?;
    let measured = first + KNOWN_CYCLES..first + KNOWN_CYCLES + options.cycles;
    let cycle_seconds = send(&server, workload, measured, options.batch_lines)?;
    let used = server.counters()? - before;
    drop(server);
    let _ = std::fs::remove_dir_all(directory); // the space is needed
    Ok(Taken::new(cycle_seconds, options.rrds, used))
}

/// Sends cycles to VictoriaMetrics; returns the seconds of each.
pub(super) fn send(
    server: &Victoria,
    workload: Workload,
    cycles: std::ops::Range<u64>,
    lines: usize,
) -> Result<Vec<f64>, String> {
    let shares: Vec<Vec<u64>> = (0..THREADS).map(|nth| workload.share_of(nth, THREADS)).collect();
    let mut writers = (0..THREADS).map(|_| server.connect()).collect::<Result<Vec<_>, _>>()?;
    cycles
        .map(|cycle| {
            let text = |rrds: &[u64]| workload.influx_lines(rrds, cycle);
            let texts = shares.iter().map(|share| share.chunks(lines).map(text).collect());
            let texts: Vec<Vec<String>> = texts.collect();
            let begun = Instant::now();
            std::thread::scope(|scope| {
                let sending = writers.iter_mut().zip(&texts).map(|(writer, texts)| {
                    scope.spawn(move || texts.iter().try_for_each(|text| writer.write(text)))
                });
                let sending: Vec<_> = sending.collect();
                sending.into_iter().try_for_each(|it| it.join().expect("sending does not panic"))
            })?;
            Ok(begun.elapsed().as_secs_f64())
        })
        .collect()
}
