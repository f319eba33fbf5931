//! Graphs as the programs around rrdtool write them, drawn by Debian's rrdtool and by gyre from the
//! same files: side by side with the difference marked, and how long each took.
#![allow(clippy::disallowed_methods)] // it starts programs, writes pictures and looks at the clock

mod arguments;
mod drawing;
mod picture;
mod compared;
mod page;
mod comparison;

use std::process::ExitCode;

use arguments::{Arguments, USAGE};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if words.iter().any(|word| word == "--help" || word == "-h") {
        print!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    match Arguments::read(&words).and_then(|arguments| comparison::run(&arguments)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("gallery: {reason}");
            ExitCode::FAILURE
        }
    }
}
