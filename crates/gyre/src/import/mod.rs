//! `gyre import`: reads files into databases of a ring store.
//!
//! ```text
//!  files ──▶ read, understood (every core) ──▶ gathered by layout ──▶ a group at a time ──▶ store
//! ```
//!
//! A database that the store already has is skipped. So an import that was interrupted can be run
//! again.

mod sources;
mod work;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use ring::Pace;
use ring::{RingOptions, RingStore};
use store::{Adopt, Error, Store};

use crate::command_line::with_databases;
use crate::ring::{OfRing, flush_cycles, sparse, tile_rows};
use crate::serving;
use figures::duration;
use options::{CommandLine, Misuse, switch};
use rrdtool::{Failure, Session};
use work::Outcome;

const LINE: CommandLine<Wanted> = CommandLine {
    synopsis: "gyre import [OPTIONS] STORE DIRECTORY|FILE...",
    summary: "Import .rrd files, and .log files of MRTG, into a ring store, which is made if it \
              does not exist. Of a directory, all files below it are imported, with their paths \
              below it as names. Files that were imported before are skipped. Files are only read.",
    options: &[
        switch("--replace", "replace databases of the same name", |it| {
            it.replace = true;
        }),
        flush_cycles("for a new store: steps between two checkpoints of a group (18)"),
        tile_rows("for a new store: the most rows of a database in one page (18)"),
        sparse(
            "allocate disk space when rows are written, from now on: acknowledged samples may then \
             meet a full disk. The store remembers this",
        ),
    ],
    notes: "",
};

#[derive(Default)]
struct Wanted {
    replace: bool,
    ring: RingOptions,
    root: PathBuf,
    places: Vec<PathBuf>,
}

impl OfRing for Wanted {
    fn ring(&mut self) -> &mut RingOptions {
        &mut self.ring
    }
}

/// The command, for its page.
pub(crate) fn described() -> Vec<options::Described> {
    vec![LINE.described()]
}

/// `gyre import …`.
pub(crate) fn main(words: impl IntoIterator<Item = OsString>) -> ExitCode {
    with_databases(&LINE, parse(words), run)
}

fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Option<Wanted>, Misuse> {
    let Some((wanted, operands)) = LINE.read(words)? else { return Ok(None) };
    let mut places = operands.into_iter().map(PathBuf::from);
    match (places.next(), places.collect::<Vec<_>>()) {
        (Some(root), places) if !places.is_empty() => Ok(Some(Wanted { root, places, ..wanted })),
        _ => Err(Misuse::operands("STORE and what to take")),
    }
}

fn run(session: &mut Session, wanted: &Wanted) -> Result<(), Failure> {
    let Wanted { replace, ring, root, places } = wanted;
    let found = sources::find(root, places)?;
    let destination = Destination::find(session, root, *ring)?;
    let start = Instant::now();
    let mut outcome = work::import(destination.store(root)?, &found.sources, *replace)?;
    destination.leave()?;
    outcome.problems.extend(found.problems);
    tell(session, &outcome, start.elapsed().as_secs_f64())
}

/// The store that databases are imported into.
enum Destination {
    /// A store that this process opened. Other processes can use it meanwhile.
    Own { ring: Arc<RingStore>, served: Option<Box<dyn Send>> },
    /// A store that another process has open.
    Elsewhere(Arc<dyn Store>),
}

impl Destination {
    /// The store in a directory; it is made if it does not exist.
    fn find(session: &mut Session, root: &Path, options: RingOptions) -> Result<Self, Failure> {
        match open(root, options) {
            Err(Failure::Store(error)) if matches!(*error, Error::Locked(_)) && options.sparse => {
                let root = root.display();
                let words = format!("{root}: --sparse expects that no other process has it open");
                Err(Failure::misuse(words))
            }
            Err(Failure::Store(error)) if matches!(*error, Error::Locked(_)) => {
                Ok(Self::Elsewhere(session.databases.store_at(&root.to_string_lossy())?))
            }
            opened => {
                let ring = Arc::new(opened?);
                let served = serving::serve(&ring);
                let served = served.inspect_err(|failure| rrdtool::complain!("{failure}")).ok();
                Ok(Self::Own { ring, served })
            }
        }
    }

    fn store(&self, root: &Path) -> Result<&dyn Adopt, Failure> {
        let store = match self {
            Self::Own { ring, .. } => ring.adopts(),
            Self::Elsewhere(store) => store.adopts(),
        };
        let none = || Failure::misuse(format!("{}: expected a ring store", root.display()));
        store.ok_or_else(none)
    }

    fn leave(self) -> Result<(), Failure> {
        let Self::Own { ring, served } = self else { return Ok(()) };
        drop(served);
        Ok(Arc::into_inner(ring).map_or(Ok(()), RingStore::close)?)
    }
}

fn open(root: &Path, options: RingOptions) -> Result<RingStore, Failure> {
    let is_new = !RingStore::is_at(root);
    if is_new && root.read_dir().is_ok_and(|mut entries| entries.next().is_some()) {
        let words = format!("{}: expected a ring store or an empty directory", root.display());
        return Err(Failure::misuse(words));
    }
    if !is_new && options.pace != Pace::default() {
        let words = format!("{}: its pace was chosen when it was made", root.display());
        return Err(Failure::misuse(words));
    }
    let store = RingStore::open_or_create(root, options)?;
    store.engine().give_notes_to(|words| rrdtool::complain!("{words}"));
    Ok(store)
}

/// Prints the result.
fn tell(session: &mut Session, outcome: &Outcome, seconds: f64) -> Result<(), Failure> {
    let Outcome { came, were_there, problems } = outcome;
    let rate = *came as f64 / seconds.max(f64::MIN_POSITIVE);
    let told = format!(
        "{came} taken in {}, {rate:.0} a second; {were_there} were there already\n",
        duration(seconds)
    );
    session.out.extend_from_slice(told.as_bytes());
    if problems.is_empty() {
        return Ok(());
    }
    // Threads meet problems in any order, so they are sorted.
    let mut told: Vec<String> = problems.iter().map(Failure::to_string).collect();
    told.sort_unstable();
    told.iter().for_each(|problem| rrdtool::complain!("{problem}"));
    Err(Failure::misuse(format!("{} not taken", problems.len())))
}
