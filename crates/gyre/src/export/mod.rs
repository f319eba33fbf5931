//! `gyre export`: writes databases of a ring store to `.rrd` files.

mod arguments;
mod image;
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
use arguments::{LINE, Wanted, parse};
use figures::{duration, some};
use image::Image;
use rrdtool::{Failure, Session};
use source::Source;

/// The command, for its page.
pub(crate) fn described() -> Vec<options::Described> {
    vec![LINE.described()]
}

/// `gyre export …`.
pub(crate) fn main(words: impl IntoIterator<Item = OsString>) -> ExitCode {
    with_databases(&LINE, parse(words), run)
}

fn run(session: &mut Session, wanted: &Wanted) -> Result<(), Failure> {
    if let Some(format) = wanted.format {
        return tables::run(session, wanted, format);
    }
    let Wanted { all, root, names, directory, .. } = wanted;
    let start = Instant::now();
    let names = (!all).then_some(&names[..]);
    let source = Source::find(session, root, names)?;
    let (written, problems) = write_all(&source, wanted.whole_seconds, Path::new(directory))?;
    let seconds = start.elapsed().as_secs_f64();
    let rate = written as f64 / seconds.max(f64::MIN_POSITIVE);
    let told = format!("{written} written in {}, {rate:.0} a second\n", duration(seconds));
    session.out.extend_from_slice(told.as_bytes());
    let Problems { failed, partly } = problems;
    failed.iter().for_each(|problem| rrdtool::complain!("{problem}"));
    partly.iter().for_each(|problem| rrdtool::complain!("{problem}"));
    match (failed.len(), partly.len()) {
        (0, 0) => Ok(()),
        (0, count) => {
            Err(Failure::Partly(format!("{} written in part", some(count as u64, "file", "files"))))
        }
        (count, _) => Err(Failure::misuse(format!("{count} not written"))),
    }
}

/// What was not done.
#[derive(Default)]
struct Problems {
    failed: Vec<Failure>,
    /// Of files that are written: the archives that are not in them.
    partly: Vec<String>,
}

/// Writes the files of all parties on every core. Returns how many were written, and the problems.
fn write_all(
    source: &Source,
    whole_seconds: bool,
    directory: &Path,
) -> Result<(usize, Problems), Failure> {
    disk::create_directory(directory).map_err(Failure::at(directory.display()))?;
    let problems = Mutex::new(Problems::default());
    let queue = on_every_core("export", source.count(), |queue| {
        let mut writer =
            Writer { directory, made: PathBuf::new(), past_cache: PastCache::default() };
        while let Some(nth) = queue.next() {
            let mut own = Problems::default();
            let left = source.take(nth, whole_seconds, |name, image| {
                match image.map_err(Failure::at(name)).and_then(|it| writer.write(name, &it)) {
                    Ok(left_out) => {
                        own.partly.extend(left_out);
                        queue.did(1);
                    }
                    Err(problem) => own.failed.push(problem),
                }
            });
            let is_last = matches!(left, Ok(false));
            own.failed.extend(left.err().map(Failure::from));
            let mut all = problems.lock().unwrap_or_else(PoisonError::into_inner);
            all.failed.append(&mut own.failed);
            all.partly.append(&mut own.partly);
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
    /// Writes a file. Returns in words what is not in it, if anything is not.
    fn write(&mut self, name: &str, image: &Image) -> Result<Option<String>, Failure> {
        let Image { bytes, left_out } = image;
        // The store takes only names that lead downwards.
        let path = self.directory.join(name);
        if path.parent() != Some(&self.made) {
            disk::create_parents(&path).map_err(Failure::at(name))?;
            self.made = path.parent().map(Path::to_path_buf).unwrap_or_default();
        }
        self.past_cache.replace(&path, bytes).map_err(Failure::at(name))?;
        Ok((!left_out.is_empty())
            .then(|| format!("{name}: not in its file: {}", left_out.join("; "))))
    }
}
