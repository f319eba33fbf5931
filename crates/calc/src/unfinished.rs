//! A file that gets its name once it is whole.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Bytes that gather before they are written.
const GATHERED_BYTES: usize = 256 << 10;

/// A file that is being written beside its name, as `NAME.partial`. It goes away if it is not
/// finished; what a killed process left is overwritten by the next one.
pub struct Unfinished {
    path: PathBuf,
    partial: PathBuf,
    out: Option<BufWriter<File>>,
}

impl Unfinished {
    /// Begins the file of a path.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn begin(path: &Path) -> io::Result<Self> {
        let mut partial = path.as_os_str().to_owned();
        partial.push(".partial");
        let partial = PathBuf::from(partial);
        let file = File::create(&partial)?;
        let out = Some(BufWriter::with_capacity(GATHERED_BYTES, file));
        Ok(Self { path: path.into(), partial, out })
    }

    /// Syncs the file, and gives it its name. One that has the name is replaced.
    ///
    /// # Errors
    /// The disk did not take it.
    pub fn finish(mut self) -> io::Result<()> {
        if let Some(out) = self.out.take() {
            let file = out.into_inner().map_err(io::IntoInnerError::into_error);
            let renamed = file
                .and_then(|file| file.sync_all())
                .and_then(|()| fs::rename(&self.partial, &self.path));
            if renamed.is_err() {
                let _ = fs::remove_file(&self.partial);
            }
            return renamed;
        }
        Ok(())
    }
}

impl Write for Unfinished {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.as_mut().map_or(Ok(bytes.len()), |out| out.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.as_mut().map_or(Ok(()), BufWriter::flush)
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if let Some(out) = self.out.take() {
            // What gathered is not written any more.
            drop(out.into_parts());
            let _ = fs::remove_file(&self.partial);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write as _;

    use super::Unfinished;

    #[test]
    fn there_is_no_half_file_under_the_name() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.csv");
        let mut file = Unfinished::begin(&path).unwrap();
        file.write_all(b"half").unwrap();
        assert!(!path.exists());
        drop(file);
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
        let mut file = Unfinished::begin(&path).unwrap();
        file.write_all(b"whole").unwrap();
        file.finish().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"whole");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }
}
