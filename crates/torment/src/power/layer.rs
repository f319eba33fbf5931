//! The content of the disk, and which writes are not durable.

use std::collections::HashMap;

use disk::Random;

use crate::world::pick;

const PAGE_BYTES: usize = 4096;
/// The unit that a disk writes atomically.
const SECTOR_BYTES: usize = 512;

/// A write without a later flush.
struct Write {
    offset: u64,
    old: Vec<u8>,
    new: Vec<u8>,
}

/// How the disk responds to requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Health {
    /// The power is off: all requests fail.
    pub(super) is_off: bool,
    /// How many of a million writes, flushes and reads fail.
    pub(super) failing_writes: u32,
    pub(super) failing_flushes: u32,
    pub(super) failing_reads: u32,
    /// Writes with these eight bytes fail: those of certain data, not those of the file system.
    pub(super) refused: Option<[u8; 8]>,
}

/// The disk refused a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Failed;

/// A disk in memory; unwritten parts read as zeros.
pub(super) struct Layer {
    pub(super) health: Health,
    pub(super) bytes: u64,
    pages: HashMap<u64, Box<[u8; PAGE_BYTES]>>,
    unflushed: Vec<Write>,
    random: Random,
}

impl Layer {
    pub(super) fn new(bytes: u64) -> Self {
        let (pages, unflushed, random) = (HashMap::new(), Vec::new(), Random::new(0));
        Self { health: Health::default(), bytes, pages, unflushed, random }
    }

    pub(super) fn read(&mut self, offset: u64, length: usize) -> Result<Vec<u8>, Failed> {
        self.works(self.health.failing_reads)?;
        Ok(self.content(offset, length))
    }

    pub(super) fn write(&mut self, offset: u64, data: &[u8]) -> Result<(), Failed> {
        self.works(self.health.failing_writes)?;
        let holds = |refused: [u8; 8]| data.windows(8).any(|bytes| bytes == refused);
        if self.health.refused.is_some_and(holds) {
            return Err(Failed);
        }
        let old = self.content(offset, data.len());
        self.put(offset, data);
        self.unflushed.push(Write { offset, old, new: data.to_vec() });
        Ok(())
    }

    /// Makes all writes durable.
    pub(super) fn flush(&mut self) -> Result<(), Failed> {
        self.works(self.health.failing_flushes)?;
        self.unflushed.clear();
        Ok(())
    }

    fn works(&mut self, failing: u32) -> Result<(), Failed> {
        match self.health.is_off || (failing > 0 && self.random.chance(failing)) {
            true => Err(Failed),
            false => Ok(()),
        }
    }

    /// Applies a power cut: a random part of the writes that are not durable is lost. Returns how
    /// many were not durable.
    pub(super) fn lose(&mut self, random: &mut Random) -> usize {
        let mut writes = std::mem::take(&mut self.unflushed);
        for write in writes.iter().rev() {
            self.put(write.offset, &write.old);
        }
        let kept_percent = pick(random, &[3, 50, 97]);
        match random.below(5) {
            0 => {}
            1 => writes.iter().for_each(|write| self.put(write.offset, &write.new)),
            2 => self.keep_beginning(&writes, random),
            nth => {
                // Of two versions of a sector, either may remain.
                shuffle(&mut writes, random);
                for write in &writes {
                    let unit = if nth == 3 { write.new.len().max(1) } else { SECTOR_BYTES };
                    self.keep_parts(write, unit, kept_percent, random);
                }
            }
        }
        writes.len()
    }

    /// Keeps the writes in order up to a random one, which is torn.
    fn keep_beginning(&mut self, writes: &[Write], random: &mut Random) {
        let kept = random.below(writes.len() as u64 + 1) as usize;
        writes[..kept].iter().for_each(|write| self.put(write.offset, &write.new));
        if let Some(torn) = writes.get(kept) {
            self.keep_parts(torn, SECTOR_BYTES, 50, random);
        }
    }

    fn keep_parts(&mut self, write: &Write, unit: usize, percent: u64, random: &mut Random) {
        for (nth, part) in write.new.chunks(unit).enumerate() {
            if random.below(100) < percent {
                self.put(write.offset + (nth * unit) as u64, part);
            }
        }
    }

    fn content(&self, offset: u64, length: usize) -> Vec<u8> {
        let mut content = vec![0; length];
        for (page, at, range) in pieces(offset, length) {
            if let Some(bytes) = self.pages.get(&page) {
                content[range.clone()].copy_from_slice(&bytes[at..at + range.len()]);
            }
        }
        content
    }

    fn put(&mut self, offset: u64, data: &[u8]) {
        for (page, at, range) in pieces(offset, data.len()) {
            let bytes = self.pages.entry(page).or_insert_with(|| Box::new([0; PAGE_BYTES]));
            bytes[at..at + range.len()].copy_from_slice(&data[range]);
        }
    }
}

/// The pieces of a stretch: the page, the range in it, and the range of the stretch.
fn pieces(
    offset: u64,
    length: usize,
) -> impl Iterator<Item = (u64, usize, std::ops::Range<usize>)> {
    let mut done = 0;
    std::iter::from_fn(move || {
        let (place, begin) = (offset + done as u64, done);
        let at = (place % PAGE_BYTES as u64) as usize;
        done = (begin + PAGE_BYTES - at).min(length);
        (begin < length).then(|| (place / PAGE_BYTES as u64, at, begin..done))
    })
}

fn shuffle<T>(all: &mut [T], random: &mut Random) {
    for nth in (1..all.len()).rev() {
        all.swap(nth, random.below(nth as u64 + 1) as usize);
    }
}

#[cfg(test)]
mod tests {
    use disk::Random;

    use super::Layer;

    #[test]
    fn a_cut_takes_what_was_not_flushed_and_nothing_else() {
        let (mut lost, mut kept, mut torn) = (0, 0, 0);
        for seed in 0..200 {
            let mut layer = Layer::new(1 << 20);
            layer.write(0, &[1; 8192]).unwrap();
            layer.write(5000, &[2; 100]).unwrap();
            layer.flush().unwrap();
            layer.write(4096, &[3; 4096]).unwrap();
            assert_eq!(layer.lose(&mut Random::new(seed)), 1);
            assert_eq!(layer.read(0, 4096).unwrap(), [1; 4096]);
            let found = layer.read(4096, 4096).unwrap();
            assert!(found.chunks(512).all(|sector| sector.iter().all(|byte| *byte == 3)
                || sector.iter().all(|byte| *byte != 3)));
            match found.iter().filter(|byte| **byte == 3).count() {
                0 => lost += 1,
                4096 => kept += 1,
                _ => torn += 1,
            }
        }
        assert!(lost > 10 && kept > 10 && torn > 10, "{lost} {kept} {torn}");
    }
}
