//! The daemon by itself, for tests, and for users who want nothing else of gyre.

use std::process::ExitCode;

use daemon::Brought;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    daemon::program::run("rrdcached", &words, Brought::default())
}
