//! The fields of a header, one after the other, with their places on two machines.

use super::shape::{CDP_PREP_BYTES, SOURCE_BYTES};
use super::shape::{Counts, READING_BYTES, Shape, WORD_BYTES, has_micros};
use crate::bytes::read_text;
use crate::layout::NAME_FIELD_BYTES;

/// The type of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Bytes that are the same everywhere: text, or a row of small numbers.
    Bytes(usize),
    /// A `long`.
    Long,
    /// A `time_t`.
    Time,
    /// A word with a floating point number, or unused.
    Value,
    /// A word that begins with a `long`.
    Count,
    /// A word with two steps of a COMPUTE's expression: each has an octet and, further on, a
    /// `short`.
    Steps,
}

/// A field and its places.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field {
    pub(super) kind: Kind,
    pub(super) from: usize,
    pub(super) to: usize,
}

type Words = [Kind; 10];

/// Calls `visit` with every field of the header of `file`, in order. The file has the shape `from`,
/// and its header must have been checked to be complete.
pub(super) fn each(
    file: &[u8],
    from: Shape,
    to: Shape,
    keeps_version: bool,
    visit: impl FnMut(Field),
) {
    let micros = (has_micros(file), has_micros(file) || !keeps_version);
    let mut walk = Walk { file, from, to, start: (0, 0), visit };
    walk.whole(micros);
}

struct Walk<'a, V> {
    file: &'a [u8],
    from: Shape,
    to: Shape,
    /// The start of the current structure: in the file and in the native header.
    start: (usize, usize),
    visit: V,
}

impl<V: FnMut(Field)> Walk<'_, V> {
    fn whole(&mut self, micros: (bool, bool)) {
        let Counts { sources, archives } = self.from.counts(self.file);
        self.head();
        for _ in 0..sources {
            self.source();
        }
        let archives_at = self.start.0;
        for _ in 0..archives {
            self.archive();
        }
        self.live_head(micros);
        for _ in 0..sources {
            self.pdp_prep();
        }
        for archive in 0..archives as usize {
            let function = self.text(archives_at + archive * self.from.archive_bytes);
            for _ in 0..sources {
                self.words((0, 0), cell_words(&function));
                self.end(CDP_PREP_BYTES, CDP_PREP_BYTES);
            }
        }
        for _ in 0..archives {
            self.field(Kind::Long, 0, 0);
            self.end(self.from.architecture.long_bytes, self.to.architecture.long_bytes);
        }
    }

    fn head(&mut self) {
        let (from, to) = (self.from, self.to);
        self.field(Kind::Bytes(9), 0, 0); // magic and version
        self.field(Kind::Value, from.cookie_at, to.cookie_at);
        self.longs::<3>((from.counts_at, to.counts_at));
        self.words((from.head_words_at, to.head_words_at), [Kind::Value; 10]);
        self.end(from.head_bytes, to.head_bytes);
    }

    fn source(&mut self) {
        const NAMES_BYTES: usize = 2 * NAME_FIELD_BYTES;
        let kind = self.text(self.start.0 + NAME_FIELD_BYTES);
        self.field(Kind::Bytes(NAMES_BYTES), 0, 0);
        self.words((NAMES_BYTES, NAMES_BYTES), source_words(&kind));
        self.end(SOURCE_BYTES, SOURCE_BYTES);
    }

    fn archive(&mut self) {
        let (from, to) = (self.from, self.to);
        let function = self.text(self.start.0);
        self.field(Kind::Bytes(NAME_FIELD_BYTES), 0, 0);
        self.longs::<2>((from.rows_at, to.rows_at));
        self.words((from.archive_words_at, to.archive_words_at), archive_words(&function));
        self.end(from.archive_bytes, to.archive_bytes);
    }

    fn live_head(&mut self, (from_has_micros, to_has_micros): (bool, bool)) {
        let (from, to) = (self.from, self.to);
        self.field(Kind::Time, 0, 0);
        if from_has_micros {
            self.field(Kind::Long, from.micros_at, to.micros_at);
        }
        self.end(from.live_head_bytes(from_has_micros), to.live_head_bytes(to_has_micros));
    }

    fn pdp_prep(&mut self) {
        let (from, to) = (self.from, self.to);
        self.field(Kind::Bytes(READING_BYTES), 0, 0);
        let mut words = [Kind::Value; 10];
        words[0] = Kind::Count; // unknown seconds
        self.words((from.scratch_at, to.scratch_at), words);
        self.end(from.pdp_prep_bytes, to.pdp_prep_bytes);
    }

    fn field(&mut self, kind: Kind, from: usize, to: usize) {
        (self.visit)(Field { kind, from: self.start.0 + from, to: self.start.1 + to });
    }

    fn longs<const COUNT: usize>(&mut self, (from, to): (usize, usize)) {
        let sizes = (self.from.architecture.long_bytes, self.to.architecture.long_bytes);
        for nth in 0..COUNT {
            self.field(Kind::Long, from + nth * sizes.0, to + nth * sizes.1);
        }
    }

    fn words(&mut self, (from, to): (usize, usize), kinds: Words) {
        for (nth, kind) in kinds.into_iter().enumerate() {
            self.field(kind, from + nth * WORD_BYTES, to + nth * WORD_BYTES);
        }
    }

    fn end(&mut self, from_bytes: usize, to_bytes: usize) {
        self.start = (self.start.0 + from_bytes, self.start.1 + to_bytes);
    }

    fn text(&self, offset: usize) -> String {
        read_text(self.file, offset, NAME_FIELD_BYTES).into_owned()
    }
}

/// The parameters of a data source: heartbeat, minimum, maximum; or an expression.
fn source_words(kind: &str) -> Words {
    if kind == "COMPUTE" {
        return [Kind::Steps; 10];
    }
    let mut words = [Kind::Value; 10];
    words[0] = Kind::Count;
    words
}

/// The parameters of an archive.
fn archive_words(function: &str) -> Words {
    let counts: &[usize] = match function {
        // The archive that it depends on. The length of the season, which follows, is a value.
        "HWPREDICT" | "MHWPREDICT" | "DEVPREDICT" => &[3],
        // The same, and the smoothing index.
        "SEASONAL" | "DEVSEASONAL" => &[3, 4],
        // The same, the window and the threshold.
        "FAILURES" => &[3, 4, 5],
        _ => &[],
    };
    with_counts(counts)
}

/// The values of a cell.
fn cell_words(function: &str) -> Words {
    match function {
        // The numbers of missing values.
        "HWPREDICT" | "MHWPREDICT" => with_counts(&[6, 7]),
        "SEASONAL" | "DEVSEASONAL" => with_counts(&[6]),
        // An octet for each row of the window: whether it was a violation.
        "FAILURES" => {
            let mut words = [Kind::Bytes(WORD_BYTES); 10];
            words[8..].fill(Kind::Value);
            words
        }
        _ => with_counts(&[1]),
    }
}

fn with_counts(counts: &[usize]) -> Words {
    let mut words = [Kind::Value; 10];
    for (nth, word) in words.iter_mut().enumerate() {
        if counts.contains(&nth) {
            *word = Kind::Count;
        }
    }
    words
}
