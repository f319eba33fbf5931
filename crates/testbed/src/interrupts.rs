//! SIGINT, SIGTERM and SIGHUP: they end the programs under test, and this process then restores
//! what it has changed.

use std::os::fd::OwnedFd;
use std::process::Child;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

/// While this exists, such a signal does not end this process, but the programs that are watched.
#[derive(Clone, Debug)]
pub struct Interrupts(Arc<State>);

#[derive(Debug, Default)]
struct State {
    came: AtomicBool,
    programs: Mutex<Vec<(u32, OwnedFd)>>,
}

impl Interrupts {
    /// Begins to watch for signals.
    ///
    /// # Errors
    ///
    /// The system refuses a signal handler or a thread.
    pub fn watch() -> Result<Self, String> {
        let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP]).map_err(|it| it.to_string())?;
        let state = Arc::new(State::default());
        let told = state.clone();
        let wait = move || signals.forever().for_each(|_| told.end_programs());
        std::thread::Builder::new().spawn(wait).map_err(|error| error.to_string())?;
        Ok(Self(state))
    }

    /// Watches for nothing: a signal ends the process as usual.
    #[must_use]
    pub fn ignored() -> Self {
        Self(Arc::default())
    }

    /// Fails after a signal.
    ///
    /// # Errors
    ///
    /// A signal came.
    pub fn check(&self) -> Result<(), String> {
        match self.0.came.load(Ordering::SeqCst) {
            true => Err("interrupted".into()),
            false => Ok(()),
        }
    }

    /// Watches a program until the value is dropped.
    ///
    /// # Errors
    ///
    /// A signal came already, or there is no such process.
    pub(crate) fn program(&self, child: &Child) -> Result<Watched, String> {
        let number = child.id();
        let process = Pid::from_child(child);
        let opened = pidfd_open(process, PidfdFlags::empty());
        let opened = opened.map_err(|error| format!("process {number}: {error}"))?;
        self.0.programs().push((number, opened));
        let watched = Watched { interrupts: self.clone(), number };
        self.check().map(|()| watched)
    }
}

/// A program that is killed when a signal comes.
#[derive(Debug)]
pub(crate) struct Watched {
    interrupts: Interrupts,
    number: u32,
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.interrupts.0.programs().retain(|(number, _)| *number != self.number);
    }
}

impl State {
    fn end_programs(&self) {
        self.came.store(true, Ordering::SeqCst);
        for (_, process) in self.programs().iter() {
            // A program that has already ended needs no signal.
            let _ = pidfd_send_signal(process, Signal::KILL);
        }
    }

    fn programs(&self) -> std::sync::MutexGuard<'_, Vec<(u32, OwnedFd)>> {
        self.programs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
