//! The standard error of a running process, line by line.

use std::io::{BufRead as _, BufReader};
use std::process::ChildStderr;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// After this time, a line is not expected any more.
const PATIENCE: Duration = Duration::from_secs(60);

/// The lines of one process.
pub(crate) struct Said {
    lines: Receiver<String>,
    /// The text read so far.
    pub(crate) text: String,
}

impl Said {
    /// Reads in a thread of its own, so that the process never blocks on a full pipe.
    pub(crate) fn by(errors: ChildStderr) -> Self {
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(errors).lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        Self { lines, text: String::new() }
    }

    /// Waits for a line with these words.
    pub(crate) fn wait_for(&mut self, words: &str) -> String {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let patience = deadline.saturating_duration_since(Instant::now());
            let Ok(line) = self.lines.recv_timeout(patience) else {
                panic!("it never said {words:?}, but:\n{}", self.text);
            };
            self.text += &format!("{line}\n");
            if line.contains(words) {
                return line;
            }
        }
    }

    /// Reads the rest after the process has ended; returns all of it.
    #[allow(dead_code, reason = "not every test has its process end")]
    pub(crate) fn read_rest(&mut self) -> &str {
        self.text.extend(self.lines.iter().map(|line| line + "\n"));
        &self.text
    }
}
