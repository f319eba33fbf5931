//! The measured program: touches the pages that updates touch, by the method in its task.
//!
//! It runs in a control group of its own, under a limit of memory, and prints the kernel's counters
//! of each cycle as a line of JSON. The content of the files does not matter.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use memmap2::{Advice, MmapMut};

use ::capacity::trace::{Access, Position};
use serde::{Deserialize, Serialize};
use testbed::{ProcessCounters, end_with_parent, sync_file_system};

use super::files::{FleetSpec, PAGE_BYTES, file_name};

/// The first argument of such a process.
pub(crate) const NAME: &str = "capacity-worker";

/// The range of addresses in which a fault maps further pages.
const MAPPED_ALONG_BYTES: usize = 64 << 10;
/// After this many spacers, no gap is left that is too small for a file.
const SPACERS_MAX: usize = 32;

/// The task of a worker.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Task {
    pub(crate) directory: PathBuf,
    pub(crate) fleet: FleetSpec,
    pub(crate) method: Method,
    /// Whether it gives random-access advice.
    pub(crate) advice: bool,
    pub(crate) cycles: u64,
    /// The device's readahead window.
    pub(crate) window_pages: u32,
}

/// The method of reading and writing files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Method {
    /// `pread` of the header, then `pwrite`.
    Pwrite,
    /// Each page is read before it is written.
    Pread,
    /// The whole file mapped.
    Mapping,
}

/// The kernel's counters of a cycle.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Cycle {
    /// Pages read from the device.
    pub(super) pages_read: u64,
}

/// Executes the task in its only argument.
///
/// # Errors
///
/// The task is not valid, or the file system fails.
pub(crate) fn main(words: &[String]) -> Result<(), String> {
    end_with_parent()?;
    let [task] = words else { return Err(format!("{NAME}: expected a task")) };
    let task: Task = serde_json::from_str(task).map_err(|error| error.to_string())?;
    let mut fleet = task.fleet.fleet()?;
    let _spacers = (task.method == Method::Mapping).then(|| align_mappings(&task)).transpose()?;
    for _ in 0..task.cycles {
        let before = ProcessCounters::own()?;
        let mut open: Option<(u32, Open)> = None;
        let mut failed = Ok(());
        fleet.cycle(|each| {
            if failed.is_ok() {
                failed = touch(&task, &mut open, &each);
            }
        });
        failed?;
        drop(open);
        let pages_read = (ProcessCounters::own()? - before).read_bytes / PAGE_BYTES;
        println!("{}", serde_json::json!(Cycle { pages_read }));
        // A cycle represents minutes, within which the kernel writes dirty pages back.
        sync_file_system(&task.directory)?;
    }
    Ok(())
}

fn touch(task: &Task, open: &mut Option<(u32, Open)>, each: &Position) -> Result<(), String> {
    if open.as_ref().is_none_or(|(file, _)| *file != each.file) {
        *open = None; // the next one is mapped where this one was
        *open = Some((each.file, Open::new(task, each.file)?));
    }
    let (_, file) = open.as_mut().expect("opened above");
    file.touch(each.page_of_file, each.access).map_err(|error| error.to_string())
}

/// Makes mappings begin at multiples of 64 KiB for the lifetime of the returned values. Which pages
/// a fault maps along depends on the start of the mapping, which would otherwise be random.
fn align_mappings(task: &Task) -> Result<Vec<MmapMut>, String> {
    let behind_bytes = || match Open::new(task, 0)? {
        Open::Mapped(map) => Ok(map.as_ptr().addr() % MAPPED_ALONG_BYTES),
        Open::Read { .. } => Err("the file is not mapped".to_owned()),
    };
    // The kernel uses the highest free address below earlier mappings; a spacer may have been put
    // into a gap that is too small for a file.
    let mut spacers = Vec::new();
    for _ in 0..SPACERS_MAX {
        match behind_bytes()? {
            0 => return Ok(spacers),
            bytes => spacers.push(MmapMut::map_anon(bytes).map_err(|error| error.to_string())?),
        }
    }
    Err("files are not mapped at a multiple of 64 KiB".to_owned())
}

/// A file, opened by a method.
enum Open {
    Read { file: File, is_read_first: bool },
    Mapped(MmapMut),
}

impl Open {
    fn new(task: &Task, file: u32) -> Result<Self, String> {
        let path = task.directory.join(file_name(file));
        Self::of(task, &path).map_err(|error| format!("{}: {error}", path.display()))
    }

    fn of(task: &Task, path: &Path) -> std::io::Result<Self> {
        let file = OpenOptions::new().read(true).write(true).open(path)?;
        if task.method == Method::Mapping {
            #[expect(unsafe_code)] // a map has no safe form
            // SAFETY: the file belongs to this benchmark, and no process truncates it meanwhile.
            let map = unsafe { MmapMut::map_mut(&file)? };
            if task.advice {
                map.advise(Advice::Random)?;
            }
            return Ok(Self::Mapped(map));
        }
        if task.advice {
            rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::Random)?;
        }
        Ok(Self::Read { file, is_read_first: task.method == Method::Pread })
    }

    fn touch(&mut self, page: u32, access: Access) -> std::io::Result<()> {
        let offset_bytes = u64::from(page) * PAGE_BYTES;
        match self {
            Self::Read { file, is_read_first } => {
                if access == Access::Read || *is_read_first {
                    file.read_exact_at(&mut [0; PAGE_BYTES as usize], offset_bytes)?;
                }
                if access == Access::Write {
                    file.write_all_at(&[1; 16], offset_bytes + 512)?;
                }
            }
            Self::Mapped(map) => {
                let byte = &mut map[offset_bytes as usize + 512];
                let value = std::hint::black_box(*byte);
                if access == Access::Write {
                    *byte = value.wrapping_add(1);
                }
            }
        }
        Ok(())
    }
}
