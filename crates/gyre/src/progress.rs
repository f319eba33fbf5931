//! How far a long step has come, on a terminal.

use std::io::{IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

/// Letters of the bar.
const WIDTH: usize = 30;
/// How often it is drawn.
const EVERY: Duration = Duration::from_millis(100);

/// A line that is drawn over and over; nothing at all where nobody looks.
pub(crate) struct Progress {
    what: &'static str,
    /// When it was drawn last, or begun.
    last: Instant,
    is_drawn: bool,
    is_seen: bool,
}

impl Progress {
    pub(crate) fn new(what: &'static str) -> Self {
        let is_seen = std::io::stderr().is_terminal();
        Self { what, last: Instant::now(), is_drawn: false, is_seen }
    }

    /// So much of it is done.
    pub(crate) fn show(&mut self, done: usize, all: usize) {
        if self.is_time() {
            // A terminal that is gone needs no bar.
            let _ = write!(std::io::stderr(), "\r{}", line(self.what, done, all));
        }
    }

    /// So much is done, of nobody knows how much.
    pub(crate) fn count(&mut self, done: u64) {
        if self.is_time() {
            // As above.
            let _ = write!(std::io::stderr(), "\r{done} {}", self.what);
        }
    }

    /// Whether it is to be drawn now.
    fn is_time(&mut self) -> bool {
        let is_time = self.is_seen && self.last.elapsed() >= EVERY;
        if is_time {
            (self.last, self.is_drawn) = (Instant::now(), true);
        }
        is_time
    }

    /// Takes it away, so that something else can stand there.
    pub(crate) fn clear(&mut self) {
        if self.is_drawn {
            // As above.
            let _ = write!(std::io::stderr(), "\r\x1b[K");
            self.is_drawn = false;
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}

fn line(what: &str, done: usize, all: usize) -> String {
    let filled = (WIDTH * done).checked_div(all).unwrap_or(WIDTH).min(WIDTH);
    format!("{what} [{}{}] {done} of {all}", "#".repeat(filled), " ".repeat(WIDTH - filled))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_bar_fills() {
        assert!(super::line("history", 0, 10).contains(&format!("[{}]", " ".repeat(30))));
        assert!(super::line("history", 5, 10).contains("[###############   "));
        assert!(super::line("history", 0, 0).contains(&"#".repeat(30)));
    }
}
