//! A trial: a world is made, has some faults, and is compared completely.

mod begin;
mod daemon_life;
mod pipe_life;
mod verb_life;
mod absent_life;
mod fault_life;
mod rot_life;
mod strike;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicI64;

use disk::Random;

use crate::Checked;
use crate::judge;
use crate::kind::Kind;
use crate::ledger::{Entry, entries};
use crate::power::PowerDisk;
use crate::report::Counts;
use crate::shadow::Shadow;
use crate::site::Site;
use crate::world::{Kept, World};

/// The most faults of a trial before it is compared completely.
const LIVES_MAX: u64 = 24;

/// The size of the disk whose power is cut. It is in memory, which is used only as far as the disk
/// is written.
const DISK_BYTES: u64 = 1 << 30;

/// The programs that take part.
pub(crate) struct Programs {
    pub(crate) gyre: PathBuf,
    pub(crate) rrdtool: PathBuf,
}

/// The state of a trial.
pub(crate) struct Trial<'a> {
    pub(crate) site: &'a Site,
    pub(crate) world: World,
    pub(crate) shadow: Shadow,
    pub(crate) entries: Vec<Entry>,
    pub(crate) cycle: AtomicI64,
    pub(crate) random: Random,
    pub(crate) counts: Counts,
    /// The simulated disk with gyre's files, if there is one.
    pub(crate) power: Option<PowerDisk>,
}

/// Runs the trial of a seed below a directory; the counts are valid even if it ends with a
/// difference.
pub(crate) fn run(
    programs: &Programs,
    room: &Path,
    kind: Kind,
    kept: Kept,
    seed: u64,
) -> (Counts, Checked<()>) {
    let mut random = Random::new(seed);
    let world = World::new(kind == Kind::Cuts, kind == Kind::Faults, &mut random);
    let made = || {
        let power = match kind {
            Kind::Kills | Kind::Rot => None,
            Kind::Cuts | Kind::Faults => Some(PowerDisk::new(room, DISK_BYTES)?),
        };
        let data = power.as_ref().map_or_else(|| room.to_owned(), PowerDisk::path);
        let site = Site::new(&programs.gyre, room, &data.join("data"), kept)?;
        let shadow = Shadow::new(&programs.rrdtool, room.join("shadow"), world.members.len())?;
        Ok((site, shadow, power))
    };
    let (site, shadow, power) = match made() {
        Ok(made) => made,
        Err(reason) => return (Counts::default(), Err(reason)),
    };
    let (entries, cycle, counts) = (entries(&world, kept), AtomicI64::new(0), Counts::default());
    let mut trial = Trial { site: &site, world, shadow, entries, cycle, random, counts, power };
    let outcome = trial.run(kind);
    if outcome.is_err() {
        trial.keep_evidence();
    }
    (trial.counts, outcome)
}

impl Trial<'_> {
    fn run(&mut self, kind: Kind) -> Checked<()> {
        self.begin()?;
        for _ in 0..4 + self.random.below(LIVES_MAX) {
            match kind {
                Kind::Kills | Kind::Cuts => self.life()?,
                Kind::Faults => self.fault_life()?,
                Kind::Rot => self.rot_life()?,
            }
            self.site.check_log()?;
        }
        let Self { site, world, shadow, entries, .. } = self;
        judge::compare_all(site, world, shadow, entries)
    }

    fn life(&mut self) -> Checked<()> {
        match (self.site.kept, self.random.below(6)) {
            (Kept::Ring, 0) => self.pipe_life(),
            (Kept::Ring, 1) => self.verb_life(),
            (Kept::Files, 0) if !self.world.is_cut => self.absent_life(),
            _ => self.daemon_life(),
        }
    }

    /// Copies gyre's files from its disk to the trial's directory, and writes down the requested
    /// changes.
    fn keep_evidence(&self) {
        if self.power.is_some() {
            let mut command = std::process::Command::new("cp");
            command.args(["-a", "--sparse=always"]).arg(&self.site.data).arg(&self.site.room);
            // The difference is reported in any case.
            let _ = command.status();
        }
        let mut text = format!("{:#?}\n", self.world);
        for entry in &self.entries {
            let (nth, count) = (entry.nth, entry.acknowledged);
            text += &format!("\n{} ({nth}), {count} acknowledged:\n", entry.name());
            for change in &entry.history {
                text += &format!("    {change:?}\n");
            }
        }
        let _ = std::fs::write(self.site.room.join("history"), text);
    }
}
