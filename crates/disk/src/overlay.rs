//! A directory for trials: writes are kept in memory.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::medium::assert_flat;
use crate::{Medium, MediumFile};

const PAGE_BYTES: usize = 4096;

/// A [`Medium`] over another one, which is only read. Writes, new files, renames and removals are
/// kept in memory: readers of this medium see them, readers of the medium below do not.
///
/// With [`OverlayMedium::writing`], files with certain names are those of the medium below, and
/// writes to them go there.
#[derive(Debug)]
pub struct OverlayMedium<M: Medium> {
    below: M,
    /// Selects the files that are written in the medium below, if any.
    is_written: Option<fn(&str) -> bool>,
    /// The files that differ from the medium below; `None` for a removed file.
    changed: Mutex<Changed<M::File>>,
}

type Changed<F> = BTreeMap<String, Option<KeptFile<F>>>;

/// A file of an [`OverlayMedium`].
#[derive(Debug)]
pub enum OverlayFile<F> {
    /// Writes to it are kept in memory.
    Kept(KeptFile<F>),
    /// The file of the medium below.
    Below(F),
}

/// A file whose changes are kept in memory. A clone leads to the same file.
#[derive(Debug)]
pub struct KeptFile<F>(Arc<Mutex<Pages<F>>>);

#[derive(Debug)]
struct Pages<F> {
    below: Option<F>,
    /// The part of the file below that is still valid: it ends here.
    below_bytes: u64,
    bytes: u64,
    /// The pages that were written.
    written: BTreeMap<u64, Box<[u8; PAGE_BYTES]>>,
}

impl<F> Clone for KeptFile<F> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<M: Medium> OverlayMedium<M> {
    /// Lays a directory in memory over another one.
    pub fn over(below: M) -> Self {
        Self { below, is_written: None, changed: Mutex::default() }
    }

    /// Lays a directory in memory over another one, except for files with certain names, which are
    /// written in the medium below.
    pub fn writing(below: M, is_written: fn(&str) -> bool) -> Self {
        Self { is_written: Some(is_written), ..Self::over(below) }
    }

    /// Whether a file of this name is the file of the medium below.
    fn is_below(&self, name: &str) -> bool {
        self.is_written.is_some_and(|is_written| is_written(name))
    }

    fn changed(&self) -> MutexGuard<'_, Changed<M::File>> {
        self.changed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn look(&self, changed: &mut Changed<M::File>, name: &str) -> io::Result<KeptFile<M::File>> {
        assert_flat(name);
        if let Some(known) = changed.get(name) {
            return known.clone().ok_or_else(|| io::ErrorKind::NotFound.into());
        }
        let below = self.below.open(name)?;
        let bytes = below.len_bytes()?;
        let pages =
            Pages { below: Some(below), below_bytes: bytes, bytes, written: BTreeMap::new() };
        let file = KeptFile(Arc::new(Mutex::new(pages)));
        changed.insert(name.into(), Some(file.clone()));
        Ok(file)
    }
}

impl<M: Medium> Medium for OverlayMedium<M> {
    type File = OverlayFile<M::File>;

    fn create(&self, name: &str) -> io::Result<Self::File> {
        if self.is_below(name) {
            return self.below.create(name).map(OverlayFile::Below);
        }
        let mut changed = self.changed();
        match self.look(&mut changed, name) {
            Ok(_) => return Err(io::ErrorKind::AlreadyExists.into()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        let empty = Pages { below: None, below_bytes: 0, bytes: 0, written: BTreeMap::new() };
        let file = KeptFile(Arc::new(Mutex::new(empty)));
        changed.insert(name.into(), Some(file.clone()));
        Ok(OverlayFile::Kept(file))
    }

    fn open(&self, name: &str) -> io::Result<Self::File> {
        if self.is_below(name) {
            return self.below.open(name).map(OverlayFile::Below);
        }
        self.look(&mut self.changed(), name).map(OverlayFile::Kept)
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        if self.is_below(name) {
            return self.below.remove(name);
        }
        let mut changed = self.changed();
        self.look(&mut changed, name)?;
        changed.insert(name.into(), None);
        Ok(())
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        assert_flat(to);
        assert!(!self.is_below(from) && !self.is_below(to), "what is written below keeps its name");
        let mut changed = self.changed();
        let file = self.look(&mut changed, from)?;
        changed.insert(from.into(), None);
        changed.insert(to.into(), Some(file));
        Ok(())
    }

    fn list(&self) -> io::Result<Vec<String>> {
        let changed = self.changed();
        let mut names = self.below.list()?;
        names.retain(|name| !changed.contains_key(name));
        names.extend(
            changed.iter().filter(|(_, file)| file.is_some()).map(|(name, _)| name.clone()),
        );
        names.sort();
        Ok(names)
    }

    fn sync_directory(&self) -> io::Result<()> {
        match self.is_written {
            Some(_) => self.below.sync_directory(),
            None => Ok(()),
        }
    }
}

impl<F: MediumFile> KeptFile<F> {
    fn pages(&self) -> MutexGuard<'_, Pages<F>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<F: MediumFile> Pages<F> {
    /// Reads a page from memory or from the file below.
    fn read_page(&self, page: u64, out: &mut [u8; PAGE_BYTES]) -> io::Result<()> {
        out.fill(0);
        if let Some(written) = self.written.get(&page) {
            out.copy_from_slice(&written[..]);
            return Ok(());
        }
        let offset_bytes = page * PAGE_BYTES as u64;
        let Some(below) = self.below.as_ref().filter(|_| offset_bytes < self.below_bytes) else {
            return Ok(());
        };
        let count = (self.below_bytes - offset_bytes).min(PAGE_BYTES as u64) as usize;
        below.read_at(&mut out[..count], offset_bytes).map(drop)
    }

    /// Whether a stretch is wholly in the file below and has not been overwritten.
    fn is_below(&self, offset_bytes: u64, count: usize) -> bool {
        let end = offset_bytes + count as u64;
        let pages = offset_bytes / PAGE_BYTES as u64..end.div_ceil(PAGE_BYTES as u64);
        end <= self.below_bytes && self.written.range(pages).next().is_none()
    }

    fn write(&mut self, bytes: &[u8], offset_bytes: u64) -> io::Result<()> {
        let mut done = 0;
        while done < bytes.len() {
            let at = offset_bytes + done as u64;
            let (page, within) = (at / PAGE_BYTES as u64, (at % PAGE_BYTES as u64) as usize);
            let count = (PAGE_BYTES - within).min(bytes.len() - done);
            if !self.written.contains_key(&page) {
                let mut room = Box::new([0; PAGE_BYTES]);
                self.read_page(page, &mut room)?;
                self.written.insert(page, room);
            }
            let room = self.written.get_mut(&page).expect("it was just put there");
            room[within..within + count].copy_from_slice(&bytes[done..done + count]);
            done += count;
        }
        self.bytes = self.bytes.max(offset_bytes + bytes.len() as u64);
        Ok(())
    }

    fn set_bytes(&mut self, bytes: u64) -> io::Result<()> {
        if bytes < self.bytes {
            self.below_bytes = self.below_bytes.min(bytes);
            self.written.retain(|page, _| page * (PAGE_BYTES as u64) < bytes);
            let within = (bytes % PAGE_BYTES as u64) as usize;
            if let Some(last) = self.written.get_mut(&(bytes / PAGE_BYTES as u64)) {
                last[within..].fill(0);
            }
        }
        self.bytes = bytes;
        Ok(())
    }
}

impl<F: MediumFile> MediumFile for KeptFile<F> {
    fn read_at(&self, buffer: &mut [u8], offset_bytes: u64) -> io::Result<usize> {
        let pages = self.pages();
        let count = (buffer.len() as u64).min(pages.bytes.saturating_sub(offset_bytes)) as usize;
        if let Some(below) = pages.below.as_ref().filter(|_| pages.is_below(offset_bytes, count)) {
            return below.read_at(&mut buffer[..count], offset_bytes);
        }
        let mut done = 0;
        let mut page = [0; PAGE_BYTES];
        while done < count {
            let at = offset_bytes + done as u64;
            let within = (at % PAGE_BYTES as u64) as usize;
            let piece = (PAGE_BYTES - within).min(count - done);
            pages.read_page(at / PAGE_BYTES as u64, &mut page)?;
            buffer[done..done + piece].copy_from_slice(&page[within..within + piece]);
            done += piece;
        }
        Ok(count)
    }

    fn write_some_at(&self, bytes: &[u8], offset_bytes: u64) -> io::Result<usize> {
        self.pages().write(bytes, offset_bytes).map(|()| bytes.len())
    }

    fn len_bytes(&self) -> io::Result<u64> {
        Ok(self.pages().bytes)
    }

    fn allocate(&self, bytes: u64) -> io::Result<()> {
        let mut pages = self.pages();
        let grown = pages.bytes.max(bytes);
        pages.set_bytes(grown)
    }

    fn reserve(&self, bytes: u64) -> io::Result<()> {
        self.allocate(bytes)
    }

    fn truncate(&self, bytes: u64) -> io::Result<()> {
        self.pages().set_bytes(bytes)
    }

    fn sync_data(&self) -> io::Result<()> {
        Ok(())
    }

    fn advise_random(&self) -> io::Result<()> {
        self.pages().below.as_ref().map_or(Ok(()), MediumFile::advise_random)
    }
}

impl<F: MediumFile> OverlayFile<F> {
    fn file(&self) -> &dyn MediumFile {
        match self {
            Self::Kept(file) => file,
            Self::Below(file) => file,
        }
    }
}

impl<F: MediumFile> MediumFile for OverlayFile<F> {
    fn read_at(&self, buffer: &mut [u8], offset_bytes: u64) -> io::Result<usize> {
        self.file().read_at(buffer, offset_bytes)
    }

    fn write_some_at(&self, bytes: &[u8], offset_bytes: u64) -> io::Result<usize> {
        self.file().write_some_at(bytes, offset_bytes)
    }

    fn len_bytes(&self) -> io::Result<u64> {
        self.file().len_bytes()
    }

    fn allocate(&self, bytes: u64) -> io::Result<()> {
        self.file().allocate(bytes)
    }

    fn reserve(&self, bytes: u64) -> io::Result<()> {
        self.file().reserve(bytes)
    }

    fn check_room(&self, bytes: u64) -> io::Result<()> {
        self.file().check_room(bytes)
    }

    fn truncate(&self, bytes: u64) -> io::Result<()> {
        self.file().truncate(bytes)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.file().sync_data()
    }

    fn sync_data_or_keep(&self) -> io::Result<()> {
        self.file().sync_data_or_keep()
    }

    fn is_held(&self) -> io::Result<bool> {
        self.file().is_held()
    }

    fn advise_random(&self) -> io::Result<()> {
        self.file().advise_random()
    }

    fn as_file(&self) -> Option<&crate::File> {
        self.file().as_file()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MemoryMedium, Random};

    /// After any operations it reads like a directory in memory, and the one below is unchanged.
    #[test]
    fn it_reads_as_a_copy_would() {
        for seed in 0..300 {
            let mut random = Random::new(seed);
            let (below, copy) = (MemoryMedium::default(), MemoryMedium::default());
            for name in ["a", "b"] {
                let bytes: Vec<u8> =
                    (0..random.below(20_000)).map(|_| random.below(256) as u8).collect();
                for medium in [&below, &copy] {
                    medium.create(name).unwrap().write_at(&bytes, 0).unwrap();
                }
            }
            let before = contents(&below);
            let overlay = OverlayMedium::over(below.clone());
            for _ in 0..40 {
                let (what, seed) = (random.below(6), random.number());
                change(&overlay, what, &mut Random::new(seed));
                change(&copy, what, &mut Random::new(seed));
                assert_eq!(contents(&overlay), contents(&copy), "{seed}");
            }
            assert_eq!(contents(&below), before, "{seed}");
        }
    }

    #[test]
    fn some_files_are_written_below() {
        let below = MemoryMedium::default();
        below.create("a").unwrap().write_at(b"old", 0).unwrap();
        let overlay = OverlayMedium::writing(below.clone(), |name| name.starts_with("log"));
        overlay.create("log-1").unwrap().write_at(b"new", 0).unwrap();
        overlay.create("log-2").unwrap();
        overlay.remove("log-2").unwrap();
        overlay.open("a").unwrap().write_at(b"new", 0).unwrap();
        overlay.create("b").unwrap();
        assert_eq!(overlay.open("log-1").unwrap().len_bytes().unwrap(), 3);
        assert_eq!(overlay.list().unwrap(), ["a", "b", "log-1"]);
        let named = |name: &str, bytes: &[u8]| (name.to_owned(), bytes.to_vec());
        assert_eq!(contents(&below), [named("a", b"old"), named("log-1", b"new")]);
    }

    fn change(medium: &impl Medium, what: u64, random: &mut Random) {
        let name = ["a", "b", "c"][random.below(3) as usize];
        if what == 0 {
            let _ = medium.create(name);
        } else if what == 1 {
            let _ = medium.remove(name);
        } else if what == 2 {
            let _ = medium.rename(name, "d");
        } else if let Ok(file) = medium.open(name) {
            match what {
                3 => file.truncate(random.below(20_000)).unwrap(),
                4 => file.allocate(random.below(20_000)).unwrap(),
                _ => {
                    let bytes = vec![7; random.below(6000) as usize];
                    file.write_at(&bytes, random.below(15_000)).unwrap();
                }
            }
        }
    }

    fn contents(medium: &impl Medium) -> Vec<(String, Vec<u8>)> {
        let read = |name: String| {
            let file = medium.open(&name).unwrap();
            let mut bytes = vec![0; file.len_bytes().unwrap() as usize];
            assert_eq!(file.read_at(&mut bytes, 0).unwrap(), bytes.len());
            (name, bytes)
        };
        medium.list().unwrap().into_iter().map(read).collect()
    }
}
