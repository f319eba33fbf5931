//! Where the paths lead that clients name.
//!
//! A relative path lies below the base directory. With `-B` nothing else may be reached: not by a
//! path, not by `..`, and not over a symbolic link. What a path leads to is found out when it is
//! first heard of, by one system call where there is no link in it; later a look into a table does.
//! A link that takes a file's place afterwards is no matter where the kernel confines the process
//! (`process::confinement`); where it does not, nothing is kept in the table.

use std::ffi::OsStr;
use std::hash::{BuildHasher as _, RandomState};
use std::io;
use std::ops::Range;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Instant;

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;

use crate::known_paths::{KnownPath, KnownPaths};

/// A path that `-B` forbids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Denied;

/// The base directory and what is known of paths.
#[derive(Debug)]
pub struct Paths {
    base: PathBuf,
    /// To look from; a ring store's names are no files.
    directory: Option<OwnedFd>,
    is_confined: bool,
    /// Whether what was found out is remembered.
    remembers: bool,
    hasher: RandomState,
    known: RwLock<KnownPaths>,
}

impl Paths {
    /// Paths of files below a base directory, which is real. With `is_confined` there are no
    /// others.
    ///
    /// # Errors
    /// The directory cannot be opened.
    pub fn of_files(base: &Path, is_confined: bool) -> io::Result<Self> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let directory = rustix::fs::open(base, flags, Mode::empty())?;
        Ok(Self { directory: Some(directory), ..Self::of_names(base, is_confined) })
    }

    /// Paths that are names in a ring store: nothing is looked up.
    #[must_use]
    pub fn of_names(base: &Path, is_confined: bool) -> Self {
        let known = RwLock::new(KnownPaths::new(Instant::now()));
        let hasher = RandomState::new();
        Self { base: base.into(), directory: None, is_confined, remembers: true, hasher, known }
    }

    /// The same, but each path is looked at anew each time.
    #[must_use]
    pub fn without_memory(self) -> Self {
        Self { remembers: false, ..self }
    }

    /// The base directory.
    pub(crate) fn base(&self) -> &Path {
        &self.base
    }

    /// A path as rrdcached calls it: a relative one behind the base directory.
    pub(crate) fn spelled(&self, written: &[u8]) -> Vec<u8> {
        let mut spelled = Vec::new();
        self.append_spelled(written, &mut spelled);
        spelled
    }

    fn append_spelled(&self, written: &[u8], out: &mut Vec<u8>) {
        if !written.starts_with(b"/") {
            out.extend_from_slice(self.base.as_os_str().as_bytes());
            out.push(b'/');
        }
        out.extend_from_slice(written);
    }

    /// Where a path leads to. A file need not be there.
    ///
    /// # Errors
    /// [`Denied`].
    pub(crate) fn resolve(&self, written: &[u8]) -> Result<PathBuf, Denied> {
        let mut arena = Vec::new();
        let range = self.resolve_into(written, &mut arena)?;
        arena.drain(..range.start);
        Ok(PathBuf::from(std::ffi::OsString::from(OsStr::from_bytes(&arena))))
    }

    /// The same, appended to what is gathered; gives its place there.
    ///
    /// # Errors
    /// [`Denied`].
    pub(crate) fn resolve_into(
        &self,
        written: &[u8],
        arena: &mut Vec<u8>,
    ) -> Result<Range<usize>, Denied> {
        let start = arena.len();
        self.append_spelled(written, arena);
        let is_relative = !written.starts_with(b"/");
        if self.directory.is_none() && is_relative && is_plain_name(written) {
            return Ok(start..arena.len()); // the name of a database, and no file's
        }
        let spelled = arena.get(start..).unwrap_or_default();
        let fingerprint = self.hasher.hash_one(spelled);
        let known = self.known();
        let found = match known.get(fingerprint) {
            Some(KnownPath::Plain) => return Ok(start..arena.len()),
            Some(KnownPath::Alias(real)) => Some(real.to_path_buf()),
            None => None,
        };
        drop(known);
        let path = Path::new(OsStr::from_bytes(spelled));
        let found = match found {
            Some(found) => found,
            None => self.look(path, fingerprint)?,
        };
        // To a comparison of paths a dot is nothing.
        if found.as_os_str() != path.as_os_str() {
            arena.truncate(start);
            arena.extend_from_slice(found.as_os_str().as_bytes());
        }
        Ok(start..arena.len())
    }

    /// The same where it is known already, without a look at any file.
    pub(crate) fn resolve_known_into(
        &self,
        written: &[u8],
        arena: &mut Vec<u8>,
    ) -> Option<Range<usize>> {
        let start = arena.len();
        self.append_spelled(written, arena);
        let is_relative = !written.starts_with(b"/");
        if self.directory.is_none() && is_relative && is_plain_name(written) {
            return Some(start..arena.len());
        }
        let fingerprint = self.hasher.hash_one(arena.get(start..).unwrap_or_default());
        let is_plain = self.known().get(fingerprint) == Some(KnownPath::Plain);
        is_plain.then_some(start..arena.len())
    }

    /// Forgets what was found out long ago. To be called now and then.
    pub(crate) fn grow_old(&self) {
        let now = Instant::now();
        if self.known().is_old(now) {
            self.known_mut().forget_old(now);
        }
    }

    /// Whether an existing path lies where clients may go.
    pub(crate) fn is_open(&self, path: &Path) -> bool {
        !self.is_confined || path.canonicalize().is_ok_and(|real| real.starts_with(&self.base))
    }

    fn look(&self, path: &Path, fingerprint: u64) -> Result<PathBuf, Denied> {
        let Some(directory) = &self.directory else { return self.name(path) };
        if is_plain(path) {
            match self.open_without_links(directory, path) {
                Ok(()) => {
                    self.remember_plain(fingerprint);
                    return Ok(path.into());
                }
                Err(Errno::NOENT | Errno::NOTDIR) => return self.missing(path),
                Err(_) => {} // a link; or a kernel that does not know the call
            }
        }
        match path.canonicalize() {
            Ok(real) => {
                self.check(&real)?;
                if real.as_os_str() == path.as_os_str() {
                    self.remember_plain(fingerprint);
                } else {
                    self.remember_alias(fingerprint, &real);
                }
                Ok(real)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => self.missing(path),
            // The open that follows tells the client why it fails.
            Err(_) if !self.is_confined => Ok(path.into()),
            Err(_) => Err(Denied),
        }
    }

    fn remember_plain(&self, fingerprint: u64) {
        if self.remembers {
            self.known_mut().add_plain(fingerprint);
        }
    }

    fn remember_alias(&self, fingerprint: u64, real: &Path) {
        if self.remembers {
            self.known_mut().add_alias(fingerprint, real);
        }
    }

    /// Nothing is opened in truth: the kernel walks the path and says whether a link lay on it.
    fn open_without_links(&self, directory: &OwnedFd, path: &Path) -> Result<(), Errno> {
        let flags = OFlags::PATH | OFlags::CLOEXEC;
        let resolve = ResolveFlags::NO_SYMLINKS;
        match path.strip_prefix(&self.base) {
            Ok(below) => {
                let resolve = resolve | ResolveFlags::BENEATH;
                rustix::fs::openat2(directory, below, flags, Mode::empty(), resolve).map(drop)
            }
            Err(_) if self.is_confined => Err(Errno::XDEV),
            Err(_) => rustix::fs::openat2(CWD, path, flags, Mode::empty(), resolve).map(drop),
        }
    }

    /// A path to nothing, behind the real path of what of it there is.
    fn missing(&self, path: &Path) -> Result<PathBuf, Denied> {
        // From the root on: a long path to nothing costs no more than what there is of it.
        let above: Vec<&Path> = path.ancestors().skip(1).collect();
        let above = above.into_iter().rev();
        let real = above.map_while(|ancestor| Some((ancestor, ancestor.canonicalize().ok()?)));
        let Some((ancestor, real)) = real.last() else { return Err(Denied) };
        let rest = path.strip_prefix(ancestor).map_err(|_| Denied)?;
        if rest.components().any(|part| !matches!(part, Component::Normal(_))) {
            return if self.is_confined { Err(Denied) } else { Ok(path.into()) };
        }
        let real = real.join(rest);
        self.check(&real)?;
        Ok(real)
    }

    /// A name in a ring store, which has neither links nor dots.
    fn name(&self, path: &Path) -> Result<PathBuf, Denied> {
        let is_below = path.starts_with(&self.base);
        let climbs = path.components().any(|part| part == Component::ParentDir);
        if self.is_confined && (!is_below || climbs) { Err(Denied) } else { Ok(path.into()) }
    }

    fn check(&self, real: &Path) -> Result<(), Denied> {
        let is_below = real.starts_with(&self.base) && real != self.base;
        if self.is_confined && !is_below { Err(Denied) } else { Ok(()) }
    }

    fn known(&self) -> RwLockReadGuard<'_, KnownPaths> {
        self.known.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn known_mut(&self) -> RwLockWriteGuard<'_, KnownPaths> {
        self.known.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a path has no dots, no double slash and none at its end, so that it is another's only
/// over a link.
fn is_plain(path: &Path) -> bool {
    path.as_os_str().as_bytes().strip_prefix(b"/").is_some_and(is_plain_name)
}

/// The same of what lies below something.
pub(crate) fn is_plain_name(name: &[u8]) -> bool {
    // The letters are looked at once: each update of a batch comes by here.
    let mut part_bytes = 0;
    let mut only_dots = true;
    for byte in name.iter().chain(b"/") {
        if *byte == b'/' {
            if part_bytes == 0 || (only_dots && part_bytes <= 2) {
                return false;
            }
            (part_bytes, only_dots) = (0, true);
        } else {
            part_bytes += 1;
            only_dots &= *byte == b'.';
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::path::{Path, PathBuf};

    use super::{Denied, Paths};

    #[test]
    fn links_lead_nowhere_outside() {
        let room = tempfile::tempdir().unwrap();
        let room = room.path().canonicalize().unwrap();
        let base = room.join("base");
        for directory in ["base/a", "outside"] {
            std::fs::create_dir_all(room.join(directory)).unwrap();
        }
        for file in ["base/a/f", "outside/f", "base/plain"] {
            std::fs::write(room.join(file), "").unwrap();
        }
        symlink(room.join("outside"), base.join("out")).unwrap();
        symlink("../outside/f", base.join("leaf")).unwrap();
        symlink("a", base.join("in")).unwrap();
        symlink(base.join("a"), base.join("whole")).unwrap();
        symlink("none", base.join("dangling")).unwrap();
        let confined = Paths::of_files(&base, true).unwrap();
        let free = Paths::of_files(&base, false).unwrap();
        // Compared as text: dots are part of it.
        let at = |path: &str| Ok(base.join(path).into_os_string());
        let resolve =
            |paths: &Paths, written: &[u8]| paths.resolve(written).map(PathBuf::into_os_string);
        let full = |path: &Path| path.to_str().unwrap().as_bytes().to_vec();
        // Twice, since the second time the table answers.
        for _ in 0..2 {
            for (written, real) in [
                ("plain", "plain"),
                ("a/f", "a/f"),
                ("in/f", "a/f"),
                ("whole/f", "a/f"),
                ("./a//f", "a/f"),
                ("a/../plain", "plain"),
                ("new", "new"),
                ("in/new/er", "a/new/er"),
                ("dangling", "dangling"),
            ] {
                assert_eq!(resolve(&confined, written.as_bytes()), at(real), "{written}");
                assert_eq!(resolve(&free, written.as_bytes()), at(real), "{written}");
            }
            for written in [
                "out/f",
                "out/new",
                "leaf",
                "..",
                "../outside/f",
                "a/../../outside/f",
                "new/../f",
                "",
            ] {
                assert_eq!(resolve(&confined, written.as_bytes()), Err(Denied), "{written}");
                assert!(resolve(&free, written.as_bytes()).is_ok(), "{written}");
            }
            assert_eq!(resolve(&confined, &full(&room.join("outside/f"))), Err(Denied));
            assert_eq!(resolve(&confined, &full(&room.join("base"))), Err(Denied));
            assert_eq!(resolve(&confined, &full(&room.join("basement"))), Err(Denied));
            assert_eq!(resolve(&confined, &full(&base.join("a/f"))), at("a/f"));
            assert_eq!(resolve(&free, b"out/f"), Ok(room.join("outside/f").into_os_string()));
        }
        assert_eq!(confined.spelled(b"x"), full(&base.join("x")));
        assert!(confined.is_open(&base.join("in")) && !confined.is_open(&base.join("out")));
    }

    #[test]
    fn without_memory_a_swapped_file_is_denied_at_once() {
        let room = tempfile::tempdir().unwrap();
        let room = room.path().canonicalize().unwrap();
        let base = room.join("base");
        std::fs::create_dir_all(base.join("a")).unwrap();
        std::fs::create_dir(room.join("outside")).unwrap();
        for file in ["base/a/f", "outside/f"] {
            std::fs::write(room.join(file), "").unwrap();
        }
        let paths = Paths::of_files(&base, true).unwrap().without_memory();
        assert_eq!(paths.resolve(b"a/f"), Ok(base.join("a/f")));
        std::fs::rename(base.join("a"), base.join("b")).unwrap();
        symlink(room.join("outside"), base.join("a")).unwrap();
        assert_eq!(paths.resolve(b"a/f"), Err(Denied));
        assert_eq!(paths.resolve(b"b/f"), Ok(base.join("b/f")));
    }

    #[test]
    fn bytes_need_be_no_text() {
        let room = tempfile::tempdir().unwrap();
        let paths = Paths::of_files(&room.path().canonicalize().unwrap(), true).unwrap();
        let resolved = paths.resolve(b"\xff.rrd").unwrap();
        assert!(resolved.as_os_str().as_encoded_bytes().ends_with(b"/\xff.rrd"));
    }
}
