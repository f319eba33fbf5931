//! Headings, with colours on a terminal.

use std::io::IsTerminal as _;

/// Prints the heading of a step; to stderr, like everything that is not a result.
pub(crate) fn heading(text: &str) {
    eprintln!("\n{}", bold(&format!("== {text}")));
}

pub(crate) fn bold(text: &str) -> String {
    paint(text, "1")
}

pub(crate) fn green(text: &str) -> String {
    paint(text, "32")
}

pub(crate) fn red(text: &str) -> String {
    paint(text, "31")
}

fn paint(text: &str, code: &str) -> String {
    if std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none() {
        format!("\x1b[{code}m{text}\x1b[0m")
    } else {
        text.to_owned()
    }
}
