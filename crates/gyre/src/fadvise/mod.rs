//! `gyre fadvise`: gives the kernel advice about files, and checks whether it had an effect.

mod range;
mod arguments;
mod work;
mod holders;
mod lasting;
mod report;
mod hold;

use std::ffi::OsString;
use std::io;
use std::ops::ControlFlow;
use std::process::ExitCode;

use pagecache::{Fault, Opened, Survey, WalkOptions};

use crate::command_line::{say_error, understood};
use crate::named_files::named_files;
use arguments::{Action, LINE, List, Wanted};
use report::Report;
use work::{Done, Worker};

/// Files in the batch of a thread: few, because each may wait for the disk.
const BATCH_FILES: usize = 16;
/// More threads would only wait for the same disk.
const THREADS_MAX: usize = 8;

/// The command, for its page.
pub(crate) fn described() -> Vec<options::Described> {
    vec![LINE.described()]
}

/// `gyre fadvise …`.
pub(crate) fn main(words: impl IntoIterator<Item = OsString>) -> ExitCode {
    let wanted = match understood(&LINE, arguments::parse(words)) {
        Ok(wanted) => wanted,
        Err(code) => return code,
    };
    match perform(&wanted) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            say_error(&LINE, &error);
            ExitCode::FAILURE
        }
    }
}

/// Whether all files got the effect that was asked for.
fn perform(wanted: &Wanted) -> io::Result<bool> {
    let mut report = Report::new(wanted);
    if wanted.action == Action::Lock {
        return hold::hold(wanted, report);
    }
    lasting::tell(wanted);
    let worker = Worker::new(wanted);
    each(wanted, threads(), &|opened| worker.one(opened), &mut report)?;
    report.end()
}

fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from).min(THREADS_MAX)
}

/// Acts on every file and reports the results in the order of the walk.
fn each(
    wanted: &Wanted,
    threads: usize,
    act: &(dyn Fn(&Opened<'_>) -> io::Result<Done> + Sync),
    report: &mut Report<'_>,
) -> io::Result<()> {
    let (given, named): (Vec<OsString>, _) =
        wanted.operands.iter().cloned().partition(|operand| operand == "-");
    if !given.is_empty() {
        report.take(b"-", &standard_input(act))?;
    }
    let end = wanted.list.map(|list| match list {
        List::Lines => b'\n',
        List::Zeros => 0,
    });
    let options = Survey { walk: WalkOptions::default(), threads, batch_files: BATCH_FILES };
    let told = pagecache::survey(named_files(named, end), options, act, |sighting| {
        let told = report.take(sighting.path, &sighting.outcome);
        told.map_or_else(ControlFlow::Break, ControlFlow::Continue)
    })?;
    match told {
        ControlFlow::Break(error) => Err(error),
        ControlFlow::Continue(()) => Ok(()),
    }
}

/// Acts on the file that standard input already is.
fn standard_input(act: &dyn Fn(&Opened<'_>) -> io::Result<Done>) -> Result<Done, Fault> {
    let file = disk::File::standard_input().map_err(Fault::at("opening"))?;
    let facts = file.facts().map_err(Fault::at("looking"))?;
    if facts.kind != disk::FileKind::Regular {
        let found = format!("expected a file, found {}", facts.kind);
        return Err(Fault { action: "looking", error: io::Error::other(found) });
    }
    act(&Opened { file: &file, facts, path: b"/dev/stdin" }).map_err(Fault::at("advising"))
}
