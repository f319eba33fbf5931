//! kill -9 with pending updates for every file, and the start after it.

use std::time::Duration;

use serde_json::json;

use super::load::{Load, Manner};
use super::subject::{Place, Subject, Sync};
use super::{Bench, first_cycle};
use crate::report::{Report, Row};
use crate::served::{Connection, Daemon};
use crate::workload::Workload;

/// Pending updates for each file.
const CYCLES: u64 = 6;
/// The number of files in the project's table.
const TABLE_FILES: f64 = 320_000.0;
/// The seconds until the first answer, for that number of files.
const ANSWER_SECONDS: f64 = 1.0;
/// Seconds until the replay is done.
const REPLAY_SECONDS: f64 = 10.0;
/// Our counter of files that wait for their replay.
const WAITING: &str = "ReplayWaiting";
/// The longest wait for a replay.
const REPLAYED_SECONDS: u64 = 900;

/// The result of a restart.
#[derive(Clone, Copy, Debug, serde::Serialize)]
struct Restart {
    first_answer_seconds: f64,
    replayed_seconds: f64,
    /// Pending updates of the files that were checked, and how many of them were lost.
    looked_at: u64,
    lost: u64,
}

pub(super) fn measure(bench: &Bench<'_>, report: &mut Report) -> Result<(), String> {
    let place = bench.sparse_files()?;
    let theirs = bench.debian().map(|it| restart(bench, place, &it)).transpose()?;
    let ours = restart(bench, place, &Subject::Files(Sync::EverySecond))?;
    let files = bench.options.rrds;
    let scale = files as f64 / TABLE_FILES;
    let what = format!("kill -9, {} files with {CYCLES} pending", ::figures::count(files));
    let note = |who: &str, it: &Restart| {
        format!("{who}: {} of {} pending updates looked at are lost", it.lost, it.looked_at)
    };
    let mut notes = vec![note("gyre", &ours)];
    notes.extend(theirs.iter().map(|it| note("rrdcached", it)));
    let row = |part: &str, target: f64, figure: &dyn Fn(&Restart) -> f64| {
        let row = Row::new(format!("{what}: {part}"), "s", figure(&ours));
        // A program needs some time to start, even with few files.
        let row = row.at_most((target * scale).max(0.5));
        row.beside(theirs.iter().map(|it| ("rrdcached", figure(it)))).notes(&notes)
    };
    report.row(row("first answer", ANSWER_SECONDS, &|it| it.first_answer_seconds));
    report.row(row("replay done", REPLAY_SECONDS, &|it| it.replayed_seconds));
    report.raw("restart", json!({ "gyre": ours, "rrdcached": theirs }));
    Ok(())
}

fn restart(bench: &Bench<'_>, place: &Place, subject: &Subject) -> Result<Restart, String> {
    place.clear();
    let daemon = subject.start(place, None)?;
    let manner = Manner::Batches {
        cycles: CYCLES,
        lines: bench.options.batch_lines,
        connections: bench.options.connections,
    };
    let rrds = bench.options.rrds;
    Load { socket: place.socket(), rrds, first_cycle: first_cycle(), manner }.send()?;
    drop(daemon); // kills it
    bench.options.caches.drop(&place.base)?;
    let daemon = subject.start(place, None)?;
    let begun = daemon.started();
    let mut connection = daemon.connect()?;
    let workload = Workload::mrtg(rrds);
    connection.ask(&format!("LAST {}", workload.name(rrds / 2)))?;
    let first_answer_seconds = begun.elapsed().as_secs_f64();
    wait_for_replay(&daemon, &mut connection, subject)?;
    let replayed_seconds = begun.elapsed().as_secs_f64();
    let (looked_at, lost) = look(bench, &mut connection, &workload)?;
    if lost > 0 && !matches!(subject, Subject::Debian(_)) {
        return Err(format!("{lost} of {looked_at} acknowledged updates are lost"));
    }
    Ok(Restart { first_answer_seconds, replayed_seconds, looked_at, lost })
}

/// Debian's daemon answers no client before it is done.
fn wait_for_replay(
    daemon: &Daemon,
    connection: &mut Connection,
    subject: &Subject,
) -> Result<(), String> {
    if matches!(subject, Subject::Debian(_)) {
        return Ok(());
    }
    while connection.statistic(WAITING)? > 0 {
        if daemon.started().elapsed() > Duration::from_secs(REPLAYED_SECONDS) {
            return Err(format!("the replay is not done after {REPLAYED_SECONDS} s"));
        }
        // Each request interrupts the daemon's replay for a moment.
        std::thread::sleep(Duration::from_millis(100));
    }
    Ok(())
}

/// Asks for the pending updates of files. Returns how many were sent, and how many are missing.
fn look(
    bench: &Bench<'_>,
    connection: &mut Connection,
    workload: &Workload,
) -> Result<(u64, u64), String> {
    let step = (bench.options.rrds / 10_000).max(1);
    let (mut looked_at, mut found) = (0, 0);
    for rrd in (0..bench.options.rrds).step_by(step as usize) {
        let pending = connection.ask(&format!("PENDING {}", workload.name(rrd)))?;
        looked_at += CYCLES;
        found += pending.len() as u64 - 1;
    }
    Ok((looked_at, looked_at - found))
}
