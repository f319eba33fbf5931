//! A daemon that is started, loaded, and killed or cut off.

use std::sync::atomic::Ordering;

use super::Trial;
use super::strike::strike;
use crate::Checked;
use crate::daemon::Daemon;
use crate::judge::{settle, settle_open};
use crate::load::{Shared, load};

/// When the fault comes.
enum Moment {
    /// While the daemon starts.
    Start,
    /// Under load.
    Load,
    /// While it ends after a request.
    End,
    /// No fault: it ends after a request.
    Never,
}

impl Trial<'_> {
    pub(super) fn daemon_life(&mut self) -> Checked<()> {
        let moment = match self.random.below(12) {
            0..=2 => Moment::Start,
            3 => Moment::End,
            4 => Moment::Never,
            _ => Moment::Load,
        };
        let mut daemon = Daemon::start(self.site, &self.world)?;
        if matches!(moment, Moment::Start) {
            strike(&mut daemon, self.power.as_mut(), self.random.below(30_000))?;
            return self.recover();
        }
        daemon.wait_until_it_listens()?;
        self.settle_all_or_open(&mut daemon, 3)?;
        self.load_and_strike(daemon, &moment)
    }

    /// Finds out the state of all databases with this probability; otherwise only of those with
    /// unacknowledged changes.
    pub(super) fn settle_all_or_open(
        &mut self,
        daemon: &mut Daemon<'_>,
        chances: u64,
    ) -> Checked<()> {
        match self.random.below(chances) {
            0 => settle(daemon, &mut self.shadow, &mut self.entries),
            _ => settle_open(daemon, &mut self.shadow, &mut self.entries),
        }
    }

    /// A load whose daemon is killed or ended; returns whether it was killed.
    pub(super) fn daemon_life_to_rot(&mut self) -> Checked<bool> {
        let mut daemon = Daemon::listening(self.site, &self.world)?;
        settle_open(&mut daemon, &mut self.shadow, &mut self.entries)?;
        let was_killed = self.random.below(2) == 0;
        let moment = if was_killed { Moment::Load } else { Moment::Never };
        self.load_and_strike(daemon, &moment)?;
        Ok(was_killed)
    }

    fn load_and_strike(&mut self, mut daemon: Daemon<'_>, moment: &Moment) -> Checked<()> {
        let wanted = 1 + self.random.below(10 + 40 * self.entries.len() as u64);
        let after_micros = match self.random.below(2) {
            0 => self.random.below(1000),
            _ => self.random.below(40_000),
        };
        let shared = Shared::new(self.site, &self.world, &self.cycle);
        let power = self.power.as_mut();
        let until = || {
            let is_told_to_end = matches!(moment, Moment::Never | Moment::End);
            shared.is_told_to_end.store(is_told_to_end, Ordering::Relaxed);
            match moment {
                Moment::Never => return daemon.end(),
                Moment::End => daemon.ask_to_end(),
                Moment::Start | Moment::Load => {}
            }
            // After the power is cut, errors are expected.
            shared.may_refuse.store(power.is_some(), Ordering::Relaxed);
            strike(&mut daemon, power, after_micros)
        };
        let samples = load(&shared, &mut self.entries, wanted, &mut self.random, until)?;
        self.counts.samples += samples;
        match moment {
            Moment::Never => Ok(()),
            _ => self.recover(),
        }
    }
}
