//! rrdcached with its journal: updates in batches over its socket, write-back, memory, restart.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use testbed::Cgroup;

use super::{PeerBench, PeerFigures};
use crate::figures::pages;
use crate::served::Daemon;

/// Updates of a file that it collects before it writes them: half an hour (`-w 1800`).
const CYCLES: u64 = 6;
const BATCH_UPDATES: usize = 1000;

/// Starts it and waits until it answers.
fn start(bench: &PeerBench<'_>, program: &Path, group: Option<&Cgroup>) -> Result<Daemon, String> {
    let base = &bench.files.directory;
    let beside = |name: &str| base.with_file_name(name);
    std::fs::create_dir_all(beside("journal")).map_err(|error| error.to_string())?;
    let mut command = match group {
        Some(group) => group.command(program),
        None => Command::new(program),
    };
    let socket = beside("rrdcached.sock");
    // A daemon that was killed leaves its process id file behind.
    let _ = std::fs::remove_file(beside("rrdcached.pid"));
    command.args(["-g", "-t", "2", "-w", "1800", "-z", "1800", "-f", "7200", "-l"]);
    command.arg(format!("unix:{}", socket.display()));
    command.arg("-b").arg(base).arg("-j").arg(beside("journal"));
    command.arg("-p").arg(beside("rrdcached.pid"));
    Daemon::start(command, &socket)
}

/// One cycle with a connection for each thread; returns the seconds.
fn cycle(daemon: &Daemon, bench: &PeerBench<'_>) -> Result<f64, String> {
    let texts = bench.files.updates("UPDATE ");
    let begun = Instant::now();
    std::thread::scope(|scope| {
        let sending: Vec<_> = texts.iter().map(|text| scope.spawn(|| send(daemon, text))).collect();
        sending.into_iter().try_for_each(|it| it.join().expect("sending does not panic"))
    })?;
    Ok(begun.elapsed().as_secs_f64())
}

/// Sends lines in batches.
fn send(daemon: &Daemon, text: &str) -> Result<(), String> {
    let mut connection = daemon.connect()?;
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    lines.chunks(BATCH_UPDATES).try_for_each(|batch| connection.batch(batch.concat().as_bytes()))
}

/// Measures it.
pub(crate) fn measure(
    bench: &PeerBench<'_>,
    program: &Path,
    notes: &mut Vec<String>,
) -> Result<PeerFigures, String> {
    let mut figures = PeerFigures::default();
    let rrds = bench.options.peer_rrds as f64;
    resident(bench, program, &mut figures, notes)?;
    figures.restart_seconds = Some(restart(bench, program, notes)? / rrds);
    match Cgroup::new("rrdcached", bench.memory_bytes_max) {
        Ok(group) => limited(bench, program, &group, &mut figures)?,
        Err(message) => notes.push(format!("rrdcached: no limit of memory: {message}")),
    }
    Ok(figures)
}

/// Half an hour of cycles and their write-back, with resident files.
fn resident(
    bench: &PeerBench<'_>,
    program: &Path,
    figures: &mut PeerFigures,
    notes: &mut Vec<String>,
) -> Result<(), String> {
    let updates = bench.options.peer_rrds * CYCLES;
    let daemon = start(bench, program, None)?;
    let empty = daemon.counters()?;
    cycle(&daemon, bench)?; // its first look at each file
    daemon.flush(bench.options.peer_rrds)?;
    let before = bench.device.synced_counters()?;
    let mut accept_seconds = 0.0;
    for _ in 0..CYCLES {
        accept_seconds += cycle(&daemon, bench)?;
    }
    let full = daemon.counters()?;
    let flush_seconds = daemon.flush(updates + bench.options.peer_rrds)?;
    let written = bench.device.synced_counters()? - before;
    let updates = updates as f64;
    notes.push(format!(
        "rrdcached: {:.2} us to accept an update (journal written, not synced), {:.2} us for its \
         share of the write-back after {CYCLES} cycles; both count",
        accept_seconds / updates * 1e6,
        flush_seconds / updates * 1e6
    ));
    let held_bytes = full.resident_bytes as f64 - empty.resident_bytes as f64;
    figures.update_seconds = Some((accept_seconds + flush_seconds) / updates);
    figures.written_bytes_per_update = Some(written.written_bytes as f64 / updates);
    figures.memory_bytes_per_rrd = Some(held_bytes / bench.options.peer_rrds as f64);
    Ok(())
}

/// Seconds from the start after `kill -9` until a fetch and an update have succeeded.
fn restart(bench: &PeerBench<'_>, program: &Path, notes: &mut Vec<String>) -> Result<f64, String> {
    let daemon = start(bench, program, None)?;
    for _ in 0..CYCLES {
        cycle(&daemon, bench)?;
    }
    drop(daemon); // kills it
    bench.options.caches.drop(&bench.files.directory)?;
    let begun = Instant::now();
    let daemon = start(bench, program, None)?;
    let mut connection = daemon.connect()?;
    let rrd = bench.options.peer_rrds - 1;
    connection.ask(&format!("FETCH {} AVERAGE", bench.files.workload.name(rrd)))?;
    connection.ask(&bench.files.update("UPDATE ", rrd))?;
    let seconds = begun.elapsed().as_secs_f64();
    notes.push(format!(
        "rrdcached: {seconds:.2} s to replay {} updates of {} RRDs",
        bench.options.peer_rrds * CYCLES,
        bench.options.peer_rrds
    ));
    Ok(seconds)
}

/// The same cycles and write-back within its share of the limit of memory.
fn limited(
    bench: &PeerBench<'_>,
    program: &Path,
    group: &Cgroup,
    figures: &mut PeerFigures,
) -> Result<(), String> {
    bench.options.caches.drop(&bench.files.directory)?;
    let daemon = start(bench, program, Some(group))?;
    cycle(&daemon, bench)?; // its first look at each file
    let before = daemon.counters()?;
    let mut seconds = 0.0;
    for _ in 0..CYCLES {
        seconds += cycle(&daemon, bench)?;
    }
    seconds += daemon.flush(bench.options.peer_rrds * (CYCLES + 1))?;
    let read_bytes = (daemon.counters()? - before).read_bytes;
    let updates = (bench.options.peer_rrds * CYCLES) as f64;
    figures.limited_update_seconds = Some(seconds / updates);
    figures.limited_pages_per_update = Some(pages(read_bytes) / updates);
    Ok(())
}
