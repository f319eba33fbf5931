//! A store used directly and another one used through a server.

use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;

use remote::Remote;
use ring::{RingOptions, RingStore};
use rrd::Timestamp;
use rrd::fetch::Query;
use store::{Store, Update, Wanted};

use crate::told::{file, head, held, series, slots, told};
use crate::{START_SECONDS, served};

/// The two stores.
pub(crate) struct Both {
    pub(crate) direct: RingStore,
    pub(crate) behind: Arc<RingStore>,
    pub(crate) remote: Remote<UnixStream>,
    _directory: tempfile::TempDir,
}

/// A message without the amount of available memory, which changes all the time.
fn without_memory(words: &str) -> String {
    let mut pieces = words.split("memory has ");
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |told, piece| {
        told + "memory has " + piece.trim_start_matches(|letter: char| letter.is_ascii_digit())
    })
}

impl Both {
    pub(crate) fn new() -> Self {
        let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let store = |name: &str| {
            let root = directory.path().join(name);
            RingStore::create(&root, RingOptions::default()).unwrap()
        };
        let (direct, behind) = (store("direct"), Arc::new(store("behind")));
        let remote = served::remote(behind.clone());
        Self { direct, behind, remote, _directory: directory }
    }

    /// Asks both stores and compares the answers.
    pub(crate) fn same<T>(
        &self,
        told: impl Fn(&dyn Store) -> T,
        text: impl Fn(T) -> String,
    ) -> String {
        let direct = without_memory(&text(told(&self.direct)));
        assert_eq!(without_memory(&text(told(&self.remote))), direct);
        direct
    }
}

/// A database `a` in both stores, with a few samples.
pub(crate) fn with_a() -> Both {
    let both = Both::new();
    let words = ["DS:x:GAUGE:600:U:U", "RRA:AVERAGE:0.5:1:100", "RRA:MAX:0.5:5:9"];
    let definition = rrd::spec::definition(10, words).unwrap();
    let start = Timestamp::from_seconds(START_SECONDS);
    for store in [&both.direct as &dyn Store, &both.remote] {
        store.create(Path::new("a"), &definition, start).unwrap();
        let texts: Vec<_> =
            (1..30).map(|nth| format!("{}:{nth}", START_SECONDS + nth * 10)).collect();
        let texts: Vec<_> = texts.iter().map(String::as_str).collect();
        assert!(store.update(&[Update::numbered("a", &texts)]).is_empty());
    }
    both
}

pub(crate) fn compare_reads(both: &Both, name: &Path, query: &Query) {
    both.same(|store| store.has(name), |has| format!("{has}"));
    both.same(|store| store.outline(name), told);
    both.same(|store| store.header(name).map(|header| head(&header)), told);
    both.same(|store| store.fetch(name, query).map(series), told);
    both.same(|store| store.fetch_stretch(name, query).map(held), told);
    let (longer, none) = (Query { start_seconds: 0, ..*query }, Path::new("none"));
    let wanted = [(name, *query), (none, *query), (name, longer), (Path::new("a"), *query)];
    both.same(
        |store| store.fetch_all(&wanted.map(|(name, query)| Wanted { name, query })),
        |answers| answers.into_iter().map(|it| told(it.map(held))).collect::<Vec<_>>().join("\n"),
    );
    for mark_seconds in [query.start_seconds, i64::MIN] {
        both.same(|store| store.rows_since(name, mark_seconds).map(|it| format!("{it:?}")), told);
    }
    both.same(|store| store.image(name), told);
    both.same(|store| store.snapshot(name).map(|it| (file(&it), slots(&it))), told);
    both.same(
        |store| store.whole(name).map(|(header, it)| (head(&header), file(&it), slots(&it))),
        told,
    );
}
