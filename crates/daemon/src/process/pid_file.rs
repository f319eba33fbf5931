//! The file that tells the daemon's number.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};

use rustix::fs::FlockOperation;
use rustix::process::{Pid, test_kill_process};

use crate::options::Refused;

/// The file while the daemon lives; it is removed when dropped.
#[derive(Debug)]
pub(crate) struct PidFile {
    path: PathBuf,
    // Locked, so that a second daemon sees that the first lives whatever number its process got.
    _file: File,
}

impl PidFile {
    /// Writes our number. A file that a daemon left which was killed is written over.
    ///
    /// # Errors
    /// Another daemon lives by it, or it cannot be written.
    pub(crate) fn write(path: &Path) -> Result<Self, Refused> {
        let failed = |error: io::Error| {
            let words = rrdtool::system_words(&error);
            Refused::new(1, format!("FATAL: PID file {}: {words}", path.display()))
        };
        if let Some(directory) = path.parent().filter(|directory| !directory.as_os_str().is_empty())
        {
            std::fs::create_dir_all(directory).map_err(failed)?;
        }
        let mut file = File::options()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .open(path)
            .map_err(failed)?;
        let is_free = rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok();
        if let Some(other) = living(&mut file).filter(|_| !is_free) {
            let words = format!("FATAL: Another rrdcached daemon is running?! (pid {other})");
            return Err(Refused::new(1, words));
        }
        file.set_len(0).map_err(failed)?;
        file.rewind().map_err(failed)?;
        writeln!(file, "{}", std::process::id()).map_err(failed)?;
        Ok(Self { path: path.into(), _file: file })
    }
}

/// The number of a process and what may stand around it; the name may lead to anything.
const PID_BYTES_MAX: u64 = 64;

/// The process whose number a file tells, if there is one.
fn living(file: &mut File) -> Option<i32> {
    let mut text = String::new();
    file.take(PID_BYTES_MAX).read_to_string(&mut text).ok()?;
    let number = text.trim().parse().ok()?;
    let is_there = test_kill_process(Pid::from_raw(number)?);
    // Whom we may not signal is there too.
    let is_there = is_there.is_ok() || is_there == Err(rustix::io::Errno::PERM);
    is_there.then_some(number).filter(|number| u32::try_from(*number) != Ok(std::process::id()))
}

impl Drop for PidFile {
    fn drop(&mut self) {
        // After privileges were dropped the directory may no longer be ours to write.
        let _ = std::fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::PidFile;

    #[test]
    fn what_a_killed_daemon_left_is_written_over() {
        let room = tempfile::tempdir().unwrap();
        let path = room.path().join("run/pid");
        std::fs::create_dir(room.path().join("run")).unwrap();
        for left in ["", "nonsense\n", "1\n", "999999999\n", "123456789 and more, which must go"] {
            std::fs::write(&path, left).unwrap();
            let file = PidFile::write(&path).unwrap();
            let own = format!("{}\n", std::process::id());
            assert_eq!(std::fs::read_to_string(&path).unwrap(), own);
            drop(file);
            assert!(!path.exists());
        }
    }
}
