//! Work on many files whose heads are read first: several threads do it, and each asks the disk for
//! many heads at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::entry::{Entry, EntryState};
use super::head_reader::HeadReader;

/// Files whose heads a thread asks for together.
const CHUNK_FILES: usize = 32;
/// Threads that ask for heads: opening a file may have to wait for the disk, too.
const THREADS_MAX: usize = 8;
/// Where there are fewer files, no thread helps.
pub(super) const HELPED_FROM: usize = 2 * CHUNK_FILES;

/// Does something with each entry, held, that is wanted.
pub(super) fn work_together(
    entries: &[Arc<Entry>],
    is_wanted: impl Fn(&EntryState) -> bool + Sync,
    work: impl Fn(&Arc<Entry>, &mut EntryState, &mut HeadReader) + Sync,
) {
    let next = AtomicUsize::new(0);
    let help = || {
        let mut head_reader = HeadReader::looking_ahead(CHUNK_FILES);
        loop {
            let start = next.fetch_add(CHUNK_FILES, Ordering::Relaxed).min(entries.len());
            let end = (start + CHUNK_FILES).min(entries.len());
            if start == end {
                return;
            }
            work_on_chunk(&entries[start..end], &is_wanted, &work, &mut head_reader);
        }
    };
    let threads = entries.len().div_ceil(CHUNK_FILES).min(THREADS_MAX);
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(help))));
}

fn work_on_chunk(
    entries: &[Arc<Entry>],
    is_wanted: impl Fn(&EntryState) -> bool,
    work: impl Fn(&Arc<Entry>, &mut EntryState, &mut HeadReader),
    head_reader: &mut HeadReader,
) {
    let (mut held, mut busy) = (Vec::with_capacity(entries.len()), Vec::new());
    for entry in entries {
        // A thread never waits for one entry while it holds another.
        match entry.try_lock() {
            Some(state) if is_wanted(&state) => held.push((entry, state)),
            Some(_) => {}
            None => busy.push(entry),
        }
    }
    head_reader.open_ahead(held.iter().map(|(entry, _)| &*entry.path));
    for (entry, mut state) in held {
        work(entry, &mut state, head_reader);
    }
    for entry in busy {
        let mut state = entry.lock();
        if is_wanted(&state) {
            work(entry, &mut state, head_reader);
        }
    }
}
