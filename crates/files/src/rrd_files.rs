//! `.rrd` files as a store, read and written in place.

use std::borrow::Cow;
use std::io::ErrorKind;
use std::ops::ControlFlow;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, PoisonError};

use disk::{Durability, File, GoesOn};
use rrd::fetch::Query;
use rrd::{Series, Snapshot, Stretch};
use rrdfile::Header;
use store::{
    Edit, Error, Existing, Follow, Follower, Making, NamePattern, NamesPage, Refused, RowsSince,
    Store, TakeRows, Update, Wanted, Watch,
};
use tracing_mutex::stdsync::{Mutex, MutexGuard};

use crate::by_file::{by_file, from_file};
use crate::edit::{change_cells_of_file, resize_file, tell_of_edit, tune_file, tune_source};
use crate::permissions::Before;
use crate::{Access, OpenFiles, RrdFile, create_while, restore_with};

/// Files kept open between updates where the program does not say how many: far below the usual
/// limit of descriptors (1,024), which the program has not raised.
const UNTOLD_OPEN_FILES: usize = 512;

/// `.rrd` files. A name is a path: as it stands, or relative to a directory out of which none
/// leads.
#[derive(Debug)]
pub struct RrdFiles {
    root: Option<PathBuf>,
    open_files: Mutex<OpenFiles>,
    follower: Follower,
}

impl RrdFiles {
    /// The files below an existing directory. New ones get the directories that they need, and are
    /// on disk when they are made.
    #[must_use]
    pub fn below(root: &Path) -> Self {
        Self::keeping_open(root, UNTOLD_OPEN_FILES)
    }

    /// The same, which keeps at most so many files open between updates.
    #[must_use]
    pub fn keeping_open(root: &Path, files_max: usize) -> Self {
        let open_files = Mutex::new(OpenFiles::new(files_max));
        Self { root: Some(root.into()), open_files, follower: Follower::default() }
    }

    /// Files by any path, of which at most so many stay open between updates. New ones are as
    /// rrdtool makes them.
    #[must_use]
    pub fn anywhere(files_max: usize) -> Self {
        let open_files = Mutex::new(OpenFiles::new(files_max));
        Self { root: None, open_files, follower: Follower::default() }
    }

    /// The file of a name.
    ///
    /// # Errors
    /// [`Error::Name`] if it would lie outside of the directory.
    pub fn path<'n>(&self, name: &'n Path) -> Result<Cow<'n, Path>, Error> {
        let Some(root) = &self.root else { return Ok(Cow::Borrowed(name)) };
        let inside = name.components().all(|part| matches!(part, Component::Normal(_)));
        match inside && !name.as_os_str().is_empty() {
            true => Ok(Cow::Owned(root.join(name))),
            false => Err(Error::Name(name.to_string_lossy().into())),
        }
    }

    fn open(&self, name: &Path) -> Result<RrdFile, Error> {
        RrdFile::open(&self.path(name)?, Access::Read)
    }

    fn update_one(
        &self,
        open_files: &mut OpenFiles,
        update: &Update<'_>,
        watch: Option<&mut Watch<'_>>,
    ) -> Result<(), Refused> {
        let path = self.path(update.name).map_err(Refused::first)?;
        let samples = update.samples;
        let locking = samples.locking();
        let taken = open_files.update_locking(&path, locking, |file| file.take(samples, watch));
        taken.map_err(Refused::first)?
    }

    fn make_one(&self, making: &Making<'_>, goes_on: GoesOn<'_>) -> Result<(), Error> {
        let &Making { new, past, existing, with_directories } = making;
        let path = self.path(new.name)?;
        self.make_parents(&path, with_directories)?;
        let before = Before::of(&path);
        let durability = self.durability(&before);
        match past {
            None => {
                create_while(&path, new.definition, new.start, existing, durability, goes_on)?;
            }
            Some(past) => restore_with(&path, past, existing, durability)?,
        }
        before.after_create(&path).map_err(Error::io("chmod", &path))
    }

    fn restore(&self, path: &Path, whole: &Snapshot, existing: Existing) -> Result<(), Error> {
        self.make_parents(path, false)?;
        let before = Before::of(path);
        restore_with(path, whole, existing, self.durability(&before))?;
        before.after_restore(path).map_err(Error::io("chmod", path))
    }

    fn make_parents(&self, path: &Path, is_asked: bool) -> Result<(), Error> {
        match self.root.is_some() || is_asked {
            true => disk::create_parents(path).map_err(Error::io("creating", path)),
            false => Ok(()),
        }
    }

    fn durability(&self, before: &Before) -> Durability {
        match self.root {
            Some(_) => Durability::Synced,
            None => before.durability(),
        }
    }

    fn edit_untold(&self, name: &Path, edit: &Edit<'_>) -> Result<(), Error> {
        let path = self.path(name)?;
        match *edit {
            Edit::Tune(tuning) => self.open_files().hold(&path, |file| tune_file(file, tuning))?,
            Edit::Source(tuning) => {
                self.open_files().hold(&path, |file| tune_source(file, tuning))?
            }
            Edit::Resize { archive, change, result } => {
                let result = self.path(result)?;
                self.open_files().hold(&path, |file| resize_file(file, archive, change, &result))?
            }
            Edit::Cells(cells) => {
                self.open_files().hold(&path, |file| change_cells_of_file(file, cells))?
            }
            Edit::Rename(to) => {
                let to = self.path(to)?;
                self.make_parents(&to, false)?;
                disk::rename_new(&path, &to).map_err(|source| match source.kind() {
                    ErrorKind::AlreadyExists => Error::Exists(to.into_owned()),
                    ErrorKind::NotFound => Error::missing(&path),
                    _ => Error::io("renaming", &path)(source),
                })
            }
            Edit::Delete => disk::remove_file(&path).map_err(|source| match source.kind() {
                ErrorKind::NotFound => Error::missing(&path),
                _ => Error::io("removing", &path)(source),
            }),
            Edit::Restore { whole, existing } => self.restore(&path, whole, existing),
        }
    }

    fn open_files(&self) -> MutexGuard<'_, OpenFiles> {
        // A panic elsewhere leaves at worst files open: each is read anew before its next update.
        self.open_files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for RrdFiles {
    fn make(&self, new: &[Making<'_>], goes_on: GoesOn<'_>) -> Vec<(usize, Error)> {
        let made = new.iter().map(|making| self.make_one(making, goes_on));
        let failures = made.enumerate().filter_map(|(nth, made)| Some((nth, made.err()?)));
        let failures: Vec<_> = failures.collect();
        self.follower.made(new, &failures);
        failures
    }

    fn update(&self, batch: &[Update<'_>]) -> Vec<(usize, Refused)> {
        let mut open_files = self.open_files();
        let taken = batch.iter().map(|update| self.update_one(&mut open_files, update, None));
        let refused = taken.enumerate().filter_map(|(nth, taken)| Some((nth, taken.err()?)));
        let refused = refused.collect();
        drop(open_files);
        self.follower.updated(batch);
        refused
    }

    fn update_watched(&self, update: &Update<'_>, watch: &mut Watch<'_>) -> Result<(), Refused> {
        let taken = self.update_one(&mut self.open_files(), update, Some(watch));
        self.follower.updated(std::slice::from_ref(update));
        taken
    }

    fn header(&self, name: &Path) -> Result<Header, Error> {
        Ok(self.open(name)?.into_header())
    }

    fn fetch(&self, name: &Path, query: &Query) -> Result<Series, Error> {
        self.open(name)?.fetch(query)
    }

    fn fetch_stretch(&self, name: &Path, query: &Query) -> Result<Stretch, Error> {
        self.open(name)?.fetch_stretch(query)
    }

    /// Each file is opened once, in the order of the inodes: that is how those lie that were made
    /// together.
    fn fetch_many(&self, wanted: &[Wanted<'_>], take: &mut TakeRows<'_>) -> Result<(), Error> {
        let inode = |name: &Path| disk::File::identity_of(&self.path(name).ok()?).ok();
        let mut files = by_file(wanted, |name| inode(name).map(|(identity, _)| identity));
        let open = |name: &Path| self.open(name);
        let _: ControlFlow<()> =
            files.try_for_each(|positions| from_file(wanted, &positions, open, take));
        Ok(())
    }

    /// No update of this process comes between head and rows.
    fn rows_since(&self, name: &Path, mark_seconds: i64) -> Result<RowsSince, Error> {
        let _no_update_meanwhile = self.open_files();
        self.open(name)?.rows_since(mark_seconds)
    }

    fn whole(&self, name: &Path) -> Result<(Header, Snapshot), Error> {
        let file = self.open(name)?;
        Ok((file.header().clone(), file.snapshot()?))
    }

    fn has(&self, name: &Path) -> bool {
        self.path(name).is_ok_and(|path| disk::File::identity_of(&path).is_ok())
    }

    fn edit(&self, name: &Path, edit: &Edit<'_>, _: GoesOn<'_>) -> Result<(), Error> {
        let done = self.edit_untold(name, edit);
        tell_of_edit(&self.follower, name, edit, &done);
        done
    }

    fn names_from(
        &self,
        pattern: &NamePattern,
        from: &str,
        limit: usize,
    ) -> Result<NamesPage, Error> {
        Ok(NamesPage::of(self.names_like(pattern)?, from, limit))
    }

    /// One walk, through those directories alone in which such names can be.
    fn names_like(&self, pattern: &NamePattern) -> Result<Vec<String>, Error> {
        let root = self.root.as_deref().unwrap_or(Path::new("."));
        let directory = pattern.common().rsplit_once('/').map_or("", |(directory, _)| directory);
        let within = Path::new(directory).components().all(|it| matches!(it, Component::Normal(_)));
        let top = if within { root.join(directory) } else { root.to_path_buf() };
        let files = match disk::files_below(&top, "rrd") {
            Err(error) if error.kind() == ErrorKind::NotFound && top != root => Vec::new(),
            Err(error) if error.kind() == ErrorKind::NotADirectory && top != root => Vec::new(),
            files => files.map_err(Error::io("listing", root))?,
        };
        let relative = files.iter().filter_map(|path| path.strip_prefix(root).ok());
        let names = relative.map(|path| path.to_string_lossy().into_owned());
        let mut names: Vec<String> = names.filter(|name| pattern.matches(name)).collect();
        names.sort_unstable(); // paths are in the order of their parts
        Ok(names)
    }

    /// The inode: a file that takes another's place has a new one.
    fn incarnation(&self, name: &Path) -> u64 {
        let identity = self.path(name).ok().and_then(|path| File::identity_of(&path).ok());
        identity.map_or(0, |(identity, _)| identity.inode())
    }

    fn follow(&self, follow: Arc<dyn Follow>) -> bool {
        self.follower.set(follow)
    }
}
