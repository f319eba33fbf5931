//! Many databases asked at once: those of one store together.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rrd::Stretch;
use rrd::fetch::Query;
use store::{Error, Store as _, Wanted};

use super::elsewhere::PartialStep;
use super::{Databases, ring_of};
use crate::failure::Failure;
use crate::stores::Reader;

/// Rows, or why there are none.
type Answer = Result<Stretch, Failure>;

/// A query about a database of a ring store.
struct InRing<'a> {
    position: usize,
    /// As it was called.
    path: &'a Path,
    wanted: (PathBuf, Query),
}

impl Databases {
    /// The rows that answer many queries, in their order, without those that no archive holds.
    pub fn fetch_all(&mut self, queries: &[(&str, Query)]) -> Vec<Answer> {
        let mut answers = BTreeMap::new();
        for (position, (path, query)) in queries.iter().enumerate() {
            if let Some(answer) = self.fetch_from_elsewhere(path, query, PartialStep::Wanted) {
                answers.insert(position, answer);
            }
        }
        for (root, asked) in self.fetch_from_files(queries, &mut answers) {
            self.fetch_from_ring(&root, &asked, &mut answers);
        }
        answers.into_values().collect()
    }

    /// Asks the files. Returns the queries that lead to none, by the ring stores that they lead
    /// into.
    fn fetch_from_files<'a>(
        &self,
        queries: &[(&'a str, Query)],
        answers: &mut BTreeMap<usize, Answer>,
    ) -> BTreeMap<PathBuf, Vec<InRing<'a>>> {
        let others = (0..queries.len()).filter(|position| !answers.contains_key(position));
        let others: Vec<usize> = others.collect();
        let wanted = others.iter().map(|position| {
            let (path, query) = queries[*position];
            Wanted { name: Path::new(path), query }
        });
        let wanted: Vec<_> = wanted.collect();
        let mut in_rings: BTreeMap<_, Vec<_>> = BTreeMap::new();
        let found = self.files.fetch_all(&wanted).into_iter();
        for ((answer, position), Wanted { name: path, query }) in found.zip(others).zip(wanted) {
            match answer.as_ref().err().and_then(|error| ring_instead(error, path)) {
                Some((root, name)) => {
                    let asked = InRing { position, path, wanted: (name, query) };
                    in_rings.entry(root).or_default().push(asked);
                }
                None => drop(answers.insert(position, answer.map_err(Failure::from))),
            }
        }
        in_rings
    }

    /// Asks the ring store in a directory, which need not be opened for it.
    fn fetch_from_ring(
        &self,
        root: &Path,
        asked: &[InRing<'_>],
        answers: &mut BTreeMap<usize, Answer>,
    ) {
        let wanted =
            asked.iter().map(|InRing { wanted: (name, query), .. }| Wanted { name, query: *query });
        let wanted: Vec<_> = wanted.collect();
        let found = match self.stores.reader(root) {
            Ok(Reader::Store(store)) => store.fetch_all(&wanted),
            Ok(Reader::LookUp(look_up)) => look_up.fetch_all(&wanted),
            Err(error) => {
                let told = |asked: &InRing<'_>| (asked.position, Err(error.again().into()));
                answers.extend(asked.iter().map(told));
                return;
            }
        };
        answers.extend(asked.iter().zip(found).map(|(asked, answer)| {
            let called = |error: Error| error.called(&asked.wanted.0, asked.path);
            (asked.position, answer.map_err(|error| called(error).into()))
        }));
    }
}

/// The ring store that a path leads into that leads to no file, and the name there.
fn ring_instead(error: &Error, path: &Path) -> Option<(PathBuf, PathBuf)> {
    let is_none = error.is_missing() && path.symlink_metadata().is_err();
    if is_none { ring_of(path) } else { None }
}
