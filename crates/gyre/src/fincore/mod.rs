//! `gyre fincore`: shows which pages of files are in the page cache, and what they hold.
//!
//! It reads no data to find out. Several threads look at files; the results are shown in the order
//! of the walk, as soon as they are there.

mod arguments;
mod marks;
mod look;
mod looking;
mod total;
mod show;
mod ways;
mod table;
mod pages;
mod map;
mod json;
mod top;
mod distribution;
mod watching;
mod names;

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::ops::ControlFlow;
use std::process::ExitCode;

use pagecache::{Survey, WalkOptions};

use arguments::{Arguments, LINE, Names, Shown};
use look::Look;
use looking::Looking;

use crate::command_line::{say_error, say_fault, understood};
use crate::named_files::named_files;
use total::Total;

/// Output is written when this many bytes have gathered.
const WRITE_BYTES: usize = 64 << 10;

/// The command, for its page.
pub(crate) fn described() -> Vec<options::Described> {
    vec![LINE.described()]
}

/// `gyre fincore …`.
pub(crate) fn main(words: impl Iterator<Item = OsString>) -> ExitCode {
    let arguments = match understood(&LINE, Arguments::parse(words)) {
        Ok(arguments) => arguments,
        Err(code) => return code,
    };
    let done = match &arguments.shown {
        Shown::Watch(watching) => watching::watch(&arguments, *watching),
        _ => show_once(&arguments),
    };
    match done {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_failed) => ExitCode::FAILURE,
        Err(error) => {
            say_error(&LINE, &error);
            ExitCode::FAILURE
        }
    }
}

/// Looks at all files once; returns how many failed.
fn show_once(arguments: &Arguments) -> io::Result<u64> {
    let mut show = ways::way(arguments);
    let mut out = Vec::with_capacity(2 * WRITE_BYTES);
    show.begin(&mut out);
    let total = look_through(arguments, &mut |path, look| {
        show.file(&mut out, path, look);
        if out.len() >= WRITE_BYTES { flush(&mut out) } else { Ok(()) }
    })?;
    show.end(&mut out, &total)?;
    flush(&mut out)?;
    Ok(total.failed)
}

fn flush(out: &mut Vec<u8>) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(out)?;
    out.clear();
    stdout.flush()
}

/// Looks at all files and passes each result to `take`; faults go to standard error.
fn look_through(
    arguments: &Arguments,
    tell: &mut dyn FnMut(&[u8], Look) -> io::Result<()>,
) -> io::Result<Total> {
    let looking = Looking::of(arguments);
    let options = Survey {
        walk: WalkOptions { one_file_system: arguments.one_file_system },
        threads: arguments.threads.unwrap_or_else(processors),
        batch_files: looking.batch_files(),
    };
    let mut total = Total::default();
    let told =
        pagecache::survey(roots(arguments), options, &|opened| looking.look(opened), |sighting| {
            match sighting.outcome {
                Ok(look) => {
                    total.add(look.counts.as_ref());
                    tell(sighting.path, look).map_or_else(ControlFlow::Break, ControlFlow::Continue)
                }
                Err(fault) => {
                    total.failed += 1;
                    say_fault(&LINE, sighting.path, &fault);
                    ControlFlow::Continue(())
                }
            }
        })?;
    match told {
        ControlFlow::Break(error) => Err(error),
        ControlFlow::Continue(()) => Ok(total),
    }
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The operands, then the names on standard input.
fn roots(arguments: &Arguments) -> impl Iterator<Item = io::Result<Vec<u8>>> + Send + use<> {
    let end = arguments.stdin.map(|names| match names {
        Names::Lines => b'\n',
        Names::ZeroBytes => 0,
    });
    named_files(arguments.operands.clone(), end)
}
