//! What a name in a directory leads to.

use std::os::unix::fs::FileTypeExt as _;

use rustix::fs::FileType;

/// The kind of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileKind {
    /// A file with bytes of its own.
    Regular,
    /// A directory.
    Directory,
    /// A symbolic link.
    Link,
    /// A device with blocks.
    BlockDevice,
    /// A device with characters.
    CharacterDevice,
    /// A pipe with a name.
    Pipe,
    /// A socket.
    Socket,
    /// Unknown: the file system does not tell in a listing.
    Unknown,
}

impl FileKind {
    pub(crate) fn of(kind: FileType) -> Self {
        match kind {
            FileType::RegularFile => Self::Regular,
            FileType::Directory => Self::Directory,
            FileType::Symlink => Self::Link,
            FileType::BlockDevice => Self::BlockDevice,
            FileType::CharacterDevice => Self::CharacterDevice,
            FileType::Fifo => Self::Pipe,
            FileType::Socket => Self::Socket,
            FileType::Unknown => Self::Unknown,
        }
    }

    pub(crate) fn of_listed(kind: std::fs::FileType) -> Self {
        match kind {
            kind if kind.is_file() => Self::Regular,
            kind if kind.is_dir() => Self::Directory,
            kind if kind.is_symlink() => Self::Link,
            kind if kind.is_block_device() => Self::BlockDevice,
            kind if kind.is_char_device() => Self::CharacterDevice,
            kind if kind.is_fifo() => Self::Pipe,
            kind if kind.is_socket() => Self::Socket,
            _ => Self::Unknown,
        }
    }
}

impl std::fmt::Display for FileKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Regular => "a file",
            Self::Directory => "a directory",
            Self::Link => "a symbolic link",
            Self::BlockDevice => "a block device",
            Self::CharacterDevice => "a character device",
            Self::Pipe => "a pipe",
            Self::Socket => "a socket",
            Self::Unknown => "something unknown",
        })
    }
}
