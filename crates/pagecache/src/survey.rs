//! Inspects many files in parallel, and passes the results on one after the other.
//!
//! ```text
//!   walk --batch--> threads: open, look --batch--> sort by number --> caller
//!     ^------------------------ empty batches ---------------------------'
//! ```
//!
//! The number of batches is fixed: a slow part makes the others wait, and memory does not grow.

use std::collections::BTreeMap;
use std::io;
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};

use disk::{File, FileFacts, FileKind};

use crate::walk::{Batch, Fault, Item, Walk, WalkOptions};

/// Batches for each thread.
const BATCHES_PER_THREAD: usize = 4;

/// The options of a survey.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Survey {
    /// The options of the walk.
    pub walk: WalkOptions,
    /// The number of threads that inspect files, at least one.
    pub threads: usize,
    /// Files in a batch: many if each is inspected quickly, few if the result for each is large.
    pub batch_files: usize,
}

/// A file to inspect.
#[derive(Debug)]
pub struct Opened<'a> {
    /// Open for reading, with `O_NOATIME` if that is permitted.
    pub file: &'a File,
    /// Its metadata.
    pub facts: FileFacts,
    /// The path by which it was found.
    pub path: &'a [u8],
}

/// The result for a path.
#[derive(Debug)]
pub struct Sighting<'a, T> {
    /// The path as given, or below a directory that was given.
    pub path: &'a [u8],
    /// The result, or why there is none.
    pub outcome: Result<T, Fault>,
}

/// Inspects every file that is named by the roots or is below them, on several threads. Passes the
/// results to `tell` in the order of the walk, until there are no more or `tell` returns `Break`.
///
/// # Errors
///
/// The working directory cannot be opened. Errors about single files are part of a [`Sighting`].
pub fn survey<T: Send, B>(
    roots: impl Iterator<Item = io::Result<Vec<u8>>> + Send,
    options: Survey,
    look: &(dyn Fn(&Opened<'_>) -> io::Result<T> + Sync),
    mut tell: impl FnMut(Sighting<'_, T>) -> ControlFlow<B>,
) -> io::Result<ControlFlow<B>> {
    assert!(options.threads > 0 && options.batch_files > 0);
    let walk = Walk::new(roots, options.walk, options.batch_files)?;
    let (empty_in, empty) = channel();
    for _ in 0..options.threads * BATCHES_PER_THREAD {
        let _ = empty_in.send(Batch::new()); // its receiver is here
    }
    let (todo_in, todo) = channel();
    let (done_in, done) = channel();
    let todo = Mutex::new(todo);
    Ok(std::thread::scope(|scope| {
        scope.spawn(move || fill_batches(walk, &empty, &todo_in));
        for _ in 0..options.threads {
            let (todo, done_in) = (&todo, done_in.clone());
            scope.spawn(move || look_through(todo, &done_in, look));
        }
        drop(done_in);
        // Both channels are dropped when this returns, so that the threads end, too.
        tell_in_order(done, empty_in, &mut tell)
    }))
}

fn fill_batches<T>(
    mut walk: Walk<impl Iterator<Item = io::Result<Vec<u8>>>>,
    empty: &Receiver<Batch<T>>,
    todo: &Sender<Batch<T>>,
) {
    while let Ok(mut batch) = empty.recv() {
        if !walk.fill(&mut batch) || todo.send(batch).is_err() {
            return;
        }
    }
}

fn look_through<T>(
    todo: &Mutex<Receiver<Batch<T>>>,
    done: &Sender<Batch<T>>,
    look: &dyn Fn(&Opened<'_>) -> io::Result<T>,
) {
    let mut path = Vec::new();
    loop {
        let next = todo.lock().expect("no thread panics while it waits").recv();
        let Ok(mut batch) = next else { return };
        let mut items = std::mem::take(&mut batch.items);
        for item in items.iter_mut().filter(|item| item.outcome.is_none()) {
            item.outcome = Some(look_at(&batch, item, &mut path, look));
        }
        batch.items = items;
        if done.send(batch).is_err() {
            return;
        }
    }
}

fn look_at<T>(
    batch: &Batch<T>,
    item: &Item<T>,
    path: &mut Vec<u8>,
    look: &dyn Fn(&Opened<'_>) -> io::Result<T>,
) -> Result<T, Fault> {
    let (folder, name) = batch.place(item);
    let opened = folder.directory.open_file(name, item.is_named);
    let file = opened.map_err(Fault::at("opening"))?;
    let facts = file.facts().map_err(Fault::at("looking"))?;
    if facts.kind != FileKind::Regular {
        let found = format!("expected a file, found {}", facts.kind);
        return Err(Fault { action: "looking", error: io::Error::other(found) });
    }
    batch.write_path(item, path);
    look(&Opened { file: &file, facts, path }).map_err(Fault::at("looking"))
}

fn tell_in_order<T, B>(
    done: Receiver<Batch<T>>,
    empty: Sender<Batch<T>>,
    tell: &mut impl FnMut(Sighting<'_, T>) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let mut early = BTreeMap::new();
    let mut next = 0;
    let mut path = Vec::new();
    for batch in done {
        early.insert(batch.number, batch);
        while let Some(mut batch) = early.remove(&next) {
            next += 1;
            for mut item in std::mem::take(&mut batch.items) {
                let outcome = item.outcome.take().expect("all of a batch were looked at");
                batch.write_path(&item, &mut path);
                tell(Sighting { path: &path, outcome })?;
            }
            // Sending fails if the walk is over.
            let _ = empty.send(batch);
        }
    }
    ControlFlow::Continue(())
}
