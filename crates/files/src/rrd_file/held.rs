//! A file whose lock is given back before it is closed.

use std::ops::{Deref, DerefMut};
use std::path::Path;

use store::Error;

use super::{Access, RrdFile};

/// A locked file, for as long as this is there.
///
/// Closing alone would give the lock back, too, but not while a child that another thread is
/// starting has a copy of the descriptor.
#[derive(Debug)]
pub(crate) struct HeldFile(RrdFile);

impl HeldFile {
    /// # Errors
    /// As [`RrdFile::open`].
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        RrdFile::open(path, Access::Update).map(Self)
    }
}

impl Deref for HeldFile {
    type Target = RrdFile;

    fn deref(&self) -> &RrdFile {
        &self.0
    }
}

impl DerefMut for HeldFile {
    fn deref_mut(&mut self) -> &mut RrdFile {
        &mut self.0
    }
}

impl Drop for HeldFile {
    fn drop(&mut self) {
        let _ = self.0.release(); // closing gives it back a little later
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)] // the test starts processes
mod tests {
    use std::process::Command;

    use rrd::Timestamp;
    use store::Existing;

    use super::*;

    /// Fails within a few rounds where the lock goes with the descriptor alone.
    #[test]
    fn the_lock_is_free_though_children_are_being_started() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.rrd");
        let specs = ["DS:a:GAUGE:600:0:U", "RRA:AVERAGE:0.5:1:20"];
        let definition = rrd::spec::definition(300, specs).unwrap();
        crate::create(&path, &definition, Timestamp::from_seconds(3000), Existing::Keep).unwrap();
        std::thread::scope(|scope| {
            let starter = scope.spawn(|| {
                for _ in 0..100 {
                    Command::new("true").status().unwrap();
                }
            });
            while !starter.is_finished() {
                drop(HeldFile::open(&path).unwrap());
            }
        });
    }
}
