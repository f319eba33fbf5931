//! Walks a tree of `.rrd` files: counts them, and chooses some that are spread over the tree.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use disk::{FileFacts, FileKind};

/// The most files that are chosen.
const CHOSEN_MAX: usize = 512;
/// Names of a directory between two calls of `goes_on`.
const NAMES_AT_ONCE: usize = 4096;

/// The result of a walk.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// The number of files.
    pub(crate) files: u64,
    /// Whether the whole tree was walked.
    pub(crate) is_whole: bool,
    /// Files in the fullest directory.
    pub(crate) fullest_directory: u64,
    /// Directories that are still to be read.
    pending: Vec<PathBuf>,
    chosen: Chosen,
}

impl Found {
    /// Walks a tree. `goes_on` is called with the number of files after each directory, and every
    /// few thousand names within one. If it returns false, the walk ends.
    ///
    /// # Errors
    ///
    /// The directory itself cannot be read. Subdirectories that this user may not read are skipped.
    pub(crate) fn below(root: &Path, goes_on: &mut dyn FnMut(u64) -> bool) -> io::Result<Self> {
        let mut found = Self { pending: vec![root.to_path_buf()], ..Self::default() };
        while let Some(directory) = found.pending.pop() {
            let names = match disk::listing(&directory) {
                Err(error) if directory == root => return Err(error),
                Err(_) => continue, // not for this user
                Ok(names) => names,
            };
            let is_through = found.take(&directory, names.flatten(), goes_on);
            if !is_through || !goes_on(found.files) {
                found.is_whole = is_through && found.pending.is_empty();
                return Ok(found);
            }
        }
        found.is_whole = true;
        Ok(found)
    }

    /// Some of the files, spread over the tree; every prefix of the list is spread as well.
    pub(crate) fn chosen(self) -> Vec<PathBuf> {
        self.chosen.scattered()
    }

    /// Handles the names of a directory; returns whether all were handled.
    fn take(
        &mut self,
        directory: &Path,
        names: impl Iterator<Item = (OsString, FileKind)>,
        goes_on: &mut dyn FnMut(u64) -> bool,
    ) -> bool {
        let (before, mut is_through) = (self.files, true);
        for (nth, (name, kind)) in names.enumerate() {
            if nth > 0 && nth.is_multiple_of(NAMES_AT_ONCE) && !goes_on(self.files) {
                is_through = false;
                break;
            }
            self.take_one(directory.join(name), kind);
        }
        self.fullest_directory = self.fullest_directory.max(self.files - before);
        is_through
    }

    fn take_one(&mut self, path: PathBuf, listed: FileKind) {
        let kind = match listed {
            FileKind::Unknown => FileFacts::at(&path).map_or(listed, |facts| facts.kind),
            kind => kind,
        };
        if kind == FileKind::Directory {
            self.pending.push(path);
        } else if path.extension().is_some_and(|it| it == "rrd") && has_bytes(&path, kind) {
            self.chosen.offer(path);
            self.files += 1;
        }
    }
}

/// Whether a name leads to a regular file. Other kinds are not databases, and opening a pipe would
/// wait for a writer.
fn has_bytes(path: &Path, kind: FileKind) -> bool {
    match kind {
        FileKind::Link => {
            let led_to = path.canonicalize().and_then(|path| FileFacts::at(&path));
            led_to.is_ok_and(|facts| facts.kind == FileKind::Regular)
        }
        kind => kind == FileKind::Regular,
    }
}

/// A sample of a stream of unknown length: evenly spaced items.
#[derive(Debug, Default)]
struct Chosen {
    paths: Vec<PathBuf>,
    offered: usize,
    /// Every 2^`every_log2`-th item is chosen.
    every_log2: u32,
}

impl Chosen {
    fn offer(&mut self, path: PathBuf) {
        if self.offered.is_multiple_of(1 << self.every_log2) {
            self.paths.push(path);
        }
        self.offered += 1;
        if self.paths.len() > 2 * CHOSEN_MAX {
            self.every_log2 += 1;
            let mut nth = 0;
            self.paths.retain(|_| {
                nth += 1;
                nth % 2 == 1
            });
        }
    }

    /// At most [`CHOSEN_MAX`] items, in an order in which the first ones are spread as well.
    fn scattered(self) -> Vec<PathBuf> {
        let found = self.paths.len();
        let wanted = found.min(CHOSEN_MAX);
        let bits = wanted.next_power_of_two().trailing_zeros();
        let reversed = |nth: usize| (nth as u64).reverse_bits() >> (64 - u64::from(bits.max(1)));
        let order = (0..wanted.next_power_of_two()).map(|nth| reversed(nth) as usize);
        let order = order.filter(|nth| *nth < wanted);
        order.map(|nth| self.paths[nth * found / wanted].clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first few are spread, too.
    const FEW: usize = 32;

    #[test]
    fn what_is_chosen_is_spread_however_many_there_are() {
        for files in [0, 1, 3, 511, 512, 513, 1024, 1025, 7777, 100_000] {
            let mut chosen = Chosen::default();
            (0..files).for_each(|nth| chosen.offer(format!("{nth:06}").into()));
            let paths = chosen.scattered();
            assert_eq!(paths.len(), files.min(CHOSEN_MAX), "{files}");
            let number = |path: &PathBuf| path.to_str().unwrap().parse::<usize>().unwrap();
            let mut found: Vec<usize> = paths.iter().map(number).collect();
            let first_few = &mut found.clone()[..paths.len().min(FEW)];
            for part in [&mut found[..], first_few] {
                part.sort_unstable();
                let gaps = part.windows(2).map(|pair| pair[1] - pair[0]);
                let fair = files / part.len().max(1);
                assert!(gaps.clone().all(|gap| gap >= 1 && gap <= 4 * fair.max(1)), "{files}");
                let last = part.last().map_or(0, |last| files - last);
                assert!(last <= 4 * fair.max(1), "{files}: {last}");
            }
        }
    }
}
