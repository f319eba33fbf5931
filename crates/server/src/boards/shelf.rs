//! The directory with the texts of boards: `NAME.toml` is a board.
//!
//! A file is read again when its time, size or number has changed. A board that is wrong is told
//! where it would be shown; the others are shown as ever.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use disk::Durability;

use super::board::{Board, TEXT_BYTES_MAX};
use super::wrong::WrongBoard;

/// The most boards of a directory.
const BOARDS_MAX: usize = 1000;
/// The most letters of a board's name.
const NAME_MAX: usize = 64;
const SUFFIX: &str = ".toml";
/// Names that are paths of pages.
const RESERVED: [&str; 2] = ["new", "preview"];

/// Boards in a directory.
#[derive(Debug)]
pub struct Shelf {
    directory: PathBuf,
    known: Mutex<BTreeMap<String, Known>>,
}

/// A board as it was read.
#[derive(Clone, Debug)]
struct Known {
    stamp: Stamp,
    read: Arc<Kept>,
}

/// By what a file is known to be the same.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Stamp {
    inode: u64,
    bytes: u64,
    modified_nanos: (i64, i64),
}

impl Stamp {
    fn of(path: &Path) -> io::Result<Self> {
        let facts = std::fs::metadata(path)?;
        Ok(Self {
            inode: facts.ino(),
            bytes: facts.len(),
            modified_nanos: (facts.mtime(), facts.mtime_nsec()),
        })
    }
}

/// The text of a board, and what it says.
#[derive(Debug)]
pub(super) struct Kept {
    pub(super) text: Vec<u8>,
    /// Changes with the text: an ETag.
    pub(super) tag: String,
    pub(super) board: Result<Board, WrongBoard>,
}

impl Kept {
    pub(super) fn of(text: Vec<u8>) -> Self {
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        let tag = format!("\"{:016x}\"", hasher.finish());
        Self { tag, board: Board::read(&text), text }
    }
}

/// A board that cannot be shown.
#[derive(Debug, thiserror::Error)]
#[error("{}: {wrong}", .path.display())]
pub struct WrongFile {
    /// Its file.
    pub path: PathBuf,
    /// What is wrong about it.
    pub wrong: WrongBoard,
}

/// What a directory holds.
#[derive(Debug, Default)]
pub struct Checked {
    /// How many boards can be shown.
    pub boards: usize,
    /// Those that cannot.
    pub wrong: Vec<WrongFile>,
}

/// Why a board is not saved.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unsaved {
    #[error("{0}")]
    Wrong(#[from] WrongBoard),
    #[error(
        "expected a name of 1 to {NAME_MAX} letters, digits, - and _, and neither `new` nor `preview`"
    )]
    Name,
    #[error("there is a board of that name: to replace it, give its ETag as If-Match")]
    Exists,
    #[error("the board has changed since it was read: read it again")]
    Changed,
    #[error("there are {BOARDS_MAX} boards already")]
    TooMany,
    #[error("it cannot be written: {0}")]
    Disk(#[from] io::Error),
}

/// Whether a text may be the name of a board.
pub(super) fn is_name(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    (1..=NAME_MAX).contains(&name.len()) && name.bytes().all(is_plain) && !RESERVED.contains(&name)
}

impl Shelf {
    /// The boards of a directory.
    ///
    /// # Errors
    ///
    /// It cannot be read.
    pub fn open(directory: &Path) -> io::Result<Self> {
        std::fs::read_dir(directory)?;
        Ok(Self { directory: directory.to_owned(), known: Mutex::default() })
    }

    /// Reads every board anew, and says which are wrong.
    ///
    /// # Errors
    ///
    /// The directory cannot be read.
    pub fn reload(&self) -> io::Result<Checked> {
        self.known().clear();
        let mut checked = Checked::default();
        for name in self.names()? {
            match self.find(&name)?.as_deref() {
                None => {} // it has gone meanwhile
                Some(Kept { board: Ok(_), .. }) => checked.boards += 1,
                Some(Kept { board: Err(wrong), .. }) => {
                    let path = self.path(&name);
                    checked.wrong.push(WrongFile { path, wrong: wrong.clone() });
                }
            }
        }
        Ok(checked)
    }

    /// The names of all boards, sorted; those of the first [`BOARDS_MAX`].
    pub(super) fn names(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in std::fs::read_dir(&self.directory)? {
            let name = entry?.file_name();
            let name = name.to_str().and_then(|name| name.strip_suffix(SUFFIX));
            names.extend(name.filter(|name| is_name(name)).map(str::to_owned));
        }
        names.sort();
        names.truncate(BOARDS_MAX);
        Ok(names)
    }

    /// A board; `None` if there is none of that name.
    pub(super) fn find(&self, name: &str) -> io::Result<Option<Arc<Kept>>> {
        if !is_name(name) {
            return Ok(None);
        }
        let path = self.path(name);
        let stamp = match Stamp::of(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            stamp => stamp?,
        };
        if let Some(known) = self.known().get(name).filter(|known| known.stamp == stamp) {
            return Ok(Some(Arc::clone(&known.read)));
        }
        let read = Arc::new(Kept::of(read_some(&path)?));
        self.known().insert(name.to_owned(), Known { stamp, read: Arc::clone(&read) });
        Ok(Some(read))
    }

    /// Keeps a board; one of that name is replaced only by who knows its tag. Returns the new tag.
    pub(super) fn save(
        &self,
        name: &str,
        text: &[u8],
        expected: Option<&str>,
    ) -> Result<String, Unsaved> {
        if !is_name(name) {
            return Err(Unsaved::Name);
        }
        Board::read(text)?;
        // One after the other: what was expected must still be there when the file is replaced.
        static SAVING: Mutex<()> = Mutex::new(());
        let _saving = SAVING.lock().unwrap_or_else(PoisonError::into_inner);
        let path = self.path(name);
        match (self.find(name)?, expected) {
            (None, None) if self.names()?.len() >= BOARDS_MAX => return Err(Unsaved::TooMany),
            (None, None) => match disk::create_new(&path, [text], Durability::Synced) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    return Err(Unsaved::Exists);
                }
                made => made?,
            },
            (Some(_), None) => return Err(Unsaved::Exists),
            (Some(kept), Some(tag)) if kept.tag == tag => disk::rewrite(&path, &[text])?,
            (_, Some(_)) => return Err(Unsaved::Changed),
        }
        self.known().remove(name);
        Ok(Kept::of(text.to_owned()).tag)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.join(format!("{name}{SUFFIX}"))
    }

    fn known(&self) -> MutexGuard<'_, BTreeMap<String, Known>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The bytes of a file, of one that is too long so many that it is seen.
fn read_some(path: &Path) -> io::Result<Vec<u8>> {
    use std::io::Read as _;
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path)?;
    file.take(TEXT_BYTES_MAX as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{Shelf, Unsaved, is_name};

    const BOARD: &str = "title = 'A'\n[[row]]\n[[row.panel]]\nfind = 'a'\n";

    #[test]
    fn a_file_is_read_again_when_it_has_changed() {
        let directory = tempfile::tempdir().unwrap();
        let shelf = Shelf::open(directory.path()).unwrap();
        let title = || {
            let kept = shelf.find("a").unwrap()?;
            Some(kept.board.as_ref().map_or_else(ToString::to_string, |board| board.title.clone()))
        };
        assert_eq!(title(), None);
        fs::write(directory.path().join("a.toml"), BOARD).unwrap();
        assert_eq!(title().as_deref(), Some("A"));
        let kept = shelf.find("a").unwrap().unwrap();
        assert!(std::sync::Arc::ptr_eq(&kept, &shelf.find("a").unwrap().unwrap()));
        fs::write(directory.path().join("a.toml"), "title = 7").unwrap();
        assert!(title().unwrap().starts_with("line 1: "), "{:?}", title());
        let checked = shelf.reload().unwrap();
        assert_eq!((checked.boards, checked.wrong.len()), (0, 1));
        assert!(checked.wrong[0].to_string().contains("a.toml: line 1: invalid type"));
        fs::remove_file(directory.path().join("a.toml")).unwrap();
        assert_eq!(title(), None);
    }

    #[test]
    fn a_board_is_replaced_only_by_who_knows_it() {
        let directory = tempfile::tempdir().unwrap();
        let shelf = Shelf::open(directory.path()).unwrap();
        let save = |expected: Option<&str>, title: &str| {
            shelf.save("a", BOARD.replace('A', title).as_bytes(), expected)
        };
        assert!(matches!(save(Some("\"1\""), "B"), Err(Unsaved::Changed)));
        let first = save(None, "B").unwrap();
        assert!(matches!(save(None, "C"), Err(Unsaved::Exists)));
        let second = save(Some(&first), "C").unwrap();
        assert!(matches!(save(Some(&first), "D"), Err(Unsaved::Changed)));
        assert_eq!(shelf.find("a").unwrap().unwrap().tag, second);
        assert!(matches!(shelf.save("a", b"title = 1", Some(&second)), Err(Unsaved::Wrong(_))));
        assert_eq!(shelf.names().unwrap(), ["a"]);
        let left: Vec<_> = fs::read_dir(directory.path()).unwrap().collect();
        assert_eq!(left.len(), 1);
    }

    #[test]
    fn names_lead_nowhere_else() {
        for wrong in
            ["", ".", "..", "../a", "a/b", "a.b", "new", "preview", "ü", "a b", &"a".repeat(65)]
        {
            assert!(!is_name(wrong), "{wrong}");
        }
        assert!(is_name("core-1_a"));
    }
}
