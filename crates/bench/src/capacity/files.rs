//! The files of the benchmark: as many pages as MRTG's files have, with arbitrary content.

use std::path::Path;

use ::capacity::trace::{BlockMap, Fleet, Group, Scatter, Shape};
use serde::{Deserialize, Serialize};

/// The kernel's page.
pub(crate) const PAGE_BYTES: u64 = 4096;
/// 2026-01-01 06:00 UTC: no archive of MRTG's is at a boundary in the first half hour.
const START_SECONDS: u64 = 1_767_247_200;
/// The seed of the initial positions of rings.
const SEED: u64 = 7;

/// Files of MRTG's layout.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct FleetSpec {
    pub(crate) files: u32,
}

impl FleetSpec {
    /// The simulated files, the same each time.
    pub(super) fn fleet(self) -> Result<Fleet, String> {
        let group = Group { shape: shape()?, files: self.files };
        Fleet::new(vec![group], START_SECONDS, Scatter::ByChance(SEED))
            .ok_or_else(|| "too many files for a simulation".to_owned())
    }

    /// Writes the files, waits until they are on disk, and evicts them from the page cache.
    pub(crate) fn make(self, directory: &Path) -> Result<(), String> {
        let pages = shape()?.data_pages() as usize;
        let bytes = vec![1; pages * PAGE_BYTES as usize];
        for nth in 0..self.files {
            let path = directory.join(file_name(nth));
            std::fs::write(&path, &bytes)
                .map_err(|error| format!("{}: {error}", path.display()))?;
        }
        testbed::sync_file_system(directory)?;
        self.drop_cached(directory)
    }

    /// Evicts the files' pages from the page cache; they are on disk.
    pub(super) fn drop_cached(self, directory: &Path) -> Result<(), String> {
        for nth in 0..self.files {
            let path = directory.join(file_name(nth));
            disk::File::open(&path, disk::Mode::Read)
                .and_then(|file| file.advise(disk::Advice::DontNeed, 0, 0))
                .map_err(|error| format!("{}: {error}", path.display()))?;
        }
        Ok(())
    }
}

/// Makes the directories of the files.
pub(crate) fn make_directories(inside: &Path) -> Result<(), String> {
    for hundredth in 0..100 {
        let directory = inside.join(format!("{hundredth:02}"));
        std::fs::create_dir_all(&directory)
            .map_err(|error| format!("{}: {error}", directory.display()))?;
    }
    Ok(())
}

/// The path of a file by its number.
pub(super) fn file_name(nth: u32) -> String {
    format!("{:02}/{nth}", nth % 100)
}

/// MRTG's layout: two sources; AVERAGE and MAX of 1, 6, 24 and 288 PDPs, 800 rows each.
pub(crate) fn definition() -> Result<rrd::Definition, String> {
    let archives = [1, 6, 24, 288]
        .into_iter()
        .flat_map(|pdps| ["AVERAGE", "MAX"].map(|cf| format!("RRA:{cf}:0.5:{pdps}:800")));
    let sources = ["ds0", "ds1"].map(|name| format!("DS:{name}:COUNTER:600:0:U"));
    let words: Vec<String> = sources.into_iter().chain(archives).collect();
    rrd::spec::definition(300, words.iter().map(String::as_str)).map_err(|error| error.to_string())
}

fn shape() -> Result<Shape, String> {
    Shape::new(&definition()?, PAGE_BYTES, BlockMap::DataOnly)
        .ok_or_else(|| "MRTG's files are of no size".to_owned())
}
