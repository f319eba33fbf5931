//! Bytes where a page begins.

/// What pages are aligned to at least, in bytes.
const PAGE_BYTES: usize = 4096;

/// Bytes in memory that begin at a page, as calls past the page cache need them.
#[derive(Debug)]
pub struct PageBuffer {
    room: Vec<u8>,
    start: usize,
}

impl PageBuffer {
    /// So many zeros.
    #[must_use]
    pub fn zeroed(bytes: usize) -> Self {
        let mut room = vec![0; bytes + PAGE_BYTES - 1];
        let start = room.as_ptr().align_offset(PAGE_BYTES).min(PAGE_BYTES - 1);
        room.truncate(start + bytes);
        Self { room, start }
    }

    /// The bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.room.get(self.start..).unwrap_or_default()
    }

    /// The bytes.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        self.room.get_mut(self.start..).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::{PAGE_BYTES, PageBuffer};
    use crate::{File, MediumFile as _};

    #[test]
    fn it_begins_at_a_page() {
        for bytes in [0, 1, 4096, 100_000] {
            let mut buffer = PageBuffer::zeroed(bytes);
            assert_eq!(buffer.bytes().len(), bytes);
            assert_eq!(buffer.bytes_mut().as_ptr().addr() % PAGE_BYTES, 0);
        }
    }

    #[test]
    fn what_is_written_past_the_cache_is_there() {
        let directory = tempfile::tempdir().unwrap();
        let file = File::create(&directory.path().join("file")).unwrap();
        let mut buffer = PageBuffer::zeroed(3 * PAGE_BYTES);
        buffer.bytes_mut().fill(7);
        file.write_past_cache_at(buffer.bytes(), PAGE_BYTES as u64).unwrap();
        // Of another size, and somewhere within a page.
        file.write_past_cache_at(&buffer.bytes()[1..10], 2).unwrap();
        file.write_at(b"cached", PAGE_BYTES as u64).unwrap();
        let mut read = vec![1; 5 * PAGE_BYTES];
        assert_eq!(file.read_at(&mut read, 0).unwrap(), 4 * PAGE_BYTES);
        assert_eq!(read[..12], [0, 0, 7, 7, 7, 7, 7, 7, 7, 7, 7, 0]);
        assert_eq!(&read[PAGE_BYTES..PAGE_BYTES + 7], b"cached\x07");
        assert!(read[PAGE_BYTES + 6..4 * PAGE_BYTES].iter().all(|byte| *byte == 7));
    }
}
