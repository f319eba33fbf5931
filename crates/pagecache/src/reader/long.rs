//! Long reads of a file of any medium.

use std::io;

use disk::{File, MediumFile};

use super::{Options, Reader};

/// A file of a medium. A file of the operating system is read with readahead; others, as in
/// simulations, without.
#[derive(Debug)]
pub struct Long<'f, F: MediumFile> {
    file: &'f F,
    reader: Option<Reader<&'f File>>,
}

impl<'f, F: MediumFile> Long<'f, F> {
    /// Reads an open file.
    pub fn new(file: &'f F, options: Options) -> Self {
        let reader = file.as_file().and_then(|file| Reader::new(file, options).ok());
        Self { file, reader }
    }

    /// Reads until `buffer` is full or the file ends; returns the bytes read.
    ///
    /// # Errors
    /// Those of `pread(2)`.
    pub fn read_at(&self, buffer: &mut [u8], offset_bytes: u64) -> io::Result<usize> {
        match &self.reader {
            Some(reader) => reader.read_at(buffer, offset_bytes),
            None => self.file.read_at(buffer, offset_bytes),
        }
    }
}
