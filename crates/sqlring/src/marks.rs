//! Marks: how far each database is fed. They are committed together with the rows.
//!
//! ```text
//!  gyre_part: part ── marks: | mark of database 256 part | ... 256 part + 1 | ...
//!
//!  mark, 24 bytes, little-endian:
//!     0  seconds  i64   the last update whose rows were fed; 0 for none
//!     8  first    i64   the end of the first known row that was fed; i64::MAX for none
//!    16  check    u64   digest of the newest rows that were fed, of the shortest ones; 0 for none
//! ```

/// Databases whose marks are in one row of `gyre_part`.
pub const PART_DATABASES: u32 = 256;

const MARK_BYTES: usize = 24;

/// How far a database is fed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The last update whose rows were fed, in seconds since 1970; 0 if none was.
    pub seconds: i64,
    /// The end of the first known row that was fed: slots hold nothing older. [`i64::MAX`] if no
    /// known row was.
    pub first_seconds: i64,
    /// A digest of the newest rows of the shortest ring that were fed, 0 for none: where a database was
    /// restored or made anew, it has others there.
    pub check: u64,
}

impl Mark {
    /// The mark of a database of which nothing was fed.
    pub const NONE: Self = Self { seconds: 0, first_seconds: i64::MAX, check: 0 };
}

/// Where the mark of a database stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlaceInPart {
    /// The row of `gyre_part`.
    pub part: u32,
    /// The position in it.
    pub nth: usize,
}

impl PlaceInPart {
    /// The place of the database of this number.
    #[must_use]
    pub const fn of(database: u32) -> Self {
        Self { part: database / PART_DATABASES, nth: (database % PART_DATABASES) as usize }
    }
}

/// Marks as bytes.
#[must_use]
pub fn encode_marks(marks: &[Mark]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(marks.len() * MARK_BYTES);
    for mark in marks {
        bytes.extend_from_slice(&mark.seconds.to_le_bytes());
        bytes.extend_from_slice(&mark.first_seconds.to_le_bytes());
        bytes.extend_from_slice(&mark.check.to_le_bytes());
    }
    bytes
}

/// Bytes are no marks.
#[derive(Debug, thiserror::Error)]
#[error("expected marks of {MARK_BYTES} bytes, at most {PART_DATABASES}, found {0} bytes")]
pub struct MarksError(usize);

/// The marks of bytes.
///
/// # Errors
/// They are none.
pub fn decode_marks(bytes: &[u8]) -> Result<Vec<Mark>, MarksError> {
    let (marks, rest) = bytes.as_chunks::<MARK_BYTES>();
    if !rest.is_empty() || marks.len() > PART_DATABASES as usize {
        return Err(MarksError(bytes.len()));
    }
    let mark = |bytes: &[u8; MARK_BYTES]| {
        let (words, _) = bytes.as_chunks::<8>();
        let [seconds, first_seconds, check] = [words[0], words[1], words[2]];
        Mark {
            seconds: i64::from_le_bytes(seconds),
            first_seconds: i64::from_le_bytes(first_seconds),
            check: u64::from_le_bytes(check),
        }
    };
    Ok(marks.iter().map(mark).collect())
}

#[cfg(test)]
mod tests {
    use super::{MARK_BYTES, Mark, PART_DATABASES, PlaceInPart, decode_marks, encode_marks};
    use proptest::prelude::*;

    #[test]
    fn bytes_are_as_the_picture_shows() {
        let mark = Mark { seconds: 1, first_seconds: 2, check: 3 };
        let mut expected = [0; MARK_BYTES];
        (expected[0], expected[8], expected[16]) = (1, 2, 3);
        assert_eq!(encode_marks(&[mark]), expected);
    }

    #[test]
    fn places_follow_each_other() {
        let place = |part, nth| PlaceInPart { part, nth };
        assert_eq!(PlaceInPart::of(0), place(0, 0));
        assert_eq!(PlaceInPart::of(PART_DATABASES + 3), place(1, 3));
    }

    proptest! {
        #[test]
        fn marks_come_back(seconds in prop::collection::vec(any::<(i64, i64, u64)>(), 0..256)) {
            let mark = |(seconds, first_seconds, check)| Mark { seconds, first_seconds, check };
            let marks: Vec<Mark> = seconds.into_iter().map(mark).collect();
            prop_assert_eq!(decode_marks(&encode_marks(&marks)).unwrap(), marks);
        }

        #[test]
        fn any_bytes_are_marks_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..7_000)) {
            if let Ok(marks) = decode_marks(&bytes) {
                prop_assert_eq!(encode_marks(&marks), bytes);
            }
        }
    }
}
