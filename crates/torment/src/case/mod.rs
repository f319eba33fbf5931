//! One trial: a world is made, lives through some faults, and is compared whole.

mod begin;
mod daemon_life;
mod pipe_life;
mod verb_life;
mod strike;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicI64;

use disk::Random;

use crate::Checked;
use crate::judge;
use crate::ledger::{Entry, entries};
use crate::report::Counts;
use crate::shadow::Shadow;
use crate::site::Site;
use crate::world::{Kept, World};

/// Faults of a trial before it is compared whole.
const LIVES_MAX: u64 = 12;

/// Which faults a trial has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    Kills,
}

impl Kind {
    pub(crate) const ALL: [Self; 1] = [Self::Kills];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Kills => "kills",
        }
    }
}

/// The programs that take part.
pub(crate) struct Programs {
    pub(crate) gyre: PathBuf,
    pub(crate) rrdtool: PathBuf,
}

/// A world as it stands.
pub(crate) struct Trial<'a> {
    pub(crate) site: &'a Site,
    pub(crate) world: World,
    pub(crate) shadow: Shadow,
    pub(crate) entries: Vec<Entry>,
    pub(crate) cycle: AtomicI64,
    pub(crate) random: Random,
    pub(crate) counts: Counts,
}

/// Runs the trial of a seed below a directory; what happened until a difference is told in any case.
pub(crate) fn run(
    programs: &Programs,
    room: &Path,
    kind: Kind,
    kept: Kept,
    seed: u64,
) -> (Counts, Checked<()>) {
    let mut random = Random::new(seed);
    let world = World::new(false, &mut random);
    let made = Site::new(&programs.gyre, room, &room.join("data"), kept).and_then(|site| {
        let shadow = Shadow::new(&programs.rrdtool, room.join("shadow"), world.members.len())?;
        Ok((site, shadow))
    });
    let (site, shadow) = match made {
        Ok(made) => made,
        Err(reason) => return (Counts::default(), Err(reason)),
    };
    let (entries, cycle, counts) = (entries(&world), AtomicI64::new(0), Counts::default());
    let mut trial = Trial { site: &site, world, shadow, entries, cycle, random, counts };
    let outcome = trial.run(kind);
    if outcome.is_err() {
        trial.keep_history();
    }
    (trial.counts, outcome)
}

impl Trial<'_> {
    fn run(&mut self, _kind: Kind) -> Checked<()> {
        self.begin()?;
        for _ in 0..2 + self.random.below(LIVES_MAX) {
            self.life()?;
            self.site.check_log()?;
        }
        let Self { site, world, shadow, entries, .. } = self;
        judge::compare_all(site, world, shadow, entries)
    }

    fn life(&mut self) -> Checked<()> {
        match (self.site.kept, self.random.below(6)) {
            (Kept::Ring, 0) => self.pipe_life(),
            (Kept::Ring, 1) => self.verb_life(),
            _ => self.daemon_life(),
        }
    }

    /// Writes beside the evidence what was asked for.
    fn keep_history(&self) {
        let mut text = format!("{:#?}\n", self.world);
        for entry in &self.entries {
            let (nth, count) = (entry.nth, entry.acknowledged);
            text += &format!("\n{} ({nth}), {count} acknowledged:\n", entry.name());
            for change in &entry.history {
                text += &format!("    {change:?}\n");
            }
        }
        // The difference is told in any case.
        let _ = std::fs::write(self.site.room.join("history"), text);
    }
}
