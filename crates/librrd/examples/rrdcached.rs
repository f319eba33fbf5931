//! The daemon, for the tests of our library before it: cargo builds it beside them.

use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    daemon::program::run("rrdcached", &words)
}
