//! What belongs to the machine and its operator, and what is left of it.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// What dpkg, the linker and systemd keep for themselves, and the list of users, in which `gyre`
/// stays as Debian's policy wants it.
const OF_SYSTEM: [&str; 11] = [
    "var/lib/dpkg",
    "var/lib/apt",
    "var/lib/systemd",
    "var/cache",
    "var/log",
    "proc",
    "run",
    "tmp",
    "etc/alternatives",
    "etc/ld.so.cache",
    "etc/.pwd.lock",
];
const USERS: [&str; 8] = [
    "etc/passwd",
    "etc/group",
    "etc/shadow",
    "etc/gshadow",
    "etc/passwd-",
    "etc/group-",
    "etc/shadow-",
    "etc/gshadow-",
];

/// All files by their paths, with what they are.
pub(crate) type Files = BTreeMap<String, String>;

/// The files of a machine that packages have to leave alone.
pub(crate) fn files(root: &Path) -> Files {
    let mut found = Files::new();
    walk(root, root, &mut found);
    found
}

fn walk(root: &Path, directory: &Path, found: &mut Files) {
    for entry in directory.read_dir().unwrap() {
        let path = entry.unwrap().path();
        let name = path.strip_prefix(root).unwrap().display().to_string();
        if OF_SYSTEM.contains(&name.as_str()) || USERS.contains(&name.as_str()) {
            continue;
        }
        let metadata = path.symlink_metadata().unwrap();
        let what = if metadata.is_symlink() {
            path.read_link().unwrap().display().to_string()
        } else if metadata.is_file() {
            format!("{} bytes, changed {}", metadata.len(), metadata.mtime())
        } else {
            String::new()
        };
        let [mode, owner] = [metadata.mode(), metadata.uid()];
        found.insert(name, format!("{mode:o} of {owner} {what}"));
        if metadata.is_dir() {
            walk(root, &path, found);
        }
    }
}

/// What differs, a line each.
pub(crate) fn differences(before: &Files, after: &Files) -> Vec<String> {
    let gone = before.iter().filter(|(path, _)| !after.contains_key(*path));
    let gone = gone.map(|(path, _)| format!("gone: {path}"));
    let other = after.iter().filter(|(path, what)| before.get(*path) != Some(what));
    gone.chain(other.map(|(path, what)| format!("{path}: {what}"))).collect()
}
