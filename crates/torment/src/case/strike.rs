//! Causes the fault.

use std::process::Command;
use std::time::Duration;

use super::Trial;
use crate::Checked;
use crate::client::PATIENCE;
use crate::daemon::Daemon;
use crate::power::PowerDisk;

/// The result of a command with a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// It succeeded before the fault.
    Done,
    Failed,
    Killed,
}

impl Trial<'_> {
    /// Runs a command and causes the fault after this many microseconds.
    pub(super) fn struck(&mut self, mut command: Command, after_micros: u64) -> Checked<Ended> {
        let log = self.site.open_log()?;
        let mut child = self.site.spawn(command.stderr(log))?;
        std::thread::sleep(Duration::from_micros(after_micros));
        let early = child.try_wait().map_err(|error| error.to_string())?;
        if let Some(power) = &mut self.power {
            power.cut()?;
        }
        let _ = child.kill(); // it may have ended
        let status = child.wait().map_err(|error| error.to_string())?;
        self.recover()?;
        // A command that fails because of the disk may have done its work or not, as if it had been
        // killed.
        let failed = if self.power.is_some() { Ended::Killed } else { Ended::Failed };
        Ok(match early.unwrap_or(status).code() {
            Some(0) => Ended::Done,
            Some(_) => {
                if early.is_some() {
                    Ended::Failed
                } else {
                    failed
                }
            }
            None => Ended::Killed,
        })
    }

    /// Makes the disk available again after the fault.
    pub(super) fn recover(&mut self) -> Checked<()> {
        match &mut self.power {
            None => self.counts.kills += 1,
            Some(power) => {
                power.restart(self.random.number())?;
                self.counts.cuts += 1;
            }
        }
        Ok(())
    }
}

/// Cuts the power if the disk is simulated, and kills the daemon, after this many microseconds.
pub(super) fn strike(
    daemon: &mut Daemon<'_>,
    power: Option<&mut PowerDisk>,
    after_micros: u64,
) -> Checked<()> {
    assert!(after_micros < PATIENCE.as_micros() as u64);
    std::thread::sleep(Duration::from_micros(after_micros));
    if let Some(power) = power {
        power.cut()?;
    }
    daemon.kill();
    Ok(())
}
