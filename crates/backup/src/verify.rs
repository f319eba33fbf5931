//! Reads all of a snapshot and reports damage.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::path::Path;

use crate::Error;
use crate::contents::{self, Damage};
use crate::destination::Destination;
use crate::entry::{Entry, PROGRESS};
use crate::index::IndexReader;
use crate::packs::Packs;
use crate::pool::{Pool, Ticket};

/// Files that are read at the same time.
const READERS: usize = 8;

/// The result of verifying a snapshot.
#[derive(Clone, Debug, Default)]
pub struct Verified {
    /// Its number.
    pub number: u32,
    /// Files that were checked.
    pub files: u64,
    /// The bytes of these files.
    pub bytes: u64,
    /// The damage: each file with the offset in it.
    pub damage: Vec<String>,
}

/// Checks every page of a snapshot; of the newest if `snapshot` is `None`.
///
/// # Errors
///
/// There is no such snapshot, or its index is damaged.
pub fn verify(
    root: &Path,
    snapshot: Option<u32>,
    mut show: impl FnMut(&Verified),
) -> Result<Verified, Error> {
    let destination = Destination::open(root)?;
    let number = destination.choose(snapshot)?;
    let mut reader = IndexReader::open(root, number)?;
    let packs = Packs::of(root);
    let mut verified = Verified { number, ..Verified::default() };
    std::thread::scope(|scope| {
        let pool = Pool::start(scope, READERS);
        let mut queue: VecDeque<Ticket<(Entry, Vec<Damage>)>> = VecDeque::new();
        while let Some(entry) = reader.next_entry()? {
            if entry.facts.kind == disk::FileKind::Regular && !entry.is(PROGRESS) {
                let packs = &packs;
                queue.push_back(pool.submit(move || checked(packs, entry)));
            }
            if queue.len() > 4 * READERS {
                queue.pop_front().into_iter().for_each(|ticket| verified.take(ticket.wait()));
                show(&verified);
            }
        }
        queue.into_iter().for_each(|ticket| verified.take(ticket.wait()));
        Ok::<(), Error>(())
    })?;
    Ok(verified)
}

fn checked(packs: &Packs, entry: Entry) -> (Entry, Vec<Damage>) {
    let Ok(damage) = contents::read(packs, &entry, |_, _| Ok::<(), Infallible>(()));
    (entry, damage)
}

impl Verified {
    fn take(&mut self, (entry, damage): (Entry, Vec<Damage>)) {
        self.files += 1;
        self.bytes += entry.facts.bytes;
        let path = entry.path.display();
        let words = |each: &Damage| format!("{path}: at byte {}: {}", each.offset_bytes, each.what);
        self.damage.extend(damage.iter().map(words));
    }
}
