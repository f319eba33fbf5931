//! Other machines, each from a text file that is unpacked into a directory.
//!
//! ```text
//! == /the/name          a file; its text follows
//! -> /the/link target   a symbolic link
//! ```

use std::path::{Path, PathBuf};

use doctor::place::{Directory, Place, Room};
use doctor::work::{Sample, Targets, Work};
use doctor::{Facts, Given, Root};
use tempfile::TempDir;

/// A source without configurations.
struct Nowhere;

impl mrtg::Source for Nowhere {
    fn read(&self, _: &Path) -> std::io::Result<Vec<u8>> {
        Err(std::io::ErrorKind::NotFound.into())
    }

    fn glob(&self, _: &Path) -> std::io::Result<Vec<PathBuf>> {
        Ok(Vec::new())
    }
}

/// Unpacks a machine.
pub(crate) fn machine(name: &str) -> TempDir {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/machines/{name}.txt"));
    let text = std::fs::read_to_string(&file).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let inside = |name: &str| directory.path().join(name.trim_start_matches('/'));
    for part in text.split("\n== ").skip(1) {
        let (part, links) = part.split_once("\n-> ").unwrap_or((part, ""));
        let (name, text) = part.split_once('\n').unwrap_or((part, ""));
        disk::create_parents(&inside(name)).unwrap();
        std::fs::write(inside(name), format!("{text}\n")).unwrap();
        for link in links.split("\n-> ").filter(|link| !link.is_empty()) {
            let (name, target) = link.trim().split_once(' ').unwrap();
            disk::create_parents(&inside(name)).unwrap();
            std::os::unix::fs::symlink(target, inside(name)).unwrap();
        }
    }
    directory
}

/// The facts of a machine with files below `/data/mrtg`.
pub(crate) fn facts(name: &str) -> Facts {
    let directory = machine(name);
    let root = Root::at(directory.path());
    let mut facts = Facts::gather(&root, &Given::Nothing, &Nowhere).unwrap();
    let mut place = Place::read(&root, Path::new("/data/mrtg"));
    // These facts come from system calls, so they are set here.
    place.room =
        Ok(Room { bytes: 1 << 40, free_bytes: 1 << 39, inodes: 1 << 24, free_inodes: 1 << 23 });
    place.directory = Ok(Directory { bytes: 12 << 20, is_indexed: Ok(true) });
    facts.place = Some(place);
    facts.sample = Some(sample());
    facts.targets = Some(targets());
    facts.work = Some(Work::of_files(160_000, 105_312, 300, true));
    facts
}

/// Files that were made one after the other over the years.
fn sample() -> Sample {
    Sample {
        files: 160_000,
        is_whole: true,
        fullest_directory: 160_000,
        sampled: 256,
        unreadable: 0,
        file_bytes: 105_312,
        step_seconds: 300,
        in_phase: Some(0.02),
        idle: 0.0,
    }
}

fn targets() -> Targets {
    Targets {
        targets: 160_000,
        devices: 3000,
        named: 3000,
        unsupported: 0,
        forks: Some("4".into()),
        runs_as_daemon: true,
        has_rrd_format: true,
    }
}
