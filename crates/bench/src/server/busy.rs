//! A store that is updated every cycle while other processes read from it: checks whether every
//! cycle ends in time.
//!
//! The updates of a cycle are spread over it. After some cycles without readers, there are as many
//! with readers: one export of databases in each cycle, and two pipe modes that draw graphs at
//! fixed times.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::json;
use testbed::ProcessCounters;

use super::paced::{Kept, Paced, sleep_until};
use super::verbs::graph;
use super::{Bench, Options};
use crate::daemon::{Place, Subject, Sync, create_ring, first_cycle};
use crate::figures::percentile;
use crate::pipe::Pipe;
use crate::report::{Report, Row};
use crate::served::Daemon;
use crate::workload::{Workload, cycle_seconds};

/// Cycles before the measurement, so that groups are flushed regularly.
const WARM_CYCLES: u64 = 20;
/// The number of pipe modes that draw.
const DRAWING: u64 = 2;

/// The results of the readers.
#[derive(Clone, Debug, Default, Serialize)]
struct Read {
    export_seconds: Vec<f64>,
    graphs: usize,
    seconds: f64,
    /// The time from a graph's due time to its reply: median, 99%, the longest.
    graph_ms: [f64; 3],
}

pub(super) fn measure(bench: &Bench<'_>, report: &mut Report) -> Result<(), String> {
    let options = bench.options;
    let place = Place::make(bench.inside, "busy")?;
    create_ring(&place, &Workload::mrtg(options.rrds))?;
    let server = Subject::Ring(Sync::Always).start(&place, None)?;
    bench.send_history(&place, options.rrds, WARM_CYCLES)?;
    let paced = |first_cycle| Paced {
        socket: place.socket(),
        rrds: options.rrds,
        first_cycle,
        cycles: options.cycles,
        cycle_seconds: options.cycle_seconds,
        lines: options.batch_lines,
    };
    let first = first_cycle() + WARM_CYCLES;
    let (quiet, quiet_used) = watched(&server, || paced(first).send())?;
    let ((busy, read), busy_used) = watched(&server, || {
        beside_readers(bench, &place, first, || paced(first + options.cycles).send())
    })?;
    tell(options, report, (&quiet, quiet_used), (&busy, busy_used), &read);
    report.raw("busy", json!({ "quiet": quiet, "busy": busy, "read": read }));
    let _ = std::fs::remove_dir_all(&place.beside); // the space is needed
    Ok(())
}

fn tell(
    options: &Options,
    report: &mut Report,
    (quiet, quiet_used): (&Kept, ProcessCounters),
    (busy, busy_used): (&Kept, ProcessCounters),
    read: &Read,
) {
    let cost = |who, kept: &Kept, used: ProcessCounters| {
        let [median, most, longest] = kept.batch_ms;
        format!(
            "{who}: a BATCH of {} acknowledged {median:.1} ms after it was due, {most:.1} ms at 99%, \
             {longest:.0} ms at most; the server used {:.1} s of processor time a cycle",
            options.batch_lines,
            (used.user_seconds + used.system_seconds) / options.cycles as f64,
        )
    };
    let what = format!("a cycle of {} updates, longest under load", ::figures::count(options.rrds));
    let row = Row::new(what, "s", busy.longest_seconds()).at_most(options.cycle_seconds);
    let row = row.beside([("in quiet", quiet.longest_seconds())]);
    report.row(row.note(cost("quiet", quiet, quiet_used)).note(cost("load", busy, busy_used)));
    resources(report, quiet_used, busy_used);
    let rate = read.graphs as f64 / read.seconds;
    let [median, most, longest] = read.graph_ms;
    let row = Row::new("graphs meanwhile (PNG of a day, 2 sources)", "/s", rate);
    report.row(row.at_least(0.99 * options.graphs_a_second as f64).note(format!(
        "drawn {median:.1} ms after it was due, {most:.1} ms at 99%, {longest:.0} ms at most"
    )));
    let what = format!("export of {} meanwhile, longest", ::figures::count(options.exported_rrds));
    let longest = read.export_seconds.iter().copied().fold(0.0, f64::max);
    report.row(Row::new(what, "s", longest).at_most(options.cycle_seconds));
}

/// Adds what the server had of memory in the end, and what it read from disk.
fn resources(report: &mut Report, quiet: ProcessCounters, busy: ProcessCounters) {
    let megabytes = |bytes: u64| bytes as f64 / 1e6;
    let row =
        Row::new("memory of the server, without file pages", "MB", megabytes(busy.anonymous_bytes));
    report.row(row.beside([("in quiet", megabytes(quiet.anonymous_bytes))]));
    let pages = |used: ProcessCounters| used.major_faults as f64 + used.read_bytes as f64 / 4096.0;
    let row = Row::new("pages that it read meanwhile, readers served", "", pages(busy)).exact();
    report.row(row.beside([("in quiet", pages(quiet))]));
    let row = Row::new("bytes that it wrote", "MB", megabytes(busy.written_bytes));
    report.row(row.beside([("in quiet", megabytes(quiet.written_bytes))]));
}

/// Measures the server's use of resources meanwhile.
fn watched<T>(
    server: &Daemon,
    work: impl FnOnce() -> Result<T, String>,
) -> Result<(T, ProcessCounters), String> {
    let before = server.counters()?;
    let done = work()?;
    Ok((done, server.counters()? - before))
}

/// Runs `work` while other processes export and draw.
fn beside_readers<T>(
    bench: &Bench<'_>,
    place: &Place,
    end_cycle: u64,
    work: impl FnOnce() -> Result<T, String>,
) -> Result<(T, Read), String> {
    let is_over = AtomicBool::new(false);
    let begun = Instant::now();
    std::thread::scope(|scope| {
        let is_over = &is_over;
        let exporting = scope.spawn(move || export(bench, place, is_over));
        let drawing: Vec<_> = (0..DRAWING)
            .map(|nth| scope.spawn(move || draw(bench, place, (nth, end_cycle), is_over)))
            .collect();
        let done = work();
        let seconds = begun.elapsed().as_secs_f64();
        is_over.store(true, Ordering::Relaxed);
        let drawn = drawing.into_iter().map(|it| it.join().expect("drawing does not panic"));
        let graph_ms = drawn.collect::<Result<Vec<_>, String>>()?.concat();
        let export_seconds = exporting.join().expect("exporting does not panic")?;
        let read = Read {
            export_seconds,
            graphs: graph_ms.len(),
            seconds,
            graph_ms: [50, 99, 100].map(|percent| percentile(&graph_ms, percent)),
        };
        Ok((done?, read))
    })
}

/// Runs an export at the start of each cycle; returns their durations.
fn export(bench: &Bench<'_>, place: &Place, is_over: &AtomicBool) -> Result<Vec<f64>, String> {
    let options = bench.options;
    let workload = Workload::mrtg(options.rrds);
    let names: Vec<String> =
        (0..options.exported_rrds.min(options.rrds)).map(|rrd| workload.name(rrd)).collect();
    let begun = Instant::now();
    let mut all = Vec::new();
    while !is_over.load(Ordering::Relaxed) && (all.len() as u64) < options.cycles {
        sleep_until(begun + Duration::from_secs_f64(options.cycle_seconds * all.len() as f64));
        let one = Instant::now();
        let mut command = Command::new(&bench.gyre);
        command.arg("export").arg(&place.base).args(&names).arg(bench.inside.join("exported"));
        let output = command.stdin(Stdio::null()).output().map_err(|error| error.to_string())?;
        if !output.status.success() {
            return Err(format!("export: {}", String::from_utf8_lossy(&output.stderr)));
        }
        all.push(one.elapsed().as_secs_f64());
    }
    Ok(all)
}

/// Draws graphs of random databases at their due times; returns the milliseconds from each due time
/// to the reply.
fn draw(
    bench: &Bench<'_>,
    place: &Place,
    (nth, end_cycle): (u64, u64),
    is_over: &AtomicBool,
) -> Result<Vec<f64>, String> {
    let options = bench.options;
    let workload = Workload::mrtg(options.rrds);
    let picture = bench.inside.join(format!("picture-{nth}"));
    let mut pipe = Pipe::start(&bench.gyre, bench.inside)?;
    let begun = Instant::now();
    let mut all = Vec::new();
    while !is_over.load(Ordering::Relaxed) {
        let turn = all.len() as u64 * DRAWING + nth;
        let due = begun + Duration::from_secs_f64(turn as f64 / options.graphs_a_second as f64);
        sleep_until(due);
        let rrd = place.base.join(workload.name(chance::first(turn) % options.rrds));
        let line = one_graph(&picture, &rrd, end_cycle);
        pipe.ask(line.as_bytes(), 1)?;
        all.push(due.elapsed().as_secs_f64() * 1e3);
    }
    Ok(all)
}

fn one_graph(picture: &Path, rrd: &Path, end_cycle: u64) -> String {
    graph("PNG", picture, &rrd.display().to_string(), cycle_seconds(end_cycle))
}
