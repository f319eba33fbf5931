//! The databases before the first fault.

use std::fs;

use super::Trial;
use crate::Checked;
use crate::ledger::Change;
use crate::world::{Born, Habit, Kept, START_SECONDS};

impl Trial<'_> {
    /// Makes the store, and the databases that rrdtool makes.
    pub(super) fn begin(&mut self) -> Checked<()> {
        if self.site.kept == Kept::Ring {
            self.site.make_ring(&self.world)?;
        }
        let Self { entries, world, random, .. } = self;
        for entry in entries.iter_mut().filter(|entry| entry.member.born == Born::AsFile) {
            let layout = &world.layouts[entry.member.layout];
            let start_seconds = START_SECONDS - 1000 * layout.step_seconds;
            let words = layout.words(start_seconds);
            entry.history.push(Change::Create { words, start_seconds });
            if entry.member.habit != Habit::Absent && random.below(2) == 0 {
                // The rings have wrapped already.
                let (mut values, mut seconds) = (Vec::new(), start_seconds);
                for _ in 0..random.below(60) {
                    seconds += 1 + random.below(layout.step_seconds as u64 * 2) as i64;
                    values.push(entry.readings.sample(seconds, layout, random));
                }
                if !values.is_empty() {
                    entry.history.push(Change::Update { values, last_seconds: seconds });
                }
            }
        }
        for nth in 0..self.entries.len() {
            if self.entries[nth].exists() {
                self.hand_over(nth)?;
            }
        }
        match self.site.kept {
            Kept::Ring => self.import_all(),
            // A file that another program made is only as durable as that program made it, so sync
            // it here.
            Kept::Files => testbed::sync_file_system(&self.site.data),
        }
    }

    /// Copies rrdtool's file to the place where gyre finds it.
    fn hand_over(&mut self, nth: usize) -> Checked<()> {
        let entry = &mut self.entries[nth];
        self.shadow.reach(entry, entry.history.len())?;
        entry.acknowledge();
        let to = match self.site.kept {
            Kept::Files => self.site.path(entry.name()),
            Kept::Ring => self.site.room.join("import").join(entry.name()),
        };
        fs::create_dir_all(to.parent().expect("it lies in a directory"))
            .and_then(|()| fs::copy(self.shadow.path(entry), &to))
            .map(drop)
            .map_err(|error| format!("{}: {error}", to.display()))
    }

    /// Imports the files; the import is sometimes killed, and repeated until it completes.
    fn import_all(&mut self) -> Checked<()> {
        let from = self.site.room.join("import");
        if !from.exists() {
            return Ok(());
        }
        let import = || {
            let mut command = self.site.gyre();
            command.arg("import").arg(self.site.ring()).arg(&from);
            command
        };
        while !self.world.is_failing && self.random.below(2) == 0 {
            let killed_after = self.random.below(60_000);
            self.struck(import(), killed_after)?;
        }
        self.site.succeed(import())
    }
}
