//! What is left of a run, read from the kernel itself, not from the crate under test.

use std::path::{Path, PathBuf};

/// The kinds of things that a run sets up outside of its own memory, as far as they exist.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Left {
    /// Directories of disks.
    pub(crate) directories: Vec<PathBuf>,
    /// Lines of the table of mounts.
    pub(crate) mounts: Vec<String>,
    /// The files behind loop devices.
    pub(crate) images: Vec<String>,
    pub(crate) groups: Vec<PathBuf>,
}

impl Left {
    /// What remains seconds after the run's end. A loop device whose file has no name any more is
    /// removed when the last process that inspects it closes it; that may be another test.
    pub(crate) fn at_last(process: u32, below: &Path) -> Self {
        let mut left = Self::of(process, below);
        for _ in 0..200 {
            if left == Self::default() {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
            left = Self::of(process, below);
        }
        left
    }

    /// The things of a run with this process id whose disks are in a directory.
    pub(crate) fn of(process: u32, below: &Path) -> Self {
        let is_below = |text: &String| text.contains(below.to_str().unwrap());
        let mounts = std::fs::read_to_string("/proc/self/mountinfo").unwrap();
        let devices = entries(Path::new("/sys/block")).into_iter();
        let images = devices.map(|it| it.join("loop/backing_file"));
        let images = images.filter_map(|path| std::fs::read_to_string(path).ok());
        let groups = ["/sys/fs/cgroup", "/sys/fs/cgroup/memory"].into_iter();
        let groups = groups.flat_map(|place| entries(Path::new(place)));
        Self {
            directories: entries(below).into_iter().filter(|it| process_of(it).is_some()).collect(),
            mounts: mounts.lines().map(str::to_owned).filter(is_below).collect(),
            images: images.filter(is_below).collect(),
            groups: groups.filter(|it| process_of(it) == Some(process)).collect(),
        }
    }
}

/// The number in `gyre-testbed-PLACE-PID-START-N-LABEL`.
fn process_of(path: &Path) -> Option<u32> {
    let rest = path.file_name()?.to_str()?.strip_prefix("gyre-testbed-")?;
    rest.split('-').nth(1)?.parse().ok()
}

fn entries(directory: &Path) -> Vec<PathBuf> {
    let read = std::fs::read_dir(directory);
    read.map_or_else(|_| Vec::new(), |all| all.flatten().map(|entry| entry.path()).collect())
}
