//! A pack: the pages that one run adds, in a file that is written sequentially.
//!
//! ```text
//!   0      8   magic    "gyrepack"
//!   8      4   version  1
//!   12     4   number
//!   16         pages of a file, those of its pages that no earlier pack has; then its table
//!   +          pages of the next file, and so on
//! ```
//!
//! A thread of its own writes it in large pieces that bypass the page cache, and syncs it
//! regularly, so that the index knows which part is on disk.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::{io, mem};

use disk::File;

use crate::Error;
use crate::error::check_version;
use crate::table::{PAGE_BYTES, Place, hash_of};
use crate::uncached;

const MAGIC: &[u8; 8] = b"gyrepack";
pub(crate) const VERSION: u32 = 1;
pub(crate) const HEADER_BYTES: usize = 16;
/// The size of a write.
const PIECE_BYTES: usize = 4 << 20;
/// The most pieces between the owner and the writing thread.
const PIECES: usize = 3;

/// A page-aligned buffer, as `O_DIRECT` needs.
#[derive(Debug)]
pub(crate) struct Aligned {
    bytes: Vec<u8>,
    start: usize,
}

impl Aligned {
    pub(crate) fn new(bytes: usize) -> Self {
        let bytes = vec![0; bytes + PAGE_BYTES];
        let start = bytes.as_ptr().align_offset(PAGE_BYTES);
        Self { bytes, start }
    }

    pub(crate) fn whole(&mut self) -> &mut [u8] {
        let end = self.bytes.len() - PAGE_BYTES + self.start;
        &mut self.bytes[self.start..end]
    }
}

/// A piece on its way to the writing thread.
struct Piece {
    buffer: Aligned,
    bytes: usize,
    offset_bytes: u64,
}

/// State shared by the writing thread and the owner.
#[derive(Debug, Default)]
struct Shared {
    sync_every_bytes: u64,
    /// The pack is on disk up to here.
    durable_bytes: AtomicU64,
    failed: Mutex<Option<io::Error>>,
}

/// The written pieces, for verification.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    pub(crate) path: PathBuf,
    pub(crate) bytes: u64,
    hashes: Vec<u64>,
}

/// A pack that is being written.
#[derive(Debug)]
pub(crate) struct PackWriter {
    path: PathBuf,
    number: u32,
    buffer: Aligned,
    filled: usize,
    /// The offset of the buffer in the pack.
    offset_bytes: u64,
    full: Option<SyncSender<Piece>>,
    empty: Receiver<Aligned>,
    thread: Option<JoinHandle<Vec<u64>>>,
    shared: Arc<Shared>,
}

/// The name of a pack.
pub(crate) fn name_of(number: u32) -> String {
    format!("{number:06}.pack")
}

impl PackWriter {
    /// Makes a pack, which must not exist, and which is synced every `sync_every_bytes`.
    pub(crate) fn create(
        directory: &Path,
        number: u32,
        sync_every_bytes: u64,
    ) -> Result<Self, Error> {
        let path = directory.join(name_of(number));
        let (file, direct) = create(&path).map_err(Error::io("creating", &path))?;
        let (full, pieces) = sync_channel::<Piece>(PIECES);
        let (give_back, empty) = sync_channel(PIECES + 1);
        (0..PIECES).for_each(|_| drop(give_back.send(Aligned::new(PIECE_BYTES))));
        let shared = Arc::new(Shared { sync_every_bytes, ..Shared::default() });
        let thread = {
            let shared = Arc::clone(&shared);
            let work = move || write_pieces(&file, direct, &pieces, &give_back, &shared);
            let thread = std::thread::Builder::new().name("pack".into()).spawn(work);
            thread.map_err(Error::io("starting a thread for", &path))?
        };
        let (buffer, thread) = (Aligned::new(PIECE_BYTES), Some(thread));
        let (full, filled, offset_bytes) = (Some(full), 0, 0);
        let mut pack =
            Self { path, number, buffer, filled, offset_bytes, full, empty, thread, shared };
        pack.put(MAGIC)?;
        pack.put(&VERSION.to_le_bytes())?;
        pack.put(&number.to_le_bytes())?;
        Ok(pack)
    }

    /// Adds bytes; returns their place.
    pub(crate) fn put(&mut self, bytes: &[u8]) -> Result<Place, Error> {
        let place = Place { pack: self.number, offset_bytes: self.end_bytes() };
        let mut rest = bytes;
        while !rest.is_empty() {
            let room = &mut self.buffer.whole()[self.filled..];
            let (now, later) = rest.split_at(rest.len().min(room.len()));
            room[..now.len()].copy_from_slice(now);
            self.filled += now.len();
            rest = later;
            if self.filled == PIECE_BYTES {
                self.send()?;
            }
        }
        Ok(place)
    }

    /// Bytes so far.
    pub(crate) fn end_bytes(&self) -> u64 {
        self.offset_bytes + self.filled as u64
    }

    /// The pack is on disk up to here.
    pub(crate) fn durable_bytes(&self) -> u64 {
        self.shared.durable_bytes.load(Ordering::Acquire)
    }

    /// Writes the rest and waits until all of it is on disk.
    pub(crate) fn finish(mut self) -> Result<Written, Error> {
        let bytes = self.end_bytes();
        if self.filled > 0 {
            self.send()?;
        }
        self.full = None;
        let thread = self.thread.take().expect("only this takes it");
        let hashes = thread.join().expect("the thread does not panic");
        self.check()?;
        let file = File::open(&self.path, disk::Mode::Update);
        let cut = file.and_then(|file| file.truncate(bytes).and_then(|()| file.sync_all()));
        cut.map_err(Error::io("syncing", &self.path))?;
        Ok(Written { path: mem::take(&mut self.path), bytes, hashes })
    }

    fn send(&mut self) -> Result<(), Error> {
        self.check()?;
        // The thread returns every buffer, even after an error.
        let empty = self.empty.recv().expect("the thread lives as long as this");
        let buffer = mem::replace(&mut self.buffer, empty);
        let piece = Piece { buffer, bytes: self.filled, offset_bytes: self.offset_bytes };
        self.offset_bytes += self.filled as u64;
        self.filled = 0;
        let full = self.full.as_ref().expect("it is there until the end");
        full.send(piece).expect("the thread lives as long as this");
        Ok(())
    }

    fn check(&self) -> Result<(), Error> {
        let failed = self.shared.failed.lock().unwrap_or_else(PoisonError::into_inner).take();
        failed.map_or(Ok(()), |error| Err(Error::io("writing", &self.path)(error)))
    }
}

/// Makes the file; false if the file system does not support writes that bypass the page cache.
fn create(path: &Path) -> io::Result<(File, bool)> {
    match File::create_direct(path) {
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
            let _ = disk::remove_file(path); // it may have been made
            Ok((File::create(path)?, false))
        }
        created => Ok((created?, true)),
    }
}

/// Writes pieces until the channel is closed; returns the hash of each.
fn write_pieces(
    file: &File,
    direct: bool,
    pieces: &Receiver<Piece>,
    give_back: &SyncSender<Aligned>,
    shared: &Shared,
) -> Vec<u64> {
    let (mut hashes, mut end_bytes, mut is_broken) = (Vec::new(), 0, false);
    let note = |error| *shared.failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
    while let Ok(mut piece) = pieces.recv() {
        hashes.push(hash_of(&piece.buffer.whole()[..piece.bytes]));
        let written = if is_broken { Ok(()) } else { write_piece(file, direct, &mut piece) };
        end_bytes = piece.offset_bytes + piece.bytes as u64;
        let durable_bytes = shared.durable_bytes.load(Ordering::Relaxed);
        let synced = written.and_then(|()| {
            if end_bytes - durable_bytes >= shared.sync_every_bytes && !is_broken {
                file.sync_data()?;
                shared.durable_bytes.store(end_bytes, Ordering::Release);
            }
            Ok(())
        });
        if let Err(error) = synced {
            // Later pieces are not written: the run ends here.
            is_broken = true;
            note(error);
        }
        let _ = give_back.send(piece.buffer); // fails if the owner is gone
    }
    if !is_broken {
        match file.sync_data() {
            Ok(()) => shared.durable_bytes.store(end_bytes, Ordering::Release),
            Err(error) => note(error),
        }
    }
    hashes
}

fn write_piece(file: &File, direct: bool, piece: &mut Piece) -> io::Result<()> {
    if direct {
        let padded = piece.bytes.next_multiple_of(PAGE_BYTES);
        let bytes = &mut piece.buffer.whole()[..padded];
        bytes[piece.bytes..].fill(0);
        file.write_at(bytes, piece.offset_bytes)
    } else {
        uncached::write(file, &piece.buffer.whole()[..piece.bytes], piece.offset_bytes)
    }
}

impl Written {
    /// Reads the pack back from the disk; `Damaged` if it differs from what was written.
    pub(crate) fn verify(&self, mut watch: impl FnMut(u64)) -> Result<(), Error> {
        let io = || Error::io("reading back", &self.path);
        let file = match File::open_direct(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
                File::open(&self.path, disk::Mode::Read)
            }
            opened => opened,
        };
        let file = file.map_err(io())?;
        let mut buffer = Aligned::new(PIECE_BYTES);
        let mut offset_bytes = 0;
        for hash in &self.hashes {
            let bytes = (self.bytes - offset_bytes).min(PIECE_BYTES as u64) as usize;
            let read = file.read_at(buffer.whole(), offset_bytes).map_err(io())?;
            if read < bytes || hash_of(&buffer.whole()[..bytes]) != *hash {
                let expected = "in the next 4 MiB what was written there just now";
                return Err(Error::damaged(&self.path, offset_bytes, expected));
            }
            offset_bytes += bytes as u64;
            watch(offset_bytes);
        }
        Ok(())
    }
}

/// Refuses the first bytes of a pack that a newer version of this program made.
pub(crate) fn check(path: &Path, bytes: &[u8; HEADER_BYTES]) -> Result<(), Error> {
    check_version(path, bytes, MAGIC, VERSION)
}

/// Whether these are the first bytes of a pack with this number.
pub(crate) fn is_header(bytes: &[u8; HEADER_BYTES], number: u32) -> bool {
    let expected = [&MAGIC[..], &VERSION.to_le_bytes(), &number.to_le_bytes()].concat();
    bytes[..] == expected[..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_picture_is_true_and_damage_is_found() {
        let directory = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        let mut pack = PackWriter::create(directory.path(), 7, 1 << 20).unwrap();
        let place = pack.put(&[9; 100]).unwrap();
        assert_eq!(place, Place { pack: 7, offset_bytes: HEADER_BYTES as u64 });
        pack.put(&vec![3; PIECE_BYTES]).unwrap();
        let written = pack.finish().unwrap();
        let bytes = 116 + PIECE_BYTES as u64;
        assert_eq!((written.bytes, written.hashes.len()), (bytes, 2));
        let file = File::open(&written.path, disk::Mode::Update).unwrap();
        assert_eq!(file.len_bytes().unwrap(), bytes);
        let mut head = [0; HEADER_BYTES];
        file.read_at(&mut head, 0).unwrap();
        assert_eq!(head, *b"gyrepack\x01\0\0\0\x07\0\0\0");
        assert!(is_header(&head, 7) && !is_header(&head, 8));
        written.verify(|_| ()).unwrap();
        file.write_at(&[4], bytes - 1).unwrap();
        file.sync_all().unwrap();
        let error = written.verify(|_| ()).unwrap_err();
        assert!(matches!(error, Error::Damaged { offset_bytes, .. } if offset_bytes == 4 << 20));
    }
}
