//! The file that tells the daemon's number.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::FlockOperation;
use rustix::io::Errno;
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
        loop {
            let mut file = open(path).map_err(failed)?;
            if let Some(other) = other_daemon(&mut file) {
                let words = format!("FATAL: Another rrdcached daemon is running?!{other}");
                return Err(Refused::new(1, words));
            }
            // A daemon that ended after we opened its file has removed the name: the lock that we
            // got is on a file that the next daemon would not find.
            if !is_at(&file, path).map_err(failed)? {
                continue;
            }
            file.set_len(0).map_err(failed)?;
            file.rewind().map_err(failed)?;
            writeln!(file, "{}", std::process::id()).map_err(failed)?;
            return Ok(Self { path: path.into(), _file: file });
        }
    }
}

fn open(path: &Path) -> io::Result<File> {
    File::options().create(true).truncate(false).read(true).write(true).open(path)
}

/// Locks the file. Where another daemon lives by it, gives what the file says of that daemon: its
/// number, or nothing if the daemon has not written it yet.
fn other_daemon(file: &mut File) -> Option<String> {
    let shown = |number: i32| format!(" (pid {number})");
    match rustix::fs::flock(&*file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => None,
        Err(Errno::WOULDBLOCK) => Some(number(file).map(shown).unwrap_or_default()),
        // A file system without locks: the number is all that there is to go by.
        Err(_) => number(file).filter(|number| is_living(*number)).map(shown),
    }
}

/// The number of a process and what may stand around it; the name may lead to anything.
const PID_BYTES_MAX: u64 = 64;

/// The number that a file tells.
fn number(file: &mut File) -> Option<i32> {
    let mut text = String::new();
    file.take(PID_BYTES_MAX).read_to_string(&mut text).ok()?;
    text.trim().parse().ok().filter(|number| *number > 0)
}

/// Whether there is a process of this number, other than this one.
fn is_living(number: i32) -> bool {
    let Some(process) = Pid::from_raw(number) else { return false };
    let is_there = test_kill_process(process);
    // A process that we may not signal is there too.
    let is_there = is_there.is_ok() || is_there == Err(Errno::PERM);
    is_there && u32::try_from(number) != Ok(std::process::id())
}

/// Whether a name leads to an open file.
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    let own = file.metadata()?;
    match std::fs::metadata(path) {
        Ok(found) => Ok((found.dev(), found.ino()) == (own.dev(), own.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

impl Drop for PidFile {
    fn drop(&mut self) {
        // After privileges were dropped the directory may no longer be ours to write.
        let _ = std::fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use rustix::fs::FlockOperation;

    use super::PidFile;

    /// Another daemon may have locked the file and not yet written it; its number may be ours in
    /// another namespace of processes.
    #[test]
    fn a_locked_file_refuses_whatever_is_in_it() {
        let room = tempfile::tempdir().unwrap();
        let path = room.path().join("pid");
        let own = format!("{}\n", std::process::id());
        let living = std::os::unix::process::parent_id().to_string();
        for (text, shown) in [
            ("", ""),
            ("nonsense", ""),
            ("999999999\n", " (pid 999999999)"),
            (&own, &format!(" (pid {})", own.trim())),
            (&living, &format!(" (pid {living})")),
        ] {
            std::fs::write(&path, text).unwrap();
            let holder = File::open(&path).unwrap();
            rustix::fs::flock(&holder, FlockOperation::NonBlockingLockExclusive).unwrap();
            let refused = PidFile::write(&path).unwrap_err();
            let words = format!("FATAL: Another rrdcached daemon is running?!{shown}");
            assert_eq!((refused.words, refused.exit_code), (words, 1), "{text}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
    }

    /// The file may be removed between the opening and the lock of the next daemon.
    #[test]
    fn no_two_daemons_have_it_while_it_comes_and_goes() {
        let room = tempfile::tempdir().unwrap();
        let path = room.path().join("pid");
        let holders = AtomicUsize::new(0);
        let come_and_go = || {
            for _ in 0..2000 {
                let Ok(file) = PidFile::write(&path) else { continue };
                assert_eq!(holders.fetch_add(1, Ordering::SeqCst), 0);
                std::thread::yield_now();
                holders.fetch_sub(1, Ordering::SeqCst);
                drop(file);
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(come_and_go);
            }
        });
    }

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
