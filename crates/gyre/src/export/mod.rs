//! `gyre export`: writes databases of a ring store to `.rrd` files.

mod source;
mod tables;

use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use disk::PastCache;

use crate::command_line::with_databases;
use crate::on_every_core::on_every_core;
use ::tables::Format;
use figures::duration;
use options::{CommandLine, Misuse, checked, switch, texts};
use rrdtool::{Failure, Session};
use source::Source;

const LINE: CommandLine<Wanted> = CommandLine {
    synopsis: "gyre export STORE [OPTION...] [--all | NAME|PATTERN...] DIRECTORY",
    summary: "Write databases of a ring store to .rrd files below a directory, and replace \
              existing files. A database that was imported from a file is written as rrdtool would \
              have kept it, byte for byte.\n\n\
              With --format, write their rows as tables for other programs, in files of so many \
              databases each: name, source, function, length of a row in seconds, time (UTC) at \
              which it ends, value.",
    options: &[
        switch("--all", "export every database", |it| it.all = true),
        checked("--format", "FORMAT", crate::calc::FORMATS, |it, value| {
            it.format = Some(crate::calc::format(&value)?);
            Ok(())
        }),
        checked("--function", "CF", "only rows of this function", |it, value| {
            it.function = Some(value.text()?.into());
            Ok(())
        }),
        checked("-s --start", "TIME", "only rows that end later", |it, value| {
            it.start = Some(value.text()?.into());
            Ok(())
        }),
        checked("-e --end", "TIME", "only rows that begin before", |it, value| {
            it.end = Some(value.text()?.into());
            Ok(())
        }),
        checked("--part", "N", "databases for each file of a table (1000)", |it, value| {
            it.databases_per_part = value.number(1..=1_000_000)? as usize;
            Ok(())
        }),
        switch("--continue", "go on with the tables that an export has begun", |it| {
            it.goes_on = true;
        }),
    ],
    notes: "",
};

/// How many databases stand in each file of a table unless the words say otherwise.
const DATABASES_PER_PART: usize = 1000;

struct Wanted {
    all: bool,
    format: Option<Format>,
    function: Option<String>,
    start: Option<String>,
    end: Option<String>,
    databases_per_part: usize,
    goes_on: bool,
    root: String,
    names: Vec<String>,
    directory: String,
}

impl Default for Wanted {
    fn default() -> Self {
        Self {
            all: false,
            format: None,
            function: None,
            start: None,
            end: None,
            databases_per_part: DATABASES_PER_PART,
            goes_on: false,
            root: String::new(),
            names: Vec::new(),
            directory: String::new(),
        }
    }
}

/// `gyre export …`.
pub(crate) fn main(words: impl IntoIterator<Item = OsString>) -> ExitCode {
    with_databases(&LINE, parse(words), run)
}

fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Option<Wanted>, Misuse> {
    let Some((wanted, operands)) = LINE.read(words)? else { return Ok(None) };
    let operands = texts(operands)?;
    let [root, names @ .., directory] = &operands[..] else {
        return Err(Misuse::operands("STORE, names of databases or --all, and DIRECTORY"));
    };
    if wanted.all != names.is_empty() {
        return Err(Misuse::operands("names of databases, or --all"));
    }
    let chooses = wanted.function.is_some() || wanted.start.is_some() || wanted.end.is_some();
    if wanted.format.is_none() && (chooses || wanted.goes_on) {
        return Err(Misuse::operands("--format with --function, --start, --end or --continue"));
    }
    let (root, names, directory) = (root.clone(), names.to_vec(), directory.clone());
    Ok(Some(Wanted { root, names, directory, ..wanted }))
}

fn run(session: &mut Session, wanted: &Wanted) -> Result<(), Failure> {
    if let Some(format) = wanted.format {
        return tables::run(session, wanted, format);
    }
    let Wanted { all, root, names, directory, .. } = wanted;
    let start = Instant::now();
    let names = (!all).then_some(&names[..]);
    let source = Source::find(session, root, names)?;
    let (written, problems) = write_all(&source, Path::new(directory))?;
    let seconds = start.elapsed().as_secs_f64();
    let rate = written as f64 / seconds.max(f64::MIN_POSITIVE);
    let told = format!("{written} written in {}, {rate:.0} a second\n", duration(seconds));
    session.out.extend_from_slice(told.as_bytes());
    problems.iter().for_each(|problem| rrdtool::complain!("{problem}"));
    match problems.len() {
        0 => Ok(()),
        count => Err(Failure::misuse(format!("{count} not written"))),
    }
}

/// Writes the files of all parties on every core. Returns how many were written, and the failures.
fn write_all(source: &Source, directory: &Path) -> Result<(usize, Vec<Failure>), Failure> {
    disk::create_directory(directory).map_err(Failure::at(directory.display()))?;
    let problems = Mutex::new(Vec::new());
    let queue = on_every_core("export", source.count(), |queue| {
        let mut writer =
            Writer { directory, made: PathBuf::new(), past_cache: PastCache::default() };
        while let Some(nth) = queue.next() {
            let mut failed = Vec::new();
            let left = source.take(nth, |name, bytes| match writer.write(name, bytes) {
                Ok(()) => queue.did(1),
                Err(problem) => failed.push(problem),
            });
            let is_last = matches!(left, Ok(false));
            failed.extend(left.err().map(Failure::from));
            problems.lock().unwrap_or_else(PoisonError::into_inner).extend(failed);
            if is_last {
                break;
            }
        }
    });
    // One sync of the file system instead of one sync for each file.
    let synced = File::open(directory).and_then(|file| Ok(rustix::fs::syncfs(file)?));
    synced.map_err(Failure::at(directory.display()))?;
    Ok((queue.done(), problems.into_inner().unwrap_or_else(PoisonError::into_inner)))
}

/// Writes files below a directory.
struct Writer<'a> {
    directory: &'a Path,
    /// The directory that was made last.
    made: PathBuf,
    /// The page cache is left to those who read.
    past_cache: PastCache,
}

impl Writer<'_> {
    fn write(&mut self, name: &str, bytes: Result<Vec<u8>, store::Error>) -> Result<(), Failure> {
        let bytes = bytes.map_err(Failure::at(name))?;
        // The store takes only names that lead downwards.
        let path = self.directory.join(name);
        if path.parent() != Some(&self.made) {
            disk::create_parents(&path).map_err(Failure::at(name))?;
            self.made = path.parent().map(Path::to_path_buf).unwrap_or_default();
        }
        self.past_cache.replace(&path, &bytes).map_err(Failure::at(name))
    }
}
