//! Debian's mrtg over the same targets.

use std::path::Path;
use std::process::{Command, Stdio};
use std::{fs, io};

use serde_json::json;
use testbed::ProcessCounters;

use super::Bench;
use super::agents::Agents;
use super::run::AtWork;
use super::subject::Collector;
use crate::report::{Report, Row};

/// Rounds of each program; the first one makes the files.
const ROUNDS: u32 = 3;

/// Both poll the same targets into .rrd files.
pub(super) fn measure(bench: &Bench<'_>, report: &mut Report) -> Result<(), String> {
    let mrtg = oracle::program("mrtg", "MRTG's processor time beside gyre's")
        .ok_or("mrtg is not installed")?;
    let ports = bench.options.ports;
    let devices = (bench.options.mrtg_targets as u32).div_ceil(ports).max(1);
    let mut wanted = bench.wanted("mrtg", devices)?;
    wanted.interval_seconds = wanted.interval_seconds.max(60);
    let agents = Agents::start(&wanted)?;
    let theirs = rounds(&mut || {
        let mut command = Command::new(&mrtg);
        command.arg(&wanted.configuration).env("LANG", "C");
        command
    })?;
    let ours = rounds(&mut || {
        let mut command = Command::new(&bench.gyre);
        command.args(["run", "--once", "--rrd-files", "--no-web"]).arg(&wanted.configuration);
        command
    })?;
    remove_databases(Path::new(&wanted.work_directory)).map_err(|error| error.to_string())?;
    let collector = Collector::start(&bench.gyre, &wanted.configuration)?;
    let at_work = AtWork { first: collector.next_cycle()?, agents, collector };
    let going_on = at_work.measure(u64::from(ROUNDS))?.a_cycle_seconds();
    let targets = at_work.agents.targets;
    report.row(
        Row::new(format!("{targets} targets, polled once into .rrd files"), "s", ours)
            .beside([("mrtg", theirs)])
            .note("processor time of a process for each round, which reads the configuration, too"),
    );
    report.row(
        Row::new("a cycle of gyre run as it is by itself: into a ring store", "s", going_on)
            .beside([("mrtg", theirs)])
            .times(50.0),
    );
    report.raw(
        "mrtg",
        json!({ "mrtg_seconds": theirs, "once_seconds": ours, "cycle_seconds": going_on }),
    );
    Ok(())
}

/// Removes the directories of the devices: where `.rrd` files are, gyre goes on with them.
fn remove_databases(directory: &Path) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}

/// The processor time of a round, once the files are there.
fn rounds(command: &mut dyn FnMut() -> Command) -> Result<f64, String> {
    once(command())?;
    let before = children_seconds()?;
    for _ in 0..ROUNDS {
        once(command())?;
    }
    Ok((children_seconds()? - before) / f64::from(ROUNDS))
}

fn once(mut command: Command) -> Result<(), String> {
    let program = Path::new(command.get_program()).display().to_string();
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    match command.status().map_err(|error| format!("{program}: {error}"))? {
        ended if ended.success() => Ok(()),
        ended => Err(format!("{program} ended with {ended}")),
    }
}

/// The processor time of this process' children that have ended.
fn children_seconds() -> Result<f64, String> {
    Ok(ProcessCounters::own()?.children_seconds)
}
