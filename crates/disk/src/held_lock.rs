//! A lock that is released before its file is closed.

use crate::File;

/// A file that this process has locked.
///
/// Closing the file releases the lock only if no other process has the descriptor. A child that
/// another thread is starting has a copy of it until it executes its program. So the lock is
/// released by an explicit call. A child that keeps running this program does not release its
/// parent's lock.
#[derive(Debug)]
pub struct HeldLock {
    file: File,
    owner: rustix::process::Pid,
}

impl HeldLock {
    /// Wraps a file that was just locked.
    #[must_use]
    pub fn of(file: File) -> Self {
        Self { file, owner: rustix::process::getpid() }
    }
}

impl Drop for HeldLock {
    fn drop(&mut self) {
        if rustix::process::getpid() == self.owner {
            let _ = self.file.unlock(); // closing gives it back a little later
        }
    }
}

#[cfg(test)]
mod tests {
    use super::HeldLock;
    use crate::{File, Mode};

    #[test]
    fn the_lock_is_free_though_another_has_the_descriptor() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("lock");
        let file = File::create(&path).unwrap();
        // The copy that a child has between fork and exec.
        let child = file.0.try_clone().unwrap();
        assert!(file.try_lock(Mode::Update).unwrap());
        let held = HeldLock::of(file);
        let next = File::open(&path, Mode::Update).unwrap();
        assert!(!next.try_lock(Mode::Update).unwrap());
        drop(held);
        assert!(next.try_lock(Mode::Update).unwrap());
        drop(child);
    }
}
