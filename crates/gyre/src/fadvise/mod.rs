//! `gyre fadvise`: advice about files to the kernel, and whether it had an effect.

mod range;
mod arguments;
mod names;
mod work;
mod holders;
mod lasting;
mod report;
mod hold;

use std::ffi::OsString;
use std::process::ExitCode;

use arguments::{Action, COMMAND_LINE, Wanted};
use names::Names;
use report::Report;

/// `gyre fadvise …`.
pub(crate) fn main(words: impl IntoIterator<Item = OsString>) -> ExitCode {
    let wanted = match arguments::parse(words) {
        Ok(Some(wanted)) => wanted,
        Ok(None) => {
            print!("{}", COMMAND_LINE.help());
            return ExitCode::SUCCESS;
        }
        Err(misuse) => {
            eprintln!("gyre fadvise: {misuse}\n");
            eprint!("{}", COMMAND_LINE.help());
            return ExitCode::from(2);
        }
    };
    match perform(&wanted) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("gyre fadvise: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Whether all of it had the effect that was asked for.
fn perform(wanted: &Wanted) -> std::io::Result<bool> {
    let names = Names::of(wanted);
    let report = Report::new(wanted);
    if wanted.action == Action::Lock {
        return hold::hold(wanted, names, report);
    }
    lasting::tell(wanted);
    let mut report = report;
    let mut worker = work::Worker::new(wanted);
    for name in names {
        let outcome = name.and_then(|path| worker.one(&path));
        report.take(&outcome)?;
    }
    report.end()
}
