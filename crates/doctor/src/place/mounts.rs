//! Mounted file systems, from `/proc/self/mountinfo`.
//!
//! ```text
//! 36 35 98:0 /root /mount/point rw,noatime shared:1 - ext4 /dev/sda1 rw,errors=continue
//! id up dev  root  mount point  options    tags...  - type source    options of the file system
//! ```

use std::path::{Path, PathBuf};

use crate::unseen::{Root, Seen, Unseen};

/// A mounted file system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mount {
    /// `major:minor` of its device.
    pub device: String,
    /// Where it is mounted.
    pub point: PathBuf,
    /// Options of the mount.
    pub options: Vec<String>,
    /// `ext4`, `xfs`, ...
    pub kind: String,
    /// `/dev/sda1`, `server:/export`, ...
    pub source: String,
    /// Options of the file system.
    pub system_options: Vec<String>,
}

impl Mount {
    pub(super) fn read_all(root: &Root) -> Seen<Vec<Self>> {
        let path = "/proc/self/mountinfo";
        let all: Vec<Self> = root.text(path)?.lines().filter_map(Self::parse).collect();
        if all.is_empty() { Err(Unseen::odd(path, "mounts")) } else { Ok(all) }
    }

    fn parse(line: &str) -> Option<Self> {
        let (mount, system) = line.split_once(" - ")?;
        let mut mount = mount.split(' ').skip(2);
        let (device, _root) = (mount.next()?, mount.next()?);
        let (point, options) = (mount.next()?, mount.next()?);
        let mut system = system.split(' ');
        let list = |options: &str| options.split(',').map(str::to_owned).collect();
        Some(Self {
            device: device.into(),
            point: unescaped(point).into(),
            options: list(options),
            kind: system.next()?.into(),
            source: unescaped(system.next()?),
            system_options: list(system.next().unwrap_or_default()),
        })
    }

    /// The mount of a path; of several at one mount point, the last.
    pub(super) fn of<'a>(all: &'a [Self], path: &Path) -> Option<&'a Self> {
        let above = all.iter().filter(|mount| path.starts_with(&mount.point));
        above.max_by_key(|mount| mount.point.components().count())
    }

    /// Whether the mount or its file system has an option.
    #[must_use]
    pub fn has(&self, option: &str) -> bool {
        self.options.iter().chain(&self.system_options).any(|each| each == option)
    }

    /// Whether it is ext2, ext3 or ext4.
    #[must_use]
    pub fn is_ext(&self) -> bool {
        matches!(self.kind.as_str(), "ext2" | "ext3" | "ext4")
    }

    /// The entries at its top, other than the one on the way to `path`.
    pub(super) fn neighbours(&self, root: &Root, path: &Path) -> Seen<Vec<String>> {
        let names = root.names(&self.point.to_string_lossy())?;
        let way = path.strip_prefix(&self.point).unwrap_or(path).components().next();
        let way = way.map(|way| way.as_os_str().to_string_lossy().into_owned());
        let Some(way) = way else { return Ok(Vec::new()) };
        Ok(names.into_iter().filter(|name| *name != way && name != "lost+found").collect())
    }
}

/// Replaces `\040` and similar escapes by their bytes.
fn unescaped(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let octal = after.get(..3).and_then(|digits| std::str::from_utf8(digits).ok());
        match octal.and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            Some(byte) if *first == b'\\' => {
                out.push(byte);
                rest = &after[3..];
            }
            _ => {
                out.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_picture_is_right() {
        let line = "36 35 98:0 /root /mount\\040point rw,noatime shared:1 - ext4 /dev/sda1 \
                    rw,errors=continue";
        let mount = Mount::parse(line).unwrap();
        assert_eq!(mount.point, Path::new("/mount point"));
        assert_eq!((mount.device.as_str(), mount.kind.as_str()), ("98:0", "ext4"));
        assert!(mount.has("noatime") && mount.has("errors=continue") && mount.is_ext());
        assert_eq!(Mount::parse("nothing"), None);
    }

    #[test]
    fn the_deepest_mount_has_a_path() {
        let line = |point: &str| format!("1 1 8:1 / {point} rw - ext4 /dev/sda1 rw");
        let all: Vec<Mount> =
            ["/", "/data", "/data/rrd"].iter().filter_map(|it| Mount::parse(&line(it))).collect();
        assert_eq!(Mount::of(&all, Path::new("/data/rrd2/x")).unwrap().point, Path::new("/data"));
        assert_eq!(Mount::of(&all, Path::new("/data/rrd")).unwrap().point, Path::new("/data/rrd"));
    }
}
