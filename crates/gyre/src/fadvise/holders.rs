//! Finds the processes that map a file and so keep its pages, from `/proc/PID/smaps`.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use disk::File;

/// The most processes that are named.
const TOLD_MAX: usize = 3;

/// The mappings of all processes, by inode; looked up at the first question.
#[derive(Default)]
pub(super) struct Holders(Option<HashMap<u64, Vec<Holder>>>);

/// A process that maps a file.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Holder {
    process: u32,
    name: String,
    path: PathBuf,
    is_locked: bool,
}

impl Holders {
    /// The processes that map a file, in words.
    pub(super) fn of(&mut self, path: &Path, file: &File) -> io::Result<Option<String>> {
        let inode = file.identity()?.inode();
        let path = path.canonicalize().unwrap_or_default();
        let all = self.0.get_or_insert_with(look);
        let found = all.get(&inode).into_iter().flatten();
        // On some file systems smaps shows another device number than stat(2). So files are
        // compared by inode and name.
        let found: Vec<&Holder> = found.filter(|holder| holder.path == path).collect();
        Ok((!found.is_empty()).then(|| words(&found)))
    }
}

fn words(holders: &[&Holder]) -> String {
    let told = holders.iter().take(TOLD_MAX).map(|holder| {
        let how = if holder.is_locked { "mapped and locked" } else { "mapped" };
        format!("{how} by process {} ({})", holder.process, holder.name)
    });
    let mut text = told.collect::<Vec<_>>().join(", ");
    if let Some(more @ 1..) = holders.len().checked_sub(TOLD_MAX) {
        text += &format!(" and {more} others");
    }
    text
}

/// Holders by inode. Processes that this user may not inspect, or that have ended meanwhile, are
/// left out.
fn look() -> HashMap<u64, Vec<Holder>> {
    let mut found: HashMap<u64, Vec<Holder>> = HashMap::new();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(process) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        let Ok(maps) = std::fs::read(entry.path().join("smaps")) else { continue };
        let name = std::fs::read_to_string(entry.path().join("comm")).unwrap_or_default();
        for (inode, path, is_locked) in mappings(&maps) {
            let holder = Holder { process, name: name.trim_end().into(), path, is_locked };
            let holders = found.entry(inode).or_default();
            match holders.iter_mut().find(|it| it.process == process && it.path == holder.path) {
                Some(known) => known.is_locked |= is_locked,
                None => holders.push(holder),
            }
        }
    }
    found
}

/// Mappings of files: inode, name, whether they are locked.
fn mappings(smaps: &[u8]) -> Vec<(u64, PathBuf, bool)> {
    let mut found: Vec<(u64, PathBuf, bool)> = Vec::new();
    let mut is_file = false;
    for line in smaps.split(|byte| *byte == b'\n') {
        if let Some((inode, path)) = head(line) {
            is_file = inode != 0;
            found.extend(is_file.then_some((inode, path, false)));
        } else if is_file
            && let Some(flags) = line.strip_prefix(b"VmFlags:")
            && let Some(last) = found.last_mut()
        {
            last.2 = flags.split(|byte| *byte == b' ').any(|flag| flag == b"lo");
        }
    }
    found
}

/// `7f00-7f01 r--s 00000000 fe:00 123      /the/name`, else `None`.
fn head(line: &[u8]) -> Option<(u64, PathBuf)> {
    let mut words = line.splitn(6, |byte| *byte == b' ');
    let is_stretch = words.next()?.contains(&b'-');
    let inode = words.nth(3)?;
    let inode = std::str::from_utf8(inode).ok()?.parse().ok()?;
    let name = words.next().unwrap_or_default().trim_ascii_start();
    is_stretch.then(|| (inode, PathBuf::from(OsStr::from_bytes(name))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_of_files_are_understood() {
        let smaps = b"7f00-7f01 r--s 00000000 fe:00 123                        /a name\n\
                      Size:                  4 kB\n\
                      VmFlags: rd mr mw me ms lo sd \n\
                      7f02-7f03 rw-p 00000000 00:00 0 \n\
                      VmFlags: rd wr lo\n\
                      7f04-7f05 r--p 00001000 fe:00 9    /b\n\
                      VmFlags: rd mr\n";
        let expected = [(123, "/a name".into(), true), (9, "/b".into(), false)];
        assert_eq!(mappings(smaps), expected);
    }
}
