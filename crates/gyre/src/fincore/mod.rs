//! `gyre fincore`: which pages of files the page cache holds, and what they are.
//!
//! Nothing is read to tell it. Files are looked at by several threads and shown one after the other,
//! in the order of the walk, as they come.

mod arguments;
mod looking;
mod total;
mod figures;
mod show;
mod table;
mod pages;
mod map;
mod json;
mod top;
mod distribution;
mod watching;
mod names;

use std::ffi::OsString;
use std::io::{self, ErrorKind, IsTerminal as _, Write as _};
use std::ops::ControlFlow;
use std::process::ExitCode;

use pagecache::{Fault, Survey, WalkOptions};

use arguments::{Arguments, COMMAND_LINE, Names, Shown};
use looking::{Look, Looking};

use crate::named_files::named_files;
use total::Total;

/// Bytes that gather before they are written.
const WRITE_BYTES: usize = 64 << 10;

/// `gyre fincore …`.
pub(crate) fn main(words: impl Iterator<Item = OsString>) -> ExitCode {
    let arguments = match Arguments::parse(words) {
        Ok(Some(arguments)) => arguments,
        Ok(None) => {
            // Who reads may have gone.
            let _ = io::stdout().write_all(COMMAND_LINE.help().as_bytes());
            return ExitCode::SUCCESS;
        }
        Err(words) => {
            eprintln!("gyre fincore: {words}\n`gyre fincore --help` tells more");
            return ExitCode::from(2);
        }
    };
    let done = match &arguments.shown {
        Shown::Watch(watching) => watching::watch(&arguments, *watching),
        _ => show_once(&arguments),
    };
    match done {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_failed) => ExitCode::FAILURE,
        // Who reads may have gone: that is its choice.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("gyre fincore: {}", rrdtool::system_words(&error));
            ExitCode::FAILURE
        }
    }
}

/// Looks at all files once; returns how many could not be looked at.
fn show_once(arguments: &Arguments) -> io::Result<u64> {
    let mut show = show::of(arguments);
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

/// Looks at all files and hands over what was seen; faults go to standard error.
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
                    complain(sighting.path, &fault);
                    ControlFlow::Continue(())
                }
            }
        })?;
    match told {
        ControlFlow::Break(error) => Err(error),
        ControlFlow::Continue(()) => Ok(total),
    }
}

fn complain(path: &[u8], fault: &Fault) {
    let mut name = Vec::new();
    figures::put_path(&mut name, path, io::stderr().is_terminal());
    let Fault { action, error } = fault;
    let words = rrdtool::system_words(error);
    eprintln!("gyre fincore: {}: {action}: {words}", figures::shown(&name));
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The names that are given, and those on standard input.
fn roots(arguments: &Arguments) -> impl Iterator<Item = io::Result<Vec<u8>>> + Send + use<> {
    let end = arguments.stdin.map(|names| match names {
        Names::Lines => b'\n',
        Names::ZeroBytes => 0,
    });
    named_files(arguments.operands.clone(), end)
}
