//! Reads the file again, on a thread from before the kernel held the process to its directories.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

use senders::collectd::Level;

use super::error::IntakeError;
use super::prepared::Prepared;

/// The thread that reads the file; it ends when this is dropped. Landlock holds a thread that calls
/// it, and those that it starts: this one is older.
pub(super) struct Reader {
    line: Mutex<Line>,
}

/// What is asked, and its answer.
struct Line {
    ask: Sender<()>,
    answers: Receiver<Result<Prepared, IntakeError>>,
}

impl Reader {
    /// Reads whenever it is asked. What packets of collectd have to be stays as it is.
    ///
    /// # Errors
    /// The system refuses a thread.
    pub(super) fn start(file: PathBuf, level: Level) -> Result<Self, IntakeError> {
        let (ask, asked) = channel();
        let (answer, answers) = channel();
        let read = move || {
            // Until nobody can ask any more.
            while asked.recv().is_ok() && answer.send(Prepared::read_again(&file, level)).is_ok() {}
        };
        let thread = thread::Builder::new().name("gyre-intake".to_owned());
        thread.spawn(read).map_err(IntakeError::Thread)?;
        Ok(Self { line: Mutex::new(Line { ask, answers }) })
    }

    /// What the file says now.
    ///
    /// # Errors
    /// It cannot be read, or is wrong.
    pub(super) fn read(&self) -> Result<Prepared, IntakeError> {
        let line = self.line.lock().unwrap_or_else(PoisonError::into_inner);
        let gone = || IntakeError::Thread(std::io::Error::other("the thread has ended"));
        line.ask.send(()).map_err(|_| gone())?;
        line.answers.recv().map_err(|_| gone())?
    }
}
