//! The fault itself.

use std::process::Command;
use std::time::Duration;

use super::Trial;
use crate::Checked;
use crate::daemon::{Daemon, PATIENCE};

/// What became of a command that was to be killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// It came to a good end before.
    Done,
    Failed,
    Killed,
}

impl Trial<'_> {
    /// Runs a command and kills it after so many microseconds.
    pub(super) fn killed(&mut self, mut command: Command, after_micros: u64) -> Checked<Ended> {
        let log = self.site.open_log()?;
        let mut child = self.site.spawn(command.stderr(log))?;
        std::thread::sleep(Duration::from_micros(after_micros));
        let _ = child.kill(); // it may have ended
        let status = child.wait().map_err(|error| error.to_string())?;
        Ok(match status.code() {
            Some(0) => Ended::Done,
            Some(_) => Ended::Failed,
            None => {
                self.counts.kills += 1;
                Ended::Killed
            }
        })
    }
}

/// Kills a daemon after so many microseconds.
pub(super) fn kill(daemon: &mut Daemon<'_>, after_micros: u64) {
    assert!(after_micros < PATIENCE.as_micros() as u64);
    std::thread::sleep(Duration::from_micros(after_micros));
    daemon.kill();
}
