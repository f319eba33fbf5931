//! Names what pages hold: of an `.rrd` file the header and rows; of a ring store's files tiles,
//! checkpoints and other parts.
//!
//! To know this, the file's header must be read. That happens after the file's resident pages are
//! known, and bypasses the page cache, so that the next run finds the same pages.

mod rrd;
mod ring;

use std::ffi::OsStr;
use std::io;
use std::ops::Range;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use pagecache::Opened;
use pagecache::residency::Stretch;
use serde_json::{Value, json};

use figures::moment;
use jiff::tz::TimeZone;
use ring::Stores;

/// Neighbouring pages of one state that hold the same part.
#[derive(Clone, Debug)]
pub(super) struct Named {
    pub(super) stretch: Stretch,
    /// Whether one of the next updates writes these pages.
    pub(super) is_hot: bool,
    pub(super) parts: Vec<Part>,
}

impl Named {
    pub(super) fn text(&self) -> String {
        let parts: Vec<&str> = self.parts.iter().map(|part| &*part.text).collect();
        parts.join("; ")
    }
}

/// A part of a file, as text and as JSON.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) text: String,
    pub(super) json: Value,
}

impl Part {
    /// A part that needs no more than its name.
    fn plain(what: &str, text: impl Into<String>) -> Self {
        Self { text: text.into(), json: json!({ "what": what }) }
    }
}

/// What the pages of one file hold.
trait Pages {
    /// Neighbouring pages with the same key hold the same part.
    fn key(&self, page: u64) -> u64;

    /// Whether one of the next updates writes this page.
    fn is_hot(&self, page: u64) -> bool;

    /// The parts in pages that have the same key.
    fn parts(&self, pages: Range<u64>) -> Vec<Part>;
}

/// Names what the pages of files hold.
#[derive(Default)]
pub(super) struct Naming {
    stores: Stores,
}

impl Naming {
    /// The pages of a file with what they hold; empty for other kinds of files.
    pub(super) fn names(
        &self,
        opened: &Opened<'_>,
        stretches: &[Stretch],
    ) -> io::Result<Vec<Named>> {
        let path = Path::new(OsStr::from_bytes(opened.path));
        if path.extension().is_some_and(|extension| extension == "rrd") {
            return Ok(match rrd::pages_of(opened)? {
                Some(pages) => cut(&pages, stretches),
                None => Vec::new(),
            });
        }
        Ok(match self.stores.pages_of(path) {
            Some(pages) => cut(&pages, stretches),
            None => Vec::new(),
        })
    }
}

/// Splits stretches of one state where the part changes.
fn cut(pages: &dyn Pages, stretches: &[Stretch]) -> Vec<Named> {
    let mut found: Vec<Named> = Vec::new();
    for stretch in stretches {
        let mut first = stretch.first_page;
        let end = first + stretch.pages;
        let kind = |page| (pages.key(page), pages.is_hot(page));
        let mut current = kind(first);
        for page in first + 1..=end {
            let next = (page < end).then(|| kind(page));
            if next == Some(current) {
                continue;
            }
            let part = Stretch { first_page: first, pages: page - first, ..*stretch };
            let parts = pages.parts(first..page);
            found.push(Named { stretch: part, is_hot: current.1, parts });
            (first, current) = (page, next.unwrap_or(current));
        }
    }
    found
}

/// The times of some rows, in words: from the earliest to the latest.
fn times_text(times: &[(i64, i64)]) -> String {
    let span = |(first, last): &(i64, i64)| match first == last {
        true => moment(*first, &TimeZone::UTC),
        false => format!("{} to {}", moment(*first, &TimeZone::UTC), moment(*last, &TimeZone::UTC)),
    };
    times.iter().map(span).collect::<Vec<_>>().join(" and ")
}

#[cfg(test)]
mod tests {
    use super::{Pages, Part, cut};
    use pagecache::residency::{PageState, Stretch};

    /// Three pages of each thing, the fifth page hot.
    struct Thirds;

    impl Pages for Thirds {
        fn key(&self, page: u64) -> u64 {
            page / 3
        }

        fn is_hot(&self, page: u64) -> bool {
            page == 4
        }

        fn parts(&self, pages: std::ops::Range<u64>) -> Vec<Part> {
            vec![Part::plain("third", format!("{}", pages.start / 3))]
        }
    }

    #[test]
    fn stretches_are_cut_where_names_change() {
        let stretches = [(0, 2, PageState::Clean), (2, 5, PageState::Absent)]
            .map(|(first_page, pages, state)| Stretch { first_page, pages, state });
        let named = cut(&Thirds, &stretches);
        let found: Vec<_> = named
            .iter()
            .map(|it| (it.stretch.first_page, it.stretch.last_page(), it.text(), it.is_hot))
            .collect();
        let expected = [
            (0, 1, "0", false),
            (2, 2, "0", false),
            (3, 3, "1", false),
            (4, 4, "1", true),
            (5, 5, "1", false),
            (6, 6, "2", false),
        ];
        assert_eq!(
            found,
            expected.map(|(first, last, name, hot)| (first, last, name.to_owned(), hot))
        );
    }
}
