//! Programs that update the files themselves: rrdtool's pipe mode, and librrd called from Perl.

use std::path::{Path, PathBuf};
use std::process::Command;

use testbed::{Cgroup, ProcessCounters};

use super::{PeerBench, PeerFigures};
use crate::feed::{Answers, feed};
use crate::figures::{median, pages};

/// Calls librrd for each line, and prints the number of successful calls at the end.
const PERL: &str = "use RRDs; my $taken = 0; \
    while (<STDIN>) { chomp; my ($file, $update) = split / /; RRDs::update($file, $update); \
    RRDs::error ? warn RRDs::error : $taken++; } print $taken;";

/// Measured cycles.
const ROUNDS: usize = 3;

/// A program that updates files.
#[derive(Debug)]
pub(crate) struct Updater {
    name: &'static str,
    program: PathBuf,
    arguments: Vec<String>,
    /// The text before the name in its lines.
    before: &'static str,
    answers: Answers,
}

/// rrdtool's pipe mode.
pub(crate) fn pipe(rrdtool: &Path) -> Updater {
    Updater {
        name: "rrdtool",
        program: rrdtool.into(),
        arguments: vec!["-".into()],
        before: "update ",
        answers: Answers::Pipe,
    }
}

/// librrd, called from a loop in Perl: there is no reply text, and rrdtool parses no line.
pub(crate) fn perl(perl: &Path) -> Updater {
    Updater {
        name: "librrd",
        program: perl.into(),
        arguments: vec!["-e".into(), PERL.into()],
        before: "",
        answers: Answers::Sum,
    }
}

/// Whether this Perl has librrd's module.
pub(crate) fn has_rrds(perl: &Path) -> bool {
    let tried = Command::new(perl).args(["-MRRDs", "-e", "1"]).output();
    tried.is_ok_and(|output| output.status.success())
}

impl Updater {
    /// One cycle for all files; returns the seconds.
    fn cycle(&self, bench: &PeerBench<'_>, group: Option<&Cgroup>) -> Result<f64, String> {
        let texts = bench.files.updates(self.before);
        let programs = texts.iter().map(|text| {
            let mut command = match group {
                Some(group) => group.command(&self.program),
                None => Command::new(&self.program),
            };
            command.args(&self.arguments).current_dir(&bench.files.directory);
            (command, text.as_str())
        });
        feed(programs.collect(), self.answers)
    }
}

/// Measures one program: first with all files resident, then within its share of the limit of
/// memory.
pub(crate) fn measure(
    bench: &PeerBench<'_>,
    updater: &Updater,
    notes: &mut Vec<String>,
) -> Result<PeerFigures, String> {
    let rrds = bench.options.peer_rrds as f64;
    updater.cycle(bench, None)?; // makes them resident
    let before = bench.device.synced_counters()?;
    let (mut seconds, mut after) = (Vec::new(), before);
    for _ in 0..ROUNDS {
        seconds.push(updater.cycle(bench, None)? / rrds);
        // Between two cycles of five minutes the kernel writes dirty pages back.
        after = bench.device.synced_counters()?;
    }
    let mut figures = PeerFigures {
        update_seconds: Some(median(&seconds)),
        written_bytes_per_update: Some(
            (after - before).written_bytes as f64 / (rrds * ROUNDS as f64),
        ),
        ..PeerFigures::default()
    };
    match Cgroup::new(updater.name, bench.memory_bytes_max) {
        Ok(group) => limited(bench, updater, &group, &mut figures)?,
        Err(message) => notes.push(format!("{}: no limit of memory: {message}", updater.name)),
    }
    Ok(figures)
}

fn limited(
    bench: &PeerBench<'_>,
    updater: &Updater,
    group: &Cgroup,
    figures: &mut PeerFigures,
) -> Result<(), String> {
    let rrds = bench.options.peer_rrds as f64;
    bench.options.caches.drop(&bench.files.directory)?;
    updater.cycle(bench, Some(group))?; // fills its memory
    let before = ProcessCounters::own()?;
    let mut seconds = Vec::new();
    for _ in 0..ROUNDS {
        seconds.push(updater.cycle(bench, Some(group))? / rrds);
    }
    let read_bytes = (ProcessCounters::own()? - before).read_bytes;
    figures.limited_update_seconds = Some(median(&seconds));
    figures.limited_pages_per_update = Some(pages(read_bytes) / (rrds * ROUNDS as f64));
    Ok(())
}
