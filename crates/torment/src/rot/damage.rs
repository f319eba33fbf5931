//! A single damage: the file, the place, and the kind.

use std::fs;
use std::path::{Path, PathBuf};

use disk::Random;

use crate::Checked;
use crate::world::pick;

const PAGE_BYTES: u64 = 4096;
const SECTOR_BYTES: u64 = 512;

/// The kind of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Victim {
    /// Files of a ring store.
    Tiles,
    Attic,
    Checkpoint,
    Journal,
    Catalogue,
    /// Files of a store of `.rrd` files.
    Database,
}

impl Victim {
    fn of(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?;
        let ending = name.rsplit('.').next()?;
        Some(match ending {
            "tiles" => Self::Tiles,
            "a" | "b" => Self::Checkpoint,
            "rrd" => Self::Database,
            "catalogue" => Self::Catalogue,
            _ if ending.starts_with("attic") => Self::Attic,
            _ if name.starts_with("journal-") => Self::Journal,
            _ => return None,
        })
    }
}

/// A damage to a file.
#[derive(Clone, Debug)]
pub(crate) struct Damage {
    pub(crate) file: PathBuf,
    pub(crate) victim: Victim,
    how: How,
}

#[derive(Clone, Copy, Debug)]
enum How {
    Flipped {
        byte: u64,
        bit: u8,
    },
    Zeroed {
        from: u64,
        bytes: u64,
    },
    /// A sector is replaced by random bytes.
    Noise {
        from: u64,
    },
    CutTo {
        bytes: u64,
    },
}

impl Damage {
    /// Damages a random file below a directory, so that its content changes.
    pub(crate) fn inflict(below: &Path, random: &mut Random) -> Checked<Self> {
        let mut files = Vec::new();
        collect(below, &mut files).map_err(|error| format!("{}: {error}", below.display()))?;
        files.sort();
        let mut victims: Vec<Victim> = files.iter().map(|(victim, _)| *victim).collect();
        victims.dedup();
        loop {
            let victim = pick(random, &victims);
            let all: Vec<_> = files.iter().filter(|file| file.0 == victim).collect();
            let file = &all[random.below(all.len() as u64) as usize].1;
            let mut bytes =
                fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
            let before = bytes.clone();
            let Some(how) = How::new(&bytes, random) else { continue };
            how.apply(&mut bytes, random);
            if bytes != before {
                fs::write(file, &bytes).map_err(|error| format!("{}: {error}", file.display()))?;
                return Ok(Self { file: file.clone(), victim, how });
            }
        }
    }

    /// The last part of the file's name.
    pub(crate) fn file_name(&self) -> String {
        self.file.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Whether the end of the file is missing, not only a page of it.
    pub(crate) fn cuts(&self) -> bool {
        matches!(self.how, How::CutTo { .. })
    }
}

impl How {
    /// Most damages are in parts that are in use; large parts of some files are unused.
    fn new(bytes: &[u8], random: &mut Random) -> Option<Self> {
        let length = bytes.len() as u64;
        if length == 0 {
            return None;
        }
        let used: Vec<u64> = (0..length.div_ceil(SECTOR_BYTES))
            .filter(|nth| {
                let from = (nth * SECTOR_BYTES) as usize;
                let to = (from + SECTOR_BYTES as usize).min(bytes.len());
                bytes[from..to].iter().any(|byte| *byte != 0)
            })
            .collect();
        let at = match used.is_empty() || random.below(8) == 0 {
            true => random.below(length),
            false => {
                let sector = used[random.below(used.len() as u64) as usize];
                (sector * SECTOR_BYTES + random.below(SECTOR_BYTES)).min(length - 1)
            }
        };
        Some(match random.below(10) {
            0..=3 => Self::Flipped { byte: at, bit: random.below(8) as u8 },
            4 | 5 => Self::Zeroed { from: at / PAGE_BYTES * PAGE_BYTES, bytes: PAGE_BYTES },
            6 => Self::Zeroed { from: at / SECTOR_BYTES * SECTOR_BYTES, bytes: SECTOR_BYTES },
            7 | 8 => Self::Noise { from: at / SECTOR_BYTES * SECTOR_BYTES },
            _ => Self::CutTo { bytes: if random.below(3) == 0 { 0 } else { at } },
        })
    }

    fn apply(self, bytes: &mut Vec<u8>, random: &mut Random) {
        let length = bytes.len();
        let part = |from: u64, count: u64| from as usize..((from + count) as usize).min(length);
        match self {
            Self::Flipped { byte, bit } => bytes[byte as usize] ^= 1 << bit,
            Self::Zeroed { from, bytes: count } => bytes[part(from, count)].fill(0),
            Self::Noise { from } => {
                bytes[part(from, SECTOR_BYTES)].fill_with(|| random.number() as u8);
            }
            Self::CutTo { bytes: count } => bytes.truncate(count as usize),
        }
    }
}

fn collect(directory: &Path, files: &mut Vec<(Victim, PathBuf)>) -> std::io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if let Some(victim) = Victim::of(&path) {
            files.push((victim, path));
        }
    }
    Ok(())
}
