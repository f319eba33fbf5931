//! A ring store from outside, while another process may have it open: what its files tell.

use std::path::Path;

use super::Work;
use store::ring::Glance;

/// Bytes of memory of a database beside what a checkpoint has of it: its name's fingerprint, and
/// room between members.
const BESIDE_BYTES: u64 = 32;

/// A store as its files show it, for databases of MRTG's layout where they do not tell more.
pub(crate) fn glance(root: &Path) -> std::io::Result<Work> {
    let Glance { databases, checkpoint_bytes, file_bytes, files, .. } = Glance::at(root)?;
    let planned = Work::of_ring(databases, &mrtgs_layout());
    let mut work = planned.expect("a page holds a row of two sources");
    // A checkpoint has all that is in memory; early in a store's life few rows wait in it.
    work.memory_bytes = work.memory_bytes.max(checkpoint_bytes + BESIDE_BYTES * databases);
    work.memory_unadvised_bytes = work.memory_bytes;
    work.disk_bytes = file_bytes;
    work.disk_there_bytes = file_bytes;
    work.inodes = (files, files);
    Ok(work)
}

fn mrtgs_layout() -> rrd::Definition {
    let archives = [1, 6, 24, 288].into_iter().flat_map(|pdps| {
        ["AVERAGE", "MAX"].map(|function| format!("RRA:{function}:0.5:{pdps}:800"))
    });
    let sources = ["ds0", "ds1"].map(|name| format!("DS:{name}:COUNTER:600:0:U"));
    let words: Vec<String> = sources.into_iter().chain(archives).collect();
    let definition = rrd::spec::definition(300, words.iter().map(String::as_str));
    definition.expect("MRTG's own words")
}
