//! Files that rrdtool updates beside ours.

use std::fs;
use std::path::{Path, PathBuf};

use oracle::{Reply, Rrdtool};

use super::{Update, update_file};

/// Lets rrdtool create a file, both update copies of it, and compares them after each command.
/// `change` sees the new file first. Gives the path of our copy.
pub(crate) fn updates(
    rrdtool: &mut Rrdtool,
    directory: &Path,
    create: &str,
    commands: &[Update],
    change: impl FnOnce(&Path),
) -> PathBuf {
    let (theirs, ours) = (directory.join("file.rrd"), directory.join("ours").join("file.rrd"));
    assert_eq!(rrdtool.send(create), Reply::Ok(vec![]));
    change(&theirs);
    fs::create_dir_all(ours.parent().unwrap()).unwrap();
    fs::copy(&theirs, &ours).unwrap();
    for command in commands {
        let template =
            command.template.as_ref().map(|names| format!("-t {names} ")).unwrap_or_default();
        let line = format!("update file.rrd {template}{}", command.arguments.join(" "));
        let expected = match rrdtool.send(&line) {
            Reply::Ok(_) => Ok(()),
            Reply::Error(words) => Err(words),
        };
        let found = update_file(&ours, command).map_err(|words| format!("file.rrd: {words}"));
        // rrdtool itself names the file in some messages and not in others.
        assert_eq!(
            found.map_err(|words| words.replace("file.rrd: ", "")),
            expected.map_err(|words| words.replace("file.rrd: ", "")),
            "{line}"
        );
        let (theirs, ours) = (fs::read(&theirs).unwrap(), fs::read(&ours).unwrap());
        if let Some(offset) = (0..theirs.len()).find(|at| theirs[*at] != ours[*at]) {
            let word = offset / 8 * 8;
            panic!(
                "{create}\nafter {line}\nbyte {offset} differs, {}: theirs {:02x?} ours {:02x?}",
                field_at(&theirs, offset),
                &theirs[word..word + 8],
                &ours[word..word + 8],
            );
        }
    }
    ours
}

/// Makes a file one of a version that knew no microseconds, as rrdtool's header describes it.
pub(crate) fn make_old(path: &Path, version: &[u8; 4]) {
    let mut bytes = fs::read(path).unwrap();
    bytes[4..8].copy_from_slice(version);
    let header = rrdfile::Header::decode(&fs::read(path).unwrap(), bytes.len() as u64).unwrap();
    let micros = header.layout.live_offset() + 8;
    bytes.drain(micros..micros + 8);
    fs::write(path, bytes).unwrap();
}

/// What stands at an offset, for a person who reads a failure.
pub(crate) fn field_at(bytes: &[u8], offset: usize) -> String {
    let header = rrdfile::Header::decode(bytes, bytes.len() as u64).unwrap();
    let (sources, archives) = (header.definition.sources.len(), header.definition.archives.len());
    let live = header.layout.live_offset();
    let parts = [
        ("stat_head", 1, 128),
        ("ds_def", sources, 120),
        ("rra_def", archives, 120),
        ("live_head", 1, 16),
        ("pdp_prep", sources, 112),
        ("cdp_prep", sources * archives, 80),
        ("rra_ptr", archives, 8),
    ];
    let mut start = 0;
    for (part, count, size) in parts {
        if offset < start + count * size {
            let (nth, into) = ((offset - start) / size, (offset - start) % size);
            return format!("{part}[{nth}] of {count} + {into} (live from {live})");
        }
        start += count * size;
    }
    format!("row byte {}", offset - start)
}
