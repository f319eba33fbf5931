//! `kill -9` with updates in progress, dropped caches, and the time until everything is served
//! again.

use std::time::Instant;

use super::super::pattern::Pattern;
use super::super::process::WorkerProcess;
use super::super::protocol::{Command, Reply};
use super::{Bench, Day};
use crate::report::{Report, Row};
use crate::workload::THREADS;

/// Kills the worker of a store after some cycles; starts a new one in its place.
pub(crate) fn restart(bench: &Bench<'_>, day: &mut Day, report: &mut Report) -> Result<(), String> {
    let cycle = day.next_cycle;
    let acknowledged = kill_in_flight(day, cycle)?;
    bench.options.caches.drop(&day.spec.directory)?;

    let begun = Instant::now();
    day.worker = WorkerProcess::start(&day.spec, None)?;
    let open_seconds = begun.elapsed().as_secs_f64();
    let last_rrd = day.spec.rrds - 1;
    day.worker.fetch(&[last_rrd], cycle)?;
    day.worker.done(&Command::Update { rrd: last_rrd, cycle: cycle + 1 })?;
    let seconds = begun.elapsed().as_secs_f64();
    day.worker.done(&Command::Replay)?;
    let replayed_seconds = begun.elapsed().as_secs_f64();
    let read_bytes = day.worker.counters()?.read_bytes;

    let checked = check_acknowledged(day, cycle, &acknowledged)?;
    // The interrupted cycle and the update after it are not repeated.
    day.next_cycle = cycle + 2;
    let million = day.spec.rrds as f64 / 1e6;
    let rrds = ::figures::count(day.spec.rrds);
    let what = format!("kill -9 to first answer and acknowledgement, {rrds} RRDs");
    report.row(
        Row::new(what, "s", seconds)
            .at_most(0.5)
            .beside(bench.peers.figures(|peer| Some(peer.restart_seconds? * day.spec.rrds as f64)))
            .note(format!(
                "open {open_seconds:.2} s, {:.0} MB read; {checked} acknowledged updates looked \
                 for and found",
                read_bytes as f64 / 1e6
            )),
    );
    let what = format!("kill -9 to replay done, {rrds} RRDs");
    report.row(Row::new(what, "s", replayed_seconds).at_most(4.0 * million.max(0.1)));
    Ok(())
}

/// Kills the worker in the middle of a cycle; returns how many RRDs of each thread's share were
/// acknowledged.
fn kill_in_flight(day: &mut Day, cycle: u64) -> Result<Vec<u64>, String> {
    let command = Command::Cycle { cycle, pattern: Pattern::InStep, announce: true };
    day.worker.tell(&command)?;
    let mut acknowledged = vec![0; THREADS as usize];
    let mut take = |reply: Reply| match reply {
        Reply::Acknowledged { thread, rrds } => {
            acknowledged[thread as usize] = rrds;
            Ok(acknowledged.iter().sum::<u64>())
        }
        // The store is so small that its last batch is done.
        Reply::Cycle(_) => Ok(u64::MAX),
        other => Err(format!("the cycle to be cut off: answered by {other:?}")),
    };
    while take(day.worker.hear()?.ok_or("the worker ended too early")?)? < day.spec.rrds / 2 {}
    for reply in day.worker.kill()? {
        take(reply)?;
    }
    Ok(acknowledged)
}

/// Checks that the last acknowledged updates exist; returns how many were checked.
fn check_acknowledged(day: &mut Day, cycle: u64, acknowledged: &[u64]) -> Result<usize, String> {
    const LOOKED_AT: usize = 2000;
    let workload = day.spec.workload();
    let mut rrds = Vec::new();
    for (thread, count) in acknowledged.iter().enumerate() {
        let count = *count as usize;
        let shares = workload.deliveries(thread as u64).take(count);
        rrds.extend(shares.skip(count.saturating_sub(LOOKED_AT)));
    }
    let times = day.worker.last_updates(rrds.clone())?;
    let lost = rrds
        .iter()
        .zip(&times)
        .find(|(rrd, seconds)| **seconds < workload.time(**rrd, cycle).seconds);
    match lost {
        None => Ok(rrds.len()),
        Some((rrd, seconds)) => Err(format!(
            "an acknowledged update of {} is lost: its last is of {seconds}",
            workload.name(*rrd)
        )),
    }
}
