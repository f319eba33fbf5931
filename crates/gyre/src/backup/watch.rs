//! The clock of a backup, and its progress line on a terminal.

use std::io::{IsTerminal as _, Write as _};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use backup::{Report, Watch};
use disk::Moment;
use figures::size;

/// How often the line is drawn.
const EVERY: Duration = Duration::from_millis(100);

/// The clock, and a progress line that is drawn again and again. There is no line unless standard
/// error is a terminal.
pub(super) struct Line {
    is_seen: bool,
    drawn: Mutex<Option<Instant>>,
}

impl Line {
    pub(super) fn new() -> Self {
        Self { is_seen: std::io::stderr().is_terminal(), drawn: Mutex::new(None) }
    }

    /// Draws the line if the last drawing is older than [`EVERY`].
    pub(super) fn draw(&self, words: impl FnOnce() -> String) {
        if !self.is_seen {
            return;
        }
        let mut drawn = self.drawn.lock().unwrap_or_else(PoisonError::into_inner);
        if drawn.is_none_or(|drawn| drawn.elapsed() >= EVERY) {
            *drawn = Some(Instant::now());
            // A terminal that was closed needs no line.
            let _ = write!(std::io::stderr(), "\r\x1b[K{}", words());
        }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        if self.drawn.get_mut().is_ok_and(|drawn| drawn.is_some()) {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}

impl Watch for Line {
    fn now(&self) -> Moment {
        Moment::now()
    }

    fn show(&self, report: &Report) {
        self.draw(|| match report.verified_bytes {
            0 => {
                let (read, added) = (size(report.read_bytes), size(report.added_bytes));
                format!("{} files, {read} read, {added} new", report.files)
            }
            bytes => format!("{} of {} read back", size(bytes), size(report.added_bytes)),
        });
    }
}
