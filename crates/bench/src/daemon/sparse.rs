//! Many files of which only the header is on disk: they show the reads of a first touch, and need
//! little space.

use std::collections::HashMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use files::RrdFiles;
use rrd::Timestamp;
use store::Store as _;

use crate::workload::{THREADS, Workload, cycle_seconds};

/// A whole page, so that exactly the page that a program first reads is written.
const PAGE_BYTES: usize = 4096;

/// The beginning of a file, and the length of the whole file.
struct Head {
    page: Vec<u8>,
    file_bytes: u64,
}

/// Makes a file for each RRD: header and first rows as gyre creates them; the other rows are a
/// hole, which reads as zeros. Both daemons use the same files.
pub(super) fn create(directory: &Path, rrds: u64, first_cycle: u64) -> Result<(), String> {
    let workload = Workload::mrtg(rrds);
    let heads = heads(directory, &workload, first_cycle)?;
    std::thread::scope(|scope| {
        let heads = &heads;
        let make = |thread| move || make_share(directory, &workload, heads, thread);
        let making: Vec<_> = (0..THREADS).map(|thread| scope.spawn(make(thread))).collect();
        making.into_iter().try_for_each(|it| it.join().expect("making files does not panic"))
    })
}

/// A header for each definition.
fn heads(
    directory: &Path,
    workload: &Workload,
    first_cycle: u64,
) -> Result<HashMap<Vec<String>, Head>, String> {
    let templates = tempfile::tempdir_in(directory).map_err(|error| error.to_string())?;
    let store = RrdFiles::below(templates.path());
    let start = Timestamp::from_seconds(cycle_seconds(first_cycle));
    let mut heads = HashMap::new();
    for rrd in 0..workload.rrds {
        let words = workload.words(rrd);
        if heads.contains_key(&words) {
            continue;
        }
        let name = workload.name(rrd);
        let created = store.create(name.as_ref(), &workload.definition(rrd)?, start);
        created.map_err(|error| error.to_string())?;
        let path = templates.path().join(name);
        let bytes = std::fs::read(&path).map_err(at(&path))?;
        let file_bytes = bytes.len() as u64;
        let page = bytes.into_iter().take(PAGE_BYTES).collect();
        heads.insert(words, Head { page, file_bytes });
    }
    Ok(heads)
}

fn make_share(
    directory: &Path,
    workload: &Workload,
    heads: &HashMap<Vec<String>, Head>,
    thread: u64,
) -> Result<(), String> {
    for rrd in workload.deliveries(thread) {
        let path = directory.join(workload.name(rrd));
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(at(parent))?;
        }
        let head = &heads[&workload.words(rrd)];
        let mut file = std::fs::File::create(&path).map_err(at(&path))?;
        let written = file.write_all(&head.page).and_then(|()| file.set_len(head.file_bytes));
        written.map_err(at(&path))?;
    }
    Ok(())
}

fn at(path: &Path) -> impl Fn(std::io::Error) -> String {
    let path: PathBuf = path.into();
    move |error| format!("{}: {error}", path.display())
}
