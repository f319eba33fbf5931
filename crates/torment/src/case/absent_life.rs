//! A start without the files, as if their file system is not mounted yet.

use std::fs;
use std::time::Duration;

use super::Trial;
use crate::Checked;
use crate::daemon::Daemon;

impl Trial<'_> {
    /// Starts the daemon with an empty directory, and ends or kills it. The samples in the journal
    /// must keep waiting for the files.
    pub(super) fn absent_life(&mut self) -> Checked<()> {
        let (base, away) = (self.site.base(), self.site.data.join("away"));
        let text = |error: std::io::Error| format!("{}: {error}", base.display());
        fs::rename(&base, &away).and_then(|()| fs::create_dir(&base)).map_err(text)?;
        let mut daemon = Daemon::listening(self.site, &self.world)?;
        let asked = self.random.below(self.entries.len() as u64) as usize;
        let name = self.entries[asked].name();
        for question in ["INFO", "FLUSH"] {
            let answer =
                daemon.client().and_then(|mut client| client.ask(&format!("{question} {name}\n")));
            if answer.is_none() {
                return Err(format!("{question} {name}, of a file that is away: no answer"));
            }
        }
        std::thread::sleep(Duration::from_millis(self.random.below(50)));
        match self.random.below(2) {
            0 => daemon.kill(),
            _ => daemon.end_somehow()?,
        }
        self.counts.kills += 1;
        // No file was made in their place, so the empty directory can be removed.
        fs::remove_dir(&base).and_then(|()| fs::rename(&away, &base)).map_err(text)
    }
}
