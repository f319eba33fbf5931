//! How many databases of which definition a store has, while another process may have it open.
//! Nothing is locked and nothing is written: the catalogue is copied into memory and opened there.

use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use disk::{File, Medium as _, MediumFile as _, MemoryMedium, Mode};
use rrd::Definition;

use super::Pace;
use super::catalogue::{Catalogue, CatalogueError, FILE, Loaded};

/// How often the catalogue is copied; the process that has the store open seldom commits.
const TRIES: u32 = 8;
const PAUSE: Duration = Duration::from_millis(30);
/// Bytes that are copied at once.
const CHUNK_BYTES: usize = 1 << 20;

/// What a store's catalogue tells: its pace, and its databases counted by their definitions.
#[derive(Clone, Debug, PartialEq)]
pub struct Census {
    /// How often groups are flushed, and how long tiles are.
    pub pace: Pace,
    /// Each definition that databases have, and how many. Those that were made since the last
    /// commit of the catalogue are not among them.
    pub databases: Vec<(Definition, u64)>,
}

impl Census {
    /// Counts the databases of the store in a directory.
    ///
    /// # Errors
    /// There is no catalogue of this version, it cannot be read, or it is damaged, as it also seems
    /// if it was written each time that it was copied.
    pub fn at(root: &Path) -> Result<Self, CatalogueError> {
        let mut counted = Self::of(&copied(root)?);
        for _ in 1..TRIES {
            // What was copied in the middle of a commit may be anything but whole.
            if !matches!(&counted, Err(CatalogueError::Damaged { .. })) {
                break;
            }
            sleep(PAUSE);
            counted = Self::of(&copied(root)?);
        }
        counted
    }

    fn of(copy: &MemoryMedium) -> Result<Self, CatalogueError> {
        let catalogue = Catalogue::open(copy)?;
        let mut databases: Vec<(Definition, u64)> = Vec::new();
        catalogue.load(|loaded| match loaded {
            Loaded::Definition(_, definition) => databases.push((definition, 0)),
            Loaded::Group(..) => {}
            // Definitions come first, numbered without a gap: loading checks that.
            Loaded::Rrd(_, view) => {
                let (_, count) = &mut databases[view.definition.0 as usize];
                *count += 1;
            }
        })?;
        databases.retain(|(_, count)| *count > 0);
        let meta = catalogue.meta();
        let pace = Pace { flush_cycles: meta.flush_cycles, tile_rows_max: meta.tile_rows_max };
        Ok(Self { pace, databases })
    }
}

/// A directory in memory that holds what the catalogue's file holds now.
fn copied(root: &Path) -> Result<MemoryMedium, CatalogueError> {
    let path = root.join(FILE);
    let io = |action| move |source| CatalogueError::Io { action, source };
    let file = File::open(&path, Mode::Read).map_err(io("opening"))?;
    let medium = MemoryMedium::default();
    let copy = medium.create(FILE).map_err(io("copying"))?;
    let mut chunk = vec![0; CHUNK_BYTES];
    let mut offset_bytes = 0;
    loop {
        let read = file.read_at(&mut chunk, offset_bytes).map_err(io("reading"))?;
        copy.write_at(&chunk[..read], offset_bytes).map_err(io("copying"))?;
        offset_bytes += read as u64;
        if read < CHUNK_BYTES {
            return Ok(medium);
        }
    }
}
