//! A lock that is given back before its file is closed.

use crate::File;

/// A file whose lock this process holds.
///
/// Closing the file gives the lock back only when nobody else has its descriptor any more: a child
/// that another thread is just starting has a copy until it executes its program. So it is given
/// back by name. A child that goes on as this program does not give back what is its parent's.
#[derive(Debug)]
pub struct HeldLock {
    file: File,
    owner: rustix::process::Pid,
}

impl HeldLock {
    /// Of a file that was just locked.
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
        // As a child has it between its start and its program's.
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
