//! The simulated machine as a [`Medium`].

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::plan::{Fault, FaultPlan, Restart};
use super::world::{Call, World};
use crate::medium::assert_flat;
use crate::{Medium, MediumFile, MemoryMedium};

/// A directory in memory that fails as planned. A clone is the same directory.
#[derive(Clone, Debug)]
pub struct FaultyMedium(Arc<Mutex<World>>);

/// An open file of a [`FaultyMedium`].
#[derive(Clone, Debug)]
pub struct FaultyFile {
    world: Arc<Mutex<World>>,
    inode: usize,
}

impl FaultyMedium {
    /// An empty directory.
    #[must_use]
    pub fn new(plan: FaultPlan) -> Self {
        Self(Arc::new(Mutex::new(World::new(plan))))
    }

    /// The number of calls so far.
    #[must_use]
    pub fn calls(&self) -> u64 {
        lock(&self.0).calls
    }

    /// The number of calls, including syncs, that failed without a crash since the last restart.
    #[must_use]
    pub fn failed_calls(&self) -> u64 {
        lock(&self.0).failed_calls
    }

    /// Whether the machine has crashed.
    #[must_use]
    pub fn has_crashed(&self) -> bool {
        lock(&self.0).crashed
    }

    /// The directory after a restart, with exactly the data that survived. Files opened before the
    /// restart fail from now on.
    #[must_use]
    pub fn restart(&self, how: Restart, plan: FaultPlan) -> Self {
        Self(Arc::new(Mutex::new(lock(&self.0).restarted(plan, how))))
    }

    /// A copy of the directory as programs see it; not counted as a call.
    #[must_use]
    pub fn seen(&self) -> MemoryMedium {
        let world = lock(&self.0);
        let names = world.names.iter();
        let files = names.map(|(name, nth)| (name.clone(), world.inodes[*nth].cache.detached()));
        MemoryMedium::of(files.collect())
    }

    /// Changes one bit of a file, like bit rot on a platter.
    pub fn rot(&self, name: &str, offset_bytes: u64, bit: u32) {
        lock(&self.0).rot(name, offset_bytes, bit);
    }
}

impl Medium for FaultyMedium {
    type File = FaultyFile;

    fn create(&self, name: &str) -> io::Result<FaultyFile> {
        assert_flat(name);
        let inode = lock(&self.0).call(Call::Grow, |world, _| {
            if world.names.contains_key(name) {
                return Err(io::ErrorKind::AlreadyExists.into());
            }
            Ok(world.link(name))
        })?;
        Ok(FaultyFile { world: Arc::clone(&self.0), inode })
    }

    fn open(&self, name: &str) -> io::Result<FaultyFile> {
        assert_flat(name);
        let inode = lock(&self.0).call(Call::Look, |world, _| {
            world.names.get(name).copied().ok_or_else(|| io::ErrorKind::NotFound.into())
        })?;
        Ok(FaultyFile { world: Arc::clone(&self.0), inode })
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        assert_flat(name);
        lock(&self.0).call(Call::Change, |world, _| world.unlink(name))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        assert_flat(from);
        assert_flat(to);
        lock(&self.0).call(Call::Change, |world, _| world.rename(from, to))
    }

    fn list(&self) -> io::Result<Vec<String>> {
        lock(&self.0).call(Call::Look, |world, _| Ok(world.names.keys().cloned().collect()))
    }

    fn sync_directory(&self) -> io::Result<()> {
        lock(&self.0).call(Call::Sync, |world, fault| {
            if fault == Some(Fault::FailedSync) {
                world.fail_name_sync();
                return Err(failed());
            }
            world.sync_names();
            Ok(())
        })
    }
}

impl FaultyFile {
    fn resize(&self, bytes: u64, call: Call) -> io::Result<()> {
        lock(&self.world).call(call, |world, _| world.inodes[self.inode].resize(bytes))
    }
}

impl MediumFile for FaultyFile {
    fn read_at(&self, buffer: &mut [u8], offset_bytes: u64) -> io::Result<usize> {
        lock(&self.world).call(Call::Look, |world, _| {
            world.inodes[self.inode].cache.read_at(buffer, offset_bytes)
        })
    }

    fn write_some_at(&self, bytes: &[u8], offset_bytes: u64) -> io::Result<usize> {
        assert!(!bytes.is_empty(), "a write of nothing");
        lock(&self.world).call(Call::Write(bytes.len()), |world, fault| {
            let count = match fault {
                Some(Fault::ShortWrite) => 1 + world.random.below(bytes.len() as u64 - 1) as usize,
                _ => bytes.len(),
            };
            world.inodes[self.inode].write(&bytes[..count], offset_bytes)
        })
    }

    fn len_bytes(&self) -> io::Result<u64> {
        lock(&self.world).call(Call::Look, |world, _| world.inodes[self.inode].cache.len_bytes())
    }

    fn allocate(&self, bytes: u64) -> io::Result<()> {
        if self.len_bytes()? < bytes { self.resize(bytes, Call::Grow) } else { Ok(()) }
    }

    fn reserve(&self, bytes: u64) -> io::Result<()> {
        self.allocate(bytes)
    }

    fn truncate(&self, bytes: u64) -> io::Result<()> {
        self.resize(bytes, Call::Change)
    }

    fn is_held(&self) -> io::Result<bool> {
        Ok(lock(&self.world).is_held())
    }

    fn sync_data(&self) -> io::Result<()> {
        lock(&self.world).call(Call::Sync, |world, fault| {
            let (inode, random) = (&mut world.inodes[self.inode], &mut world.random);
            if fault == Some(Fault::FailedSync) {
                inode.fail_sync(random);
                return Err(failed());
            }
            inode.sync();
            Ok(())
        })
    }
}

fn failed() -> io::Error {
    rustix::io::Errno::IO.into()
}

fn lock(world: &Mutex<World>) -> MutexGuard<'_, World> {
    world.lock().unwrap_or_else(PoisonError::into_inner)
}
