//! The counts of a run, and how they are reported.

use std::path::Path;
use std::time::Duration;

use serde::Serialize;

use crate::Checked;
use crate::kind::Kind;
use crate::world::Kept;

/// The counts of one trial, or of many.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(crate) struct Counts {
    pub(crate) trials: u64,
    /// Processes that were killed.
    pub(crate) kills: u64,
    /// Power cuts of the disk.
    pub(crate) cuts: u64,
    /// How often the disk was full or failed.
    pub(crate) faults: u64,
    /// Damages to copies of files.
    pub(crate) damages: u64,
    /// Samples that were acknowledged.
    pub(crate) samples: u64,
    pub(crate) differences: u64,
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, more: Self) {
        self.trials += more.trials;
        self.kills += more.kills;
        self.cuts += more.cuts;
        self.faults += more.faults;
        self.damages += more.damages;
        self.samples += more.samples;
        self.differences += more.differences;
    }
}

/// The counts for one kind of fault and one kind of store.
#[derive(Serialize)]
struct Line {
    kind: Kind,
    store: Kept,
    #[serde(flatten)]
    counts: Counts,
}

/// A run so far.
#[derive(Default, Serialize)]
pub(crate) struct Report {
    lines: Vec<Line>,
    differences: Vec<String>,
    #[serde(skip)]
    told_at: Duration,
}

/// The interval between progress reports.
const TELL_EVERY: Duration = Duration::from_secs(10);

impl Report {
    pub(crate) fn add(&mut self, kind: Kind, store: Kept, mut counts: Counts) {
        counts.trials += 1;
        let line = self.lines.iter_mut().find(|line| line.kind == kind && line.store == store);
        match line {
            Some(line) => line.counts += counts,
            None => self.lines.push(Line { kind, store, counts }),
        }
    }

    /// Reports a difference, and how to reproduce it.
    pub(crate) fn difference(
        &mut self,
        kind: Kind,
        store: Kept,
        seed: u64,
        what: &str,
        evidence: &Path,
    ) {
        self.add(kind, store, Counts { differences: 1, ..Counts::default() });
        let line = self.lines.iter_mut().find(|line| line.kind == kind && line.store == store);
        line.expect("it was added").counts.trials -= 1;
        let word = word(store);
        let again = format!(
            "cargo xtask torment --kind {} --store {word} --seed {seed} --cases 1",
            kind.name()
        );
        eprintln!("DIFFERENCE, {} of {word}, seed {seed}: {what}", kind.name());
        eprintln!("    evidence: {}\n    again: {again}", evidence.display());
        self.differences.push(format!("{} of {word}, seed {seed}: {what}", kind.name()));
    }

    pub(crate) fn progress(&mut self, elapsed: Duration) {
        if elapsed >= self.told_at + TELL_EVERY {
            self.told_at = elapsed;
            let mut all = Counts::default();
            self.lines.iter().for_each(|line| all += line.counts);
            eprintln!(
                "{:5} s: {} trials, {} kills, {} cuts, {} faults, {} damages, {} samples, {} differences",
                elapsed.as_secs(),
                all.trials,
                all.kills,
                all.cuts,
                all.faults,
                all.damages,
                all.samples,
                all.differences
            );
        }
    }

    /// Prints the counts; returns the number of differences.
    pub(crate) fn end(&self, json: bool) -> Checked<u64> {
        if json {
            println!("{}", serde_json::to_string(self).map_err(|error| error.to_string())?);
        } else {
            println!(
                "kind    store  trials   kills    cuts  faults damages     samples  differences"
            );
            for Line { kind, store, counts } in &self.lines {
                let Counts { trials, kills, cuts, faults, damages, samples, differences } = counts;
                let (kind, store) = (kind.name(), word(*store));
                println!(
                    "{kind:7} {store:5} {trials:7} {kills:7} {cuts:7} {faults:7} {damages:7} {samples:11} {differences:12}"
                );
            }
        }
        Ok(self.lines.iter().map(|line| line.counts.differences).sum())
    }
}

fn word(store: Kept) -> &'static str {
    match store {
        Kept::Files => "files",
        Kept::Ring => "ring",
    }
}
