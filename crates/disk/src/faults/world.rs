//! The simulated machine: its files, names and calls.

use std::collections::BTreeMap;
use std::io;

use rustix::io::Errno;

use super::inode::{Inode, survives};
use super::plan::{Fault, FaultPlan, Restart};
use chance::Random;

/// Writes of at most this many bytes are never cut short.
const WHOLE_BYTES: usize = 32;

/// The kind of a call, which determines the faults that it can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Call {
    /// Changes nothing.
    Look,
    /// Changes something, but takes no space.
    Change,
    /// Takes space.
    Grow,
    /// Writes this many bytes.
    Write(usize),
    /// Waits for the platter.
    Sync,
}

impl Call {
    fn can_have(self, fault: Fault) -> bool {
        match fault {
            Fault::Crash => true,
            Fault::IoError => self != Self::Sync,
            Fault::NoSpace => matches!(self, Self::Grow | Self::Write(_)),
            Fault::ShortWrite => matches!(self, Self::Write(bytes) if bytes > WHOLE_BYTES),
            Fault::FailedSync => self == Self::Sync,
        }
    }
}

/// A change of names that is not on the platter yet.
#[derive(Clone, Debug)]
enum NameChange {
    Link(String, usize),
    Unlink(String),
    Rename(String, String),
}

/// The simulated machine.
#[derive(Debug)]
pub(super) struct World {
    plan: FaultPlan,
    pub(super) random: Random,
    pub(super) calls: u64,
    pub(super) failed_calls: u64,
    pub(super) crashed: bool,
    pub(super) inodes: Vec<Inode>,
    pub(super) names: BTreeMap<String, usize>,
    durable_names: BTreeMap<String, usize>,
    pending_names: Vec<NameChange>,
}

impl World {
    pub(super) fn new(plan: FaultPlan) -> Self {
        Self {
            random: Random::new(plan.seed),
            plan,
            calls: 0,
            failed_calls: 0,
            crashed: false,
            inodes: Vec::new(),
            names: BTreeMap::new(),
            durable_names: BTreeMap::new(),
            pending_names: Vec::new(),
        }
    }

    /// Executes a call, or the fault that the plan has for it.
    pub(super) fn call<T>(
        &mut self,
        call: Call,
        work: impl FnOnce(&mut Self, Option<Fault>) -> io::Result<T>,
    ) -> io::Result<T> {
        if self.crashed {
            return Err(stopped());
        }
        let fault = self.next_fault(call);
        let fails = matches!(fault, Some(Fault::IoError | Fault::NoSpace | Fault::FailedSync));
        self.failed_calls += u64::from(fails);
        match fault {
            Some(Fault::IoError) => return Err(Errno::IO.into()),
            Some(Fault::NoSpace) => return Err(Errno::NOSPC.into()),
            Some(Fault::Crash) => {
                // The crash comes in the middle of the call: its writes are in the cache, but a
                // sync does not complete.
                if call != Call::Sync {
                    let _ = work(self, None); // after the crash the result does not matter
                }
                self.crashed = true;
                return Err(stopped());
            }
            Some(Fault::ShortWrite | Fault::FailedSync) | None => {}
        }
        let done = work(self, fault);
        if self.random.chance(self.plan.rates.write_back_ppm) {
            self.inodes.iter_mut().for_each(|inode| inode.write_back(&mut self.random));
        }
        done
    }

    /// The answer to whether another process holds a file.
    pub(super) fn is_held(&mut self) -> bool {
        let odds_ppm = self.plan.rates.held_ppm;
        odds_ppm > 0 && self.random.chance(odds_ppm)
    }

    fn next_fault(&mut self, call: Call) -> Option<Fault> {
        let number = self.calls;
        self.calls += 1;
        let rates = self.plan.rates;
        let planned = self.plan.at.get(&number).copied();
        let by_chance = [
            (Fault::Crash, rates.crash_ppm),
            (Fault::IoError, rates.io_error_ppm),
            (Fault::NoSpace, rates.no_space_ppm),
            (Fault::ShortWrite, rates.short_write_ppm),
            (Fault::FailedSync, rates.failed_sync_ppm),
        ];
        let chosen = planned.or_else(|| {
            let possible = by_chance.into_iter().filter(|(fault, _)| call.can_have(*fault));
            let mut happening = possible.filter(|(_, rate)| self.random.chance(*rate));
            happening.next().map(|(fault, _)| fault)
        });
        chosen.filter(|fault| call.can_have(*fault))
    }

    pub(super) fn link(&mut self, name: &str) -> usize {
        let inode = self.inodes.len();
        self.inodes.push(Inode::default());
        self.names.insert(name.into(), inode);
        self.pending_names.push(NameChange::Link(name.into(), inode));
        inode
    }

    pub(super) fn unlink(&mut self, name: &str) -> io::Result<()> {
        self.names.remove(name).ok_or(io::ErrorKind::NotFound)?;
        self.pending_names.push(NameChange::Unlink(name.into()));
        Ok(())
    }

    pub(super) fn rename(&mut self, from: &str, to: &str) -> io::Result<()> {
        let inode = self.names.remove(from).ok_or(io::ErrorKind::NotFound)?;
        self.names.insert(to.into(), inode);
        self.pending_names.push(NameChange::Rename(from.into(), to.into()));
        Ok(())
    }

    pub(super) fn sync_names(&mut self) {
        self.pending_names.clear();
        self.durable_names = self.names.clone();
    }

    /// A sync of the directory that fails: some names are durable, the others will not become
    /// durable without another sync.
    pub(super) fn fail_name_sync(&mut self) {
        self.settle_names(|random| random.below(2) == 0);
    }

    /// The machine after a restart.
    pub(super) fn restarted(&mut self, plan: FaultPlan, how: Restart) -> Self {
        self.crashed = true; // holders of files of the old life shall notice
        let mut next = Self::new(plan);
        let survival = self.plan.survival;
        match how {
            Restart::Process => {
                next.inodes = self.inodes.iter().map(Inode::kept).collect();
                next.names = self.names.clone();
                next.pending_names = self.pending_names.clone();
            }
            Restart::PowerCut => {
                self.settle_names(|random| survives(survival, random));
                let inodes = self.inodes.iter_mut();
                next.inodes =
                    inodes.map(|inode| inode.survivor(survival, &mut self.random)).collect();
                next.names = self.durable_names.clone();
                if self.random.chance(self.plan.rates.bit_rot_ppm) {
                    next.rot_somewhere();
                }
            }
        }
        next.durable_names = self.durable_names.clone();
        next
    }

    fn settle_names(&mut self, mut survives: impl FnMut(&mut Random) -> bool) {
        for change in std::mem::take(&mut self.pending_names) {
            if !survives(&mut self.random) {
                continue;
            }
            let names = &mut self.durable_names;
            match change {
                NameChange::Link(name, inode) => drop(names.insert(name, inode)),
                NameChange::Unlink(name) => drop(names.remove(&name)),
                NameChange::Rename(from, to) => {
                    let moved = names.remove(&from);
                    moved.map(|inode| names.insert(to, inode));
                }
            }
        }
    }

    /// Changes one bit of a file, both on the platter and in the cache.
    pub(super) fn rot(&mut self, name: &str, offset_bytes: u64, bit: u32) {
        assert!(bit < 8, "a byte has eight bits");
        let inode = *self.names.get(name).expect("only a file that exists can rot");
        for image in [&self.inodes[inode].cache, &self.inodes[inode].platter] {
            let mut bytes = image.bytes();
            let byte = bytes.get_mut(offset_bytes as usize).expect("rot lies within the file");
            *byte ^= 1 << bit;
        }
    }

    fn rot_somewhere(&mut self) {
        let sizes = self
            .names
            .iter()
            .map(|(name, inode)| (name.clone(), self.inodes[*inode].platter.bytes().len() as u64));
        let files: Vec<(String, u64)> = sizes.filter(|(_, bytes)| *bytes > 0).collect();
        if files.is_empty() {
            return;
        }
        let (name, bytes) = &files[self.random.below(files.len() as u64) as usize];
        let (offset_bytes, bit) = (self.random.below(*bytes), self.random.below(8));
        self.rot(name, offset_bytes, bit as u32);
    }
}

fn stopped() -> io::Error {
    io::Error::other("the simulated machine has stopped")
}
