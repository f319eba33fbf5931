//! Finding files: names that are given, and everything below those that are directories, in
//! batches.
//!
//! A batch is filled, looked through, handed over and filled again, so that a walk over any number
//! of files takes the memory of a few batches, and of one buffer for each directory on the way
//! down. Files stand in the order in which their directory lists them; what lies deeper comes after
//! the files of the same buffer.

use std::ffi::{CStr, CString};
use std::io;
use std::mem::MaybeUninit;
use std::sync::Arc;

use disk::{FileKind, OpenDirectory};

/// Room for a part of a directory's list.
const LIST_BYTES: usize = 32 << 10;
/// Directories that one batch may hold open: descriptors are few.
const FOLDERS_MAX: usize = 16;

/// How far a walk goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WalkOptions {
    /// Stay on the file system of each directory that is named.
    pub one_file_system: bool,
}

/// What could not be done with a file, and why.
#[derive(Debug)]
pub struct Fault {
    /// As in "opening".
    pub action: &'static str,
    /// What the system says.
    pub error: io::Error,
}

impl Fault {
    /// Says what failed.
    pub fn at(action: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |error| Self { action, error }
    }

    fn kind(found: FileKind) -> Self {
        let error = io::Error::other(format!("expected a file or a directory, found {found}"));
        Self { action: "looking", error }
    }
}

/// A directory held open, and the path that leads there.
#[derive(Debug)]
pub(crate) struct Folder {
    pub(crate) directory: OpenDirectory,
    /// Empty, or with a slash at its end.
    path: Vec<u8>,
}

/// One name of a batch.
#[derive(Debug)]
pub(crate) struct Item<T> {
    folder: usize,
    name: usize,
    /// Whether the name was given, so that a link is followed.
    pub(crate) is_named: bool,
    pub(crate) outcome: Option<Result<T, Fault>>,
}

/// Some files.
#[derive(Debug)]
pub(crate) struct Batch<T> {
    /// Batches are numbered in the order of the walk.
    pub(crate) number: u64,
    folders: Vec<Arc<Folder>>,
    /// Each with a zero at its end.
    names: Vec<u8>,
    pub(crate) items: Vec<Item<T>>,
}

impl<T> Batch<T> {
    pub(crate) fn new() -> Self {
        Self { number: 0, folders: Vec::new(), names: Vec::new(), items: Vec::new() }
    }

    fn clear(&mut self) {
        self.folders.clear();
        self.names.clear();
        self.items.clear();
    }

    fn is_full(&self, items: usize) -> bool {
        self.items.len() >= items || self.folders.len() >= FOLDERS_MAX
    }

    fn add(
        &mut self,
        folder: &Arc<Folder>,
        name: &CStr,
        is_named: bool,
        outcome: Option<Result<T, Fault>>,
    ) {
        if self.folders.last().is_none_or(|last| !Arc::ptr_eq(last, folder)) {
            self.folders.push(Arc::clone(folder));
        }
        let start = self.names.len();
        self.names.extend_from_slice(name.to_bytes_with_nul());
        self.items.push(Item { folder: self.folders.len() - 1, name: start, is_named, outcome });
    }

    /// The directory and the name in it of an item.
    pub(crate) fn place(&self, item: &Item<T>) -> (&Folder, &CStr) {
        let name = CStr::from_bytes_until_nul(&self.names[item.name..]).expect("it was put so");
        (&self.folders[item.folder], name)
    }

    /// Writes the path of an item over what `path` holds.
    pub(crate) fn write_path(&self, item: &Item<T>, path: &mut Vec<u8>) {
        let (folder, name) = self.place(item);
        path.clear();
        path.extend_from_slice(&folder.path);
        path.extend_from_slice(name.to_bytes());
    }
}

/// A directory whose list is being read.
struct Level {
    folder: Arc<Folder>,
    list: Box<[MaybeUninit<u8>]>,
    /// Directories of the part read last that are still to be entered.
    below: Vec<CString>,
    is_read: bool,
    /// The device that is not to be left.
    device: Option<u64>,
}

/// A walk under way.
pub(crate) struct Walk<R> {
    options: WalkOptions,
    roots: R,
    here: Arc<Folder>,
    levels: Vec<Level>,
    batches: u64,
    batch_items: usize,
}

impl<R: Iterator<Item = io::Result<Vec<u8>>>> Walk<R> {
    pub(crate) fn new(roots: R, options: WalkOptions, batch_items: usize) -> io::Result<Self> {
        let here = Folder { directory: OpenDirectory::current()?, path: Vec::new() };
        let here = Arc::new(here);
        Ok(Self { options, roots, here, levels: Vec::new(), batches: 0, batch_items })
    }

    /// Fills a batch; false if there is nothing left.
    pub(crate) fn fill<T>(&mut self, batch: &mut Batch<T>) -> bool {
        batch.clear();
        batch.number = self.batches;
        self.batches += 1;
        while !batch.is_full(self.batch_items) {
            let went_on = match self.levels.last() {
                Some(_) => self.go_on(batch),
                None => self.next_root(batch),
            };
            if !went_on {
                break;
            }
        }
        !batch.items.is_empty()
    }

    fn next_root<T>(&mut self, batch: &mut Batch<T>) -> bool {
        let Some(root) = self.roots.next() else { return false };
        let here = Arc::clone(&self.here);
        let mut fail = |name: &CStr, fault| batch.add(&here, name, true, Some(Err(fault)));
        let root = match root {
            Ok(root) => root,
            Err(error) => {
                fail(c"standard input", Fault { action: "reading", error });
                return true;
            }
        };
        let Ok(name) = CString::new(root) else {
            let error = io::Error::other("expected a name, found one with a zero byte");
            fail(c"standard input", Fault { action: "reading", error });
            return true;
        };
        match here.directory.facts_of(&name, true) {
            Err(error) => fail(&name, Fault { action: "looking", error }),
            Ok(facts) => match facts.kind {
                FileKind::Regular => batch.add(&here, &name, true, None),
                FileKind::Directory => self.enter(batch, &here, &name, None, true),
                kind => fail(&name, Fault::kind(kind)),
            },
        }
        true
    }

    /// Goes one step further in the directory that is being read.
    fn go_on<T>(&mut self, batch: &mut Batch<T>) -> bool {
        let Some(level) = self.levels.last_mut() else { return false };
        let (folder, device) = (Arc::clone(&level.folder), level.device);
        if let Some(name) = level.below.pop() {
            self.enter(batch, &folder, &name, device, false);
        } else if level.is_read {
            self.levels.pop();
        } else {
            level.read(batch);
        }
        true
    }

    fn enter<T>(
        &mut self,
        batch: &mut Batch<T>,
        folder: &Arc<Folder>,
        name: &CStr,
        device: Option<u64>,
        is_named: bool,
    ) {
        match self.level(folder, name, device, is_named) {
            Ok(level) => self.levels.extend(level),
            Err(fault) => batch.add(folder, name, is_named, Some(Err(fault))),
        }
    }

    /// Opens a directory; `None` if it lies on a device that is not to be looked at.
    fn level(
        &self,
        folder: &Folder,
        name: &CStr,
        device: Option<u64>,
        is_named: bool,
    ) -> Result<Option<Level>, Fault> {
        let opened = folder.directory.open_directory(name, is_named);
        let directory = opened.map_err(Fault::at("opening the directory"))?;
        let mut stays_on = None;
        if self.options.one_file_system {
            let facts = directory.facts().map_err(Fault::at("looking"))?;
            let found = facts.identity.device();
            if device.is_some_and(|device| device != found) {
                return Ok(None);
            }
            stays_on = Some(found);
        }
        let mut path = folder.path.clone();
        path.extend_from_slice(name.to_bytes());
        if !path.ends_with(b"/") {
            path.push(b'/');
        }
        Ok(Some(Level {
            folder: Arc::new(Folder { directory, path }),
            list: Box::new_uninit_slice(LIST_BYTES),
            below: Vec::new(),
            is_read: false,
            device: stays_on,
        }))
    }
}

impl Level {
    /// Reads a part of the list into a batch, which may grow beyond its measure by that.
    fn read<T>(&mut self, batch: &mut Batch<T>) {
        let Self { folder, list, below, .. } = self;
        let listed = folder.directory.next_entries(list, |name, kind| {
            match told_kind(folder, name, kind) {
                Ok(FileKind::Regular) => batch.add(folder, name, false, None),
                Ok(FileKind::Directory) => below.push(name.into()),
                // Links are not followed; nothing else has pages of its own, or may be opened
                // without consequences.
                Ok(_) => {}
                Err(error) => {
                    let fault = Fault { action: "looking", error };
                    batch.add(folder, name, false, Some(Err(fault)));
                }
            }
        });
        // Taken from the end.
        below.reverse();
        match listed {
            Ok(more) => self.is_read = !more,
            Err(error) => {
                self.is_read = true;
                let fault = Fault { action: "reading the directory", error };
                batch.add(folder, c".", false, Some(Err(fault)));
            }
        }
    }
}

/// What a name in a list is, asked for where the list does not say.
fn told_kind(folder: &Folder, name: &CStr, kind: FileKind) -> io::Result<FileKind> {
    match kind {
        FileKind::Unknown => Ok(folder.directory.facts_of(name, false)?.kind),
        kind => Ok(kind),
    }
}
