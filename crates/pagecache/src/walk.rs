//! Finds files: those that are named, and all below the directories that are named, in batches.
//!
//! Each batch is filled, inspected, reported and reused. So a walk over any number of files needs
//! memory only for a few batches, and for one buffer for each level of directories. Files come in
//! the order in which the directory lists them. The files of subdirectories come after the files in
//! the same buffer of the list.

use std::ffi::{CStr, CString};
use std::io;
use std::mem::MaybeUninit;
use std::sync::Arc;

use disk::{FileKind, OpenDirectory};

/// The size of the buffer for a part of a directory's list.
const LIST_BYTES: usize = 32 << 10;
/// The most directories that a batch holds open, because descriptors are limited.
const FOLDERS_MAX: usize = 16;

/// The options of a walk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WalkOptions {
    /// Whether to stay on the file system of each directory that is named.
    pub one_file_system: bool,
}

/// An action on a file that failed.
#[derive(Debug)]
pub struct Fault {
    /// The action, such as "opening".
    pub action: &'static str,
    /// The system's error.
    pub error: io::Error,
}

impl Fault {
    /// Adds the action to an error.
    pub fn at(action: &'static str) -> impl FnOnce(io::Error) -> Self {
        move |error| Self { action, error }
    }

    fn kind(found: FileKind) -> Self {
        let error = io::Error::other(format!("expected a file or a directory, found {found}"));
        Self { action: "looking", error }
    }
}

/// An open directory, and its path.
#[derive(Debug)]
pub(crate) struct Folder {
    pub(crate) directory: OpenDirectory,
    /// Empty, or ends with a slash.
    path: Vec<u8>,
}

/// A name in a batch.
#[derive(Debug)]
pub(crate) struct Item<T> {
    folder: usize,
    name: usize,
    /// Whether the name was given by the caller: then a symbolic link is followed.
    pub(crate) is_named: bool,
    pub(crate) outcome: Option<Result<T, Fault>>,
}

/// Some files.
#[derive(Debug)]
pub(crate) struct Batch<T> {
    /// Batches are numbered in the order of the walk.
    pub(crate) number: u64,
    folders: Vec<Arc<Folder>>,
    /// The names, each followed by a zero byte.
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

    /// The directory of an item, and its name there.
    pub(crate) fn place(&self, item: &Item<T>) -> (&Folder, &CStr) {
        let name = CStr::from_bytes_until_nul(&self.names[item.name..]).expect("it was put so");
        (&self.folders[item.folder], name)
    }

    /// Puts the path of an item into `path`.
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
    /// Subdirectories in the part of the list that was read last, still to be entered.
    below: Vec<CString>,
    is_read: bool,
    /// The device to stay on, if any.
    device: Option<u64>,
}

/// A walk in progress.
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

    /// Fills a batch; false at the end of the walk.
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

    /// Reads the next part of the current directory, or enters a subdirectory.
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

    /// Opens a directory; `None` if it is on another device that is to be skipped.
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
    /// Reads a part of the list into a batch, which may exceed its size by that part.
    fn read<T>(&mut self, batch: &mut Batch<T>) {
        let Self { folder, list, below, .. } = self;
        let listed = folder.directory.next_entries(list, |name, kind| {
            match told_kind(folder, name, kind) {
                Ok(FileKind::Regular) => batch.add(folder, name, false, None),
                Ok(FileKind::Directory) => below.push(name.into()),
                // Symbolic links are not followed. Other kinds have no pages, or opening them has
                // side effects.
                Ok(_) => {}
                Err(error) => {
                    let fault = Fault { action: "looking", error };
                    batch.add(folder, name, false, Some(Err(fault)));
                }
            }
        });
        // Subdirectories are taken from the end.
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

/// The kind of a name; asked for if the list does not tell.
fn told_kind(folder: &Folder, name: &CStr, kind: FileKind) -> io::Result<FileKind> {
    match kind {
        FileKind::Unknown => Ok(folder.directory.facts_of(name, false)?.kind),
        kind => Ok(kind),
    }
}
