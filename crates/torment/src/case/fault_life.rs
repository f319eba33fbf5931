//! The disk is full, or fails, while the daemon works; later it works again.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Duration;

use disk::Random;

use super::Trial;
use crate::Checked;
use crate::daemon::Daemon;
use crate::judge::settle;
use crate::load::{Shared, load};
use crate::power::PowerDisk;
use crate::world::{Kept, pick};

/// The fault of the disk.
#[derive(Clone, Copy, Debug)]
enum Fault {
    /// Only this many bytes are free.
    Full { free_bytes: u64 },
    /// This many of a million writes, flushes and reads fail.
    Failing([u32; 3]),
    /// Writes of pages with this mark fail. The file system's own writes succeed, so it continues.
    Refusing([u8; 8]),
}

/// The first bytes of pages in gyre's files: of a ring store, of its journal, and of an `.rrd`
/// file.
const MARKS: [[u8; 8]; 5] =
    [*b"gyretile", *b"gyreattc", *b"gyreckpt", *b"gyre-log", *b"RRD\x000003"];

impl Fault {
    fn new(random: &mut Random) -> Self {
        let kind = random.below(3);
        if kind == 0 {
            return Self::Refusing(pick(random, &MARKS));
        }
        if kind == 1 {
            return Self::Full { free_bytes: pick(random, &[0, 0, 50_000, 1 << 20, 20 << 20]) };
        }
        let rates = [0, 1_000, 50_000, 1_000_000];
        let (writes, flushes) = (pick(random, &rates), pick(random, &rates));
        Self::Failing([writes, flushes, pick(random, &[0, 0, 0, 50_000])])
    }

    fn begin(self, power: &mut PowerDisk) -> Checked<()> {
        match self {
            Self::Full { free_bytes } => fill(&filler(power), free_bytes),
            Self::Failing(rates) => power.fail(rates),
            Self::Refusing(mark) => power.refuse(mark),
        }
    }

    fn end(self, power: &mut PowerDisk) -> Checked<()> {
        match self {
            Self::Full { .. } => {
                let filler = filler(power);
                fs::remove_file(&filler).map_err(|error| format!("{}: {error}", filler.display()))
            }
            Self::Failing(_) => power.fail([0; 3]),
            Self::Refusing(_) => power.accept(),
        }
    }
}

/// The file that takes the space.
fn filler(power: &PowerDisk) -> PathBuf {
    power.path().join("filler")
}

fn fill(filler: &std::path::Path, free_bytes: u64) -> Checked<()> {
    let text = |error: std::io::Error| format!("{}: {error}", filler.display());
    let file = fs::File::create(filler).map_err(text)?;
    let facts = rustix::fs::fstatvfs(&file).map_err(|error| text(error.into()))?;
    let mut wanted = (facts.f_bfree * facts.f_frsize).saturating_sub(free_bytes);
    let mut taken = 0;
    // Indirect blocks need space, too.
    while wanted >= facts.f_frsize {
        match rustix::fs::fallocate(&file, rustix::fs::FallocateFlags::empty(), taken, wanted) {
            Ok(()) => taken += wanted,
            Err(rustix::io::Errno::NOSPC) => wanted /= 2,
            Err(error) => return Err(text(error.into())),
        }
    }
    Ok(())
}

impl Trial<'_> {
    /// A run of the daemon with a fault in it. Acknowledged changes survive it, and once the disk
    /// works, the daemon starts.
    pub(super) fn fault_life(&mut self) -> Checked<()> {
        let fault = Fault::new(&mut self.random);
        if matches!(fault, Fault::Full { .. }) && self.random.below(4) == 0 {
            self.start_on_a_full_disk(fault)?;
        }
        let mut daemon = Daemon::listening(self.site, &self.world)?;
        self.settle_all_or_open(&mut daemon, 2)?;
        let wanted = 1 + self.random.below(10 + 20 * self.entries.len() as u64);
        let shared = Shared::new(self.site, &self.world, &self.cycle);
        let pauses = [self.random.below(300), self.random.below(100)].map(Duration::from_millis);
        let (heals, dies) = (self.random.below(2) == 0, self.random.below(2) == 0);
        let power = self.power.as_mut().expect("faults need a disk of their own");
        let until = || {
            shared.may_refuse.store(true, Ordering::Relaxed);
            fault.begin(power)?;
            std::thread::sleep(pauses[0]);
            if heals {
                fault.end(power)?;
                std::thread::sleep(pauses[1]);
            }
            match dies {
                true => daemon.kill(),
                false => daemon.end_somehow()?,
            }
            if heals { Ok(()) } else { fault.end(power) }
        };
        self.counts.samples += load(&shared, &mut self.entries, wanted, &mut self.random, until)?;
        self.counts.faults += 1;
        // A file system that could not write its journal must be mounted again.
        self.power.as_mut().expect("it has one").remount()
    }

    /// Starts on a full disk: updates cannot be accepted, but everything can be read. The daemon
    /// with files always starts; with a ring store it may refuse with a reason.
    fn start_on_a_full_disk(&mut self, fault: Fault) -> Checked<()> {
        let power = self.power.as_mut().expect("faults need a disk of their own");
        fault.begin(power)?;
        let started = Daemon::listening(self.site, &self.world).and_then(|mut daemon| {
            settle(&mut daemon, &mut self.shadow, &mut self.entries)?;
            daemon.end_somehow()
        });
        fault.end(power)?;
        self.counts.faults += 1;
        match started {
            Err(reason)
                if self.site.kept == Kept::Ring
                    && reason.starts_with("the daemon ended")
                    && reason.contains("No space left") =>
            {
                Ok(())
            }
            started => started.map_err(|reason| format!("on a full disk: {reason}")),
        }
    }
}
