//! What a configuration takes over from the one before it at a reload.

use super::super::programs::ProgramPoll;
use super::succession::{Former, Succession};
use super::{Measured, Target};

impl Measured {
    /// Takes over from the old configuration what a reload must not lose: the reports of devices
    /// whose targets still wait for other devices, and what is known of databases.
    pub(super) fn inherit(&mut self, old: &mut Self, succession: &Succession) {
        for (new, before) in succession.devices.iter().enumerate() {
            let Some(before) = before else { continue };
            let poll = old.latest[before.position].take();
            self.latest[new] = poll.map(|poll| before.rearranged(poll, new));
        }
        for (new, before) in succession.programs.iter().enumerate() {
            let poll = before.and_then(|before| old.said[before].take());
            self.said[new] = poll.map(|poll| ProgramPoll { program: new, ..poll });
        }
        for (nth, former) in succession.targets.iter().enumerate() {
            let Some(target) = self.targets.get_mut(nth) else { continue };
            let before = former.and_then(|former| old.targets.get(former.position as usize));
            let (Some(former), Some(before)) = (former, before) else {
                // The database may have readings of something else.
                target.is_broken = target.has_old_database();
                continue;
            };
            self.speeds.inherit(nth, &old.speeds, former.position as usize);
            let now = &self.configuration.targets[nth];
            let then = &old.configuration.targets[former.position as usize];
            let is_same = self.database_names.is_same(now, &old.database_names, then);
            target.take_over(before, *former, is_same);
            for (source, has_reported) in &mut target.reported {
                let source = succession.source_before(*source as usize, old.latest.len());
                let was = |source: usize| before.reported.contains(&(source as u32, true));
                *has_reported = source.is_some_and(was);
            }
        }
    }
}

impl Target {
    fn has_old_database(&self) -> bool {
        self.database.is_some_and(|database| database.last_update_seconds.is_some())
    }

    /// Takes over what is known of the database, if it is the same.
    fn take_over(&mut self, before: &Self, former: Former, is_same: bool) {
        let (Some(database), Some(known), true) = (&mut self.database, before.database, is_same)
        else {
            self.is_broken = self.has_old_database();
            return;
        };
        database.last_update_seconds = known.last_update_seconds;
        self.written_seconds = before.written_seconds;
        self.is_told_old = before.is_told_old;
        self.is_broken = before.is_broken || former.measured_another;
    }
}
