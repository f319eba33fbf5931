//! `list`: the databases and directories of a directory, in files and in ring stores.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use ring::RingStore;
use rustix::fs::{Dir, FileType, Mode, OFlags};
use rustix::io::Errno;

use crate::failure::{Call, Failure, Wording};
pub use crate::glob::is_pattern;
use crate::session::Session;
use crate::verb::{Verb, daemon, noflush};
use crate::{glob, system_words};
use options::getopt::{self, Misread, Row};
use options::{namings, switch};

pub(crate) const VERB: Verb = Verb {
    name: "list",
    summary: "Print the databases and directories of a directory",
    operands: "DIRECTORY|PATTERN",
    options: &namings(&rows()),
    run,
};

#[derive(Default)]
struct Settings<'a> {
    daemon: Option<&'a str>,
    keeps: bool,
    is_recursive: bool,
}

const fn rows<'a>() -> [Row<'a, Settings<'a>, Unlisted>; 3] {
    let recursive = "print the databases of the directories below, too";
    [
        daemon(|it, address| it.daemon = Some(address)),
        noflush(|it| it.keeps = true),
        switch("-r --recursive", recursive, |it| it.is_recursive = true),
    ]
}

/// Why there is no list.
#[derive(Debug)]
pub enum Unlisted {
    /// The words are wrong, or a ring store cannot be read.
    Refused(Failure),
    /// There is no such directory, or it cannot be read. rrdtool says so and succeeds.
    System(io::Error),
}

impl From<Errno> for Unlisted {
    fn from(error: Errno) -> Self {
        Self::System(error.into())
    }
}

impl From<io::Error> for Unlisted {
    fn from(error: io::Error) -> Self {
        Self::System(error)
    }
}

impl From<Failure> for Unlisted {
    fn from(failure: Failure) -> Self {
        Self::Refused(failure)
    }
}

impl From<store::Error> for Unlisted {
    fn from(error: store::Error) -> Self {
        Self::Refused(error.into())
    }
}

impl From<Misread> for Unlisted {
    fn from(misread: Misread) -> Self {
        Self::Refused(misread.into())
    }
}

fn run(session: &mut Session, words: &[&str]) -> Result<(), Failure> {
    match names(session, words) {
        Ok(names) => {
            for name in names {
                session.out.extend_from_slice(name.as_bytes());
                session.out.push(b'\n');
            }
            Ok(())
        }
        Err(Unlisted::Refused(failure)) => Err(failure),
        Err(Unlisted::System(error)) if session.wording == Wording::Gyre => {
            Err(Failure::System(String::new(), error))
        }
        Err(Unlisted::System(error)) => {
            // Without an end of line, as rrdtool says it; where nothing takes it, the answer
            // counts.
            let _ = io::stderr().write_all(system_words(&error).as_bytes());
            Ok(())
        }
    }
}

/// The names that the words after the verb ask for, in the order of the system.
///
/// # Errors
/// See [`Unlisted`].
pub fn names(session: &mut Session, words: &[&str]) -> Result<Vec<String>, Unlisted> {
    let mut settings = Settings::default();
    let [path] = getopt::read(&rows(), &mut settings, words)?[..] else {
        let operands = "[--daemon <addr> [--noflush]] [--recursive] <directory>";
        return Err(Unlisted::Refused(Call::new("list", operands).into()));
    };
    let Settings { daemon, keeps, is_recursive } = settings;
    if let Some(names) = of_daemon(session, daemon, path, is_recursive, !keeps)? {
        return Ok(names);
    }
    // As rrdtool, where a daemon must not be led out of its directory.
    if path.contains("..") {
        return Err(Errno::ACCESS.into());
    }
    if glob::is_pattern(path) {
        return match is_recursive {
            true => Err(Errno::INVAL.into()),
            false => Ok(matched(path, &|_| true)?),
        };
    }
    of(session, path, is_recursive)
}

/// What a daemon tells; `None` where there is none. One that only the environment names, and that
/// cannot be reached, is complained of after our own answer.
fn of_daemon(
    session: &mut Session,
    daemon: Option<&str>,
    path: &str,
    is_recursive: bool,
    flushes: bool,
) -> Result<Option<Vec<String>>, Failure> {
    let request = |client: &mut rrdcached::Client| {
        if flushes {
            client.flush_all()?;
        }
        client.list(path, is_recursive)
    };
    match daemon {
        Some(_) => session.ask_reachable_daemon(daemon, request),
        None => session.ask_daemon(None, request),
    }
}

/// The names that match a pattern, of those that `is_open` lets one see.
///
/// # Errors
/// None does.
pub fn matched(pattern: &str, is_open: &dyn Fn(&Path) -> bool) -> io::Result<Vec<String>> {
    let paths = glob::matches(pattern);
    let open = paths.iter().filter(|path| is_open(path));
    let names = open.filter_map(|path| path.file_name());
    let names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
    if names.is_empty() { Err(Errno::NOENT.into()) } else { Ok(names) }
}

fn of(session: &mut Session, path: &str, is_recursive: bool) -> Result<Vec<String>, Unlisted> {
    let within = session.databases.in_ring(Path::new(path));
    if let Some(within) = within? {
        let prefix = format!("{}/", within.name.to_string_lossy().trim_end_matches('/'));
        let names = within.store.names(&prefix)?;
        let below = names.iter().filter_map(|name| name.strip_prefix(&prefix));
        let listed = level(below, is_recursive);
        return if listed.is_empty() { Err(Errno::NOENT.into()) } else { Ok(listed) };
    }
    below(session, Path::new(path), is_recursive, &|_| true)
}

/// The names in and below a directory of files, of those that `is_open` lets one into; or that of a
/// file itself.
///
/// # Errors
/// See [`Unlisted`].
pub fn below(
    session: &mut Session,
    path: &Path,
    is_recursive: bool,
    is_open: &dyn Fn(&Path) -> bool,
) -> Result<Vec<String>, Unlisted> {
    let mut walk = Walk { session, is_recursive, is_open, names: Vec::new(), above: Vec::new() };
    match walk.directory(path, "") {
        Err(Unlisted::System(error)) if error.kind() == io::ErrorKind::NotADirectory => {
            file(path).map(|name| vec![name])
        }
        walked => walked.map(|()| walk.names),
    }
}

/// A file instead of a directory lists itself if it is a database by name.
fn file(path: &Path) -> Result<String, Unlisted> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
    name.filter(|name| is_database(name)).ok_or_else(|| Errno::NOTDIR.into())
}

fn is_database(name: &str) -> bool {
    name.ends_with(".rrd")
}

/// Names of a ring store, in order; unless all are wanted, what lies deeper is told by its
/// directory, once.
#[must_use]
pub fn level<'a>(names: impl Iterator<Item = &'a str>, is_recursive: bool) -> Vec<String> {
    let tops = names.map(|name| match name.split_once('/') {
        Some((directory, _)) if !is_recursive => directory,
        _ => name,
    });
    let mut tops: Vec<String> = tops.map(str::to_owned).collect();
    tops.dedup(); // the store gives them in order
    tops
}

struct Walk<'a> {
    session: &'a mut Session,
    is_recursive: bool,
    is_open: &'a dyn Fn(&Path) -> bool,
    names: Vec<String>,
    /// The directories that one stands in, by device and number: a link may lead back to one.
    above: Vec<(u64, u64)>,
}

impl Walk<'_> {
    /// `prefix` stands before the names of what is in it.
    fn directory(&mut self, path: &Path, prefix: &str) -> Result<(), Unlisted> {
        if RingStore::is_at(path) {
            return self.ring(path, prefix);
        }
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let opened = rustix::fs::open(path, flags, Mode::empty())?;
        let found = rustix::fs::fstat(&opened)?;
        let own = (found.st_dev, found.st_ino);
        if self.above.contains(&own) {
            return Ok(());
        }
        self.above.push(own);
        for entry in Dir::new(opened)? {
            let entry = entry?;
            let Ok(name) = entry.file_name().to_str() else { continue };
            if !matches!(name, "." | "..") {
                self.entry(path.join(name), name, prefix, entry.file_type());
            }
        }
        self.above.pop();
        Ok(())
    }

    fn entry(&mut self, path: PathBuf, name: &str, prefix: &str, kind: FileType) {
        let is_directory = match kind {
            FileType::Directory => true,
            FileType::RegularFile => false,
            _ if !(self.is_open)(&path) => return, // a link to where one must not go
            _ => match path.metadata() {
                Ok(found) => found.is_dir(),
                Err(_) => return, // a link that leads nowhere
            },
        };
        if !is_directory {
            if is_database(name) {
                self.names.push(format!("{prefix}{name}"));
            }
        } else if self.is_recursive {
            // What cannot be read in it is passed over.
            let _ = self.directory(&path, &format!("{prefix}{name}/"));
        } else {
            self.names.push(name.to_owned());
        }
    }

    fn ring(&mut self, path: &Path, prefix: &str) -> Result<(), Unlisted> {
        let names = self.session.databases.store_at(&path.to_string_lossy())?.names("");
        let names = names?;
        let listed = level(names.iter().map(String::as_str), self.is_recursive);
        self.names.extend(listed.into_iter().map(|name| format!("{prefix}{name}")));
        Ok(())
    }
}
