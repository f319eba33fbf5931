//! `gyre pages`: the HTML pages and pictures that MRTG writes, and the index that indexmaker makes
//! of them, for sites that publish them.
//!
//! ```text
//!  mrtg.cfg ─▶ Site ─▶ work, on every core: a target ─▶ rows ─▶ summary ┐
//!                                                  └─▶ graph ─▶ PNG ────┴▶ page ─▶ Directory
//!                └──▶ index ─▶ Directory
//! ```

mod arguments;
mod site;
mod directory;
mod drawing;
mod target;
mod work;
mod index;
mod report;

use std::ffi::OsString;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use rrdtool::{Failure, Session};

use crate::command_line::with_databases;
use arguments::{LINE, Wanted, parse};
use directory::Directory;
use report::Report;
use site::Site;

/// The command, for its page.
pub(crate) fn described() -> Vec<options::Described> {
    vec![LINE.described()]
}

/// `gyre pages …`.
pub(crate) fn main(words: impl IntoIterator<Item = OsString>) -> ExitCode {
    with_databases(&LINE, parse(words), run)
}

fn run(session: &mut Session, wanted: &Wanted) -> Result<(), Failure> {
    let Some(every_seconds) = wanted.every_seconds else { return once(session, wanted) };
    loop {
        let begun = Instant::now();
        // What fails now may work the next time: a configuration is edited, a disk is full.
        if let Err(failure) = once(session, wanted) {
            rrdtool::complain!("{}: {}", LINE.name(), failure.in_words(session.wording));
        }
        // Between two rounds the store is free for others.
        session.databases.leave()?;
        crate::command_line::answer(&String::from_utf8_lossy(&std::mem::take(&mut session.out)))
            .map_err(Failure::of)?;
        let rest = Duration::from_secs(every_seconds).saturating_sub(begun.elapsed());
        std::thread::sleep(rest);
    }
}

/// Writes pages and index once.
fn once(session: &mut Session, wanted: &Wanted) -> Result<(), Failure> {
    let begun = Instant::now();
    let site = Site::open(session, wanted)?;
    let directory = Directory::open(&wanted.directory)?;
    let index_names = index::names(&site, wanted);
    let outcome = work::write_all(&site, &directory, wanted, &index_names);
    let index = wanted.index.as_deref().map(|name| index::write(&site, &directory, name, wanted));
    let (index_files, index_problem) = match index {
        Some(Ok(files)) => (files, None),
        Some(Err(failure)) => (0, Some(failure.in_words(session.wording))),
        None => (0, None),
    };
    let report = Report { outcome: &outcome, index_files, index_problem, took: begun.elapsed() };
    session.out.extend(if wanted.as_json { report.json() } else { report.text() });
    report.verdict()
}
