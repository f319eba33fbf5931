//! A progress bar on a terminal.

use std::io::{IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

/// The width of the bar, in characters.
const WIDTH: usize = 30;
/// How often the bar is redrawn at most.
const EVERY: Duration = Duration::from_millis(100);

/// A line that is redrawn in place. Nothing is drawn unless standard error is a terminal.
pub(crate) struct Progress {
    what: &'static str,
    /// When the line was drawn last; at first, when the work began.
    last: Instant,
    is_drawn: bool,
    is_seen: bool,
}

impl Progress {
    pub(crate) fn new(what: &'static str) -> Self {
        let is_seen = std::io::stderr().is_terminal();
        Self { what, last: Instant::now(), is_drawn: false, is_seen }
    }

    /// Draws the bar at `done` of `all`.
    pub(crate) fn show(&mut self, done: usize, all: usize) {
        if self.is_time() {
            // A terminal that was closed needs no bar.
            let _ = write!(std::io::stderr(), "\r{}", line(self.what, done, all));
        }
    }

    /// Draws a count, for work whose total is unknown.
    pub(crate) fn count(&mut self, done: u64) {
        if self.is_time() {
            // As above.
            let _ = write!(std::io::stderr(), "\r{done} {}", self.what);
        }
    }

    /// Whether the last drawing is old enough to redraw.
    fn is_time(&mut self) -> bool {
        let is_time = self.is_seen && self.last.elapsed() >= EVERY;
        if is_time {
            (self.last, self.is_drawn) = (Instant::now(), true);
        }
        is_time
    }

    /// Clears the line, so that other output can take its place.
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
