//! The trait of all ways to show files, and how text looks on a terminal.

use std::io;

use super::look::Look;
use super::total::Total;

/// A way of showing files.
pub(super) trait Show {
    /// Writes what comes before the first file.
    fn begin(&mut self, _out: &mut Vec<u8>) {}

    /// Writes one file.
    fn file(&mut self, out: &mut Vec<u8>, path: &[u8], look: Look);

    /// Writes what comes after the last file.
    fn end(&mut self, out: &mut Vec<u8>, total: &Total) -> io::Result<()>;
}

/// The kind of output.
#[derive(Clone, Copy, Debug)]
pub(super) struct Face {
    /// Whether the output is a terminal: it gets colours, and names without control characters.
    pub(super) is_terminal: bool,
}

impl Face {
    pub(super) fn of_stdout() -> Self {
        Self { is_terminal: std::io::IsTerminal::is_terminal(&io::stdout()) }
    }

    /// Text in a colour, given as a number of SGR.
    pub(super) fn colored(self, color: u8, text: &str) -> String {
        if self.is_terminal { format!("\x1b[{color}m{text}\x1b[0m") } else { text.to_owned() }
    }

    pub(super) fn put_path(self, out: &mut Vec<u8>, path: &[u8]) {
        crate::shown_path::put_path(out, path, self.is_terminal);
    }
}

/// SGR numbers.
pub(super) const BOLD: u8 = 1;
pub(super) const FAINT: u8 = 2;
pub(super) const YELLOW: u8 = 33;
