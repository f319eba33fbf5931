//! The daemon process.

use std::fs;
use std::os::unix::net::UnixStream;
use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

use crate::Checked;
use crate::client::{Client, PATIENCE};
use crate::site::Site;
use crate::world::World;

const LOOK: Duration = Duration::from_millis(1);

/// A running daemon; it is killed when dropped.
pub(crate) struct Daemon<'a> {
    site: &'a Site,
    child: Child,
}

impl<'a> Daemon<'a> {
    pub(crate) fn start(site: &'a Site, world: &World) -> Checked<Self> {
        Ok(Self { site, child: site.start_daemon(world)? })
    }

    /// Starts it and waits until it listens.
    pub(crate) fn listening(site: &'a Site, world: &World) -> Checked<Self> {
        let mut daemon = Self::start(site, world)?;
        daemon.wait_until_it_listens()?;
        Ok(daemon)
    }

    pub(crate) fn wait_until_it_listens(&mut self) -> Checked<()> {
        let start = Instant::now();
        while UnixStream::connect(self.site.socket()).is_err() {
            let ended = self.child.try_wait().map_err(|error| error.to_string())?;
            if let Some(status) = ended {
                return Err(format!("the daemon ended, {status}: {}", self.last_words()));
            }
            if start.elapsed() > PATIENCE {
                return Err(format!("the daemon does not listen: {}", self.last_words()));
            }
            std::thread::sleep(LOOK);
        }
        Ok(())
    }

    pub(crate) fn client(&self) -> Option<Client> {
        Client::connect(&self.site.socket())
    }

    /// Asks it to end, with SIGTERM.
    pub(crate) fn ask_to_end(&self) {
        let process = rustix::process::Pid::from_child(&self.child);
        // It may have ended already.
        let _ = rustix::process::kill_process(process, rustix::process::Signal::TERM);
    }

    /// Kills it (SIGKILL) and waits until it is gone.
    pub(crate) fn kill(&mut self) {
        let _ = self.child.kill(); // it may be gone
        let _ = self.child.wait();
    }

    /// Asks it to end, and waits; it must succeed.
    pub(crate) fn end(mut self) -> Checked<()> {
        let status = self.ended()?;
        match status.success() {
            true => Ok(()),
            false => Err(format!("its end: {status}: {}", self.last_words())),
        }
    }

    /// The same with a disk that fails: it may end with an error, but must end.
    pub(crate) fn end_somehow(&mut self) -> Checked<()> {
        self.ended().map(drop)
    }

    fn ended(&mut self) -> Checked<ExitStatus> {
        self.ask_to_end();
        let start = Instant::now();
        loop {
            match self.child.try_wait().map_err(|error| error.to_string())? {
                Some(status) => return Ok(status),
                None if start.elapsed() > PATIENCE => return Err("it does not end".into()),
                None => std::thread::sleep(LOOK),
            }
        }
    }

    /// Whether it has ended by itself.
    pub(crate) fn has_ended(&mut self) -> bool {
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(5) {
            if self.child.try_wait().is_ok_and(|status| status.is_some()) {
                return true;
            }
            std::thread::sleep(LOOK);
        }
        false
    }

    /// How it ended, for a message.
    pub(crate) fn fate(&mut self) -> String {
        let status = self.child.try_wait().ok().flatten();
        let told = status.map_or_else(|| "it runs".into(), |status| status.to_string());
        format!("{told}: {}", self.last_words())
    }

    fn last_words(&self) -> String {
        let said = fs::read(self.site.log()).unwrap_or_default();
        let said = String::from_utf8_lossy(&said);
        let lines: Vec<&str> = said.lines().collect();
        lines[lines.len().saturating_sub(5)..].join("; ")
    }
}

impl Drop for Daemon<'_> {
    fn drop(&mut self) {
        self.kill();
    }
}
