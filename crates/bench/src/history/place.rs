//! Which run of which history: `FILE`, `FILE:N` or `N`.

use std::path::{Path, PathBuf};

use super::{Run, read};

/// Where a run stands in its history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Position {
    /// Counted from the first, which is 1.
    Nth(usize),
    /// So many before the last.
    BeforeLast(usize),
}

impl Position {
    fn parse(text: &str) -> Option<Self> {
        if let Some(before) = text.strip_prefix("last") {
            let count = match before.strip_prefix('~') {
                Some(count) => count.parse().ok()?,
                None if before.is_empty() => 0,
                None => return None,
            };
            return Some(Self::BeforeLast(count));
        }
        text.parse().ok().filter(|nth| *nth > 0).map(Self::Nth)
    }

    fn of(self, runs: &[Run]) -> Option<&Run> {
        match self {
            Self::Nth(nth) => runs.get(nth - 1),
            Self::BeforeLast(count) => runs.iter().nth_back(count),
        }
    }
}

/// Finds the run that a word names: the last of a file, `FILE:N`, or `N` of the default history.
///
/// # Errors
///
/// The file is no history, or has no such run.
pub(super) fn find(word: &str, default: &Path) -> Result<Run, String> {
    let (path, position) = split(word, default);
    let runs = read(&path)?;
    let lacks = || format!("{}: expected run {word}, found {} runs", path.display(), runs.len());
    position.of(&runs).cloned().ok_or_else(lacks)
}

fn split(word: &str, default: &Path) -> (PathBuf, Position) {
    if let Some(position) = Position::parse(word) {
        return (default.into(), position);
    }
    let parts = word.rsplit_once(':').map(|(path, nth)| (path, Position::parse(nth)));
    match parts {
        Some((path, Some(position))) => (path.into(), position),
        _ => (word.into(), Position::BeforeLast(0)),
    }
}

#[cfg(test)]
mod tests {
    use super::find;
    use crate::history::{append, tests::run};

    #[test]
    fn a_word_names_a_run() {
        let directory = tempfile::tempdir().unwrap();
        let default = directory.path().join("history");
        let other = directory.path().join("other");
        ["a", "b", "c"].iter().for_each(|date| append(&default, &run(date, vec![])).unwrap());
        ["x", "y"].iter().for_each(|date| append(&other, &run(date, vec![])).unwrap());
        let date = |word: &str| find(word, &default).map(|run| run.date);
        let found = ["1", "3", "last", "last~2"].map(|word| date(word).unwrap());
        assert_eq!(found, ["a", "c", "c", "a"]);
        let other = other.display();
        assert_eq!(date(&other.to_string()), Ok("y".into()));
        assert_eq!(date(&format!("{other}:1")), Ok("x".into()));
        assert_eq!(date(&format!("{other}:last~1")), Ok("x".into()));
        for word in ["4", "last~3", "0", "lasting", "nowhere:2"] {
            assert!(date(word).is_err(), "{word}");
        }
    }
}
