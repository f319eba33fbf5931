//! What can be wrong with the bytes of a file.

use std::path::Path;

use crate::architecture::Architecture;

/// What is wrong with the bytes of an `.rrd` file.
///
/// `Display` says what was expected, where, and what was found; [`FormatError::in_rrdtools_words`]
/// says it as rrdtool does.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FormatError {
    /// The file ends within its header.
    #[error(
        "offset {offset_bytes}: expected {part} up to byte {expected_bytes}, the file ends at {found_bytes}"
    )]
    HeaderEnds {
        /// The part of the header that is cut.
        part: &'static str,
        /// Where that part starts.
        offset_bytes: u64,
        /// Where it should end.
        expected_bytes: u64,
        /// Where the file ends.
        found_bytes: u64,
    },
    /// The file ends within its rows.
    #[error("expected {expected_bytes} bytes by its definition, found {found_bytes}")]
    RowsEnd {
        /// The size that the definition asks for.
        expected_bytes: u64,
        /// The size of the file.
        found_bytes: u64,
    },
    /// The file does not begin as an `.rrd` file does.
    #[error("offset 0: expected the letters RRD, found {0:02x?}: not an RRD file")]
    Magic([u8; 4]),
    /// A version that is not known.
    #[error("offset 4: expected a version from 0001 to 0005, found {0:?}")]
    Version(String),
    /// Written by a machine with other words or byte order, where a file of ours is expected.
    #[error("created on another architecture, {0}; `gyre convert` makes it one of this")]
    Foreign(Architecture),
    /// Written by a machine of which nothing is known.
    #[error(
        "offset 16: expected the float cookie 8.642135e130 in either byte order, there or at byte \
         12 or 10, found {0:02x?}: created on another architecture"
    )]
    Architecture([u8; 8]),
    /// A name of a data source that does not end within its field, or is no text.
    #[error("offset {offset_bytes}: expected a name of at most 19 bytes of text, found {found:?}")]
    SourceName {
        /// Where it stands.
        offset_bytes: u64,
        /// The field's text.
        found: String,
    },
    /// A kind of data source that is not known.
    #[error("offset {offset_bytes}: expected a data source type, found {found:?}")]
    SourceKind {
        /// Where it stands.
        offset_bytes: u64,
        /// The field's text.
        found: String,
    },
    /// A consolidation function that is not known.
    #[error("offset {offset_bytes}: expected a consolidation function, found {found:?}")]
    ConsolidationFunction {
        /// Where it stands.
        offset_bytes: u64,
        /// The field's text.
        found: String,
    },
    /// The expression of a COMPUTE source that has no end, an operator that is not known, or reads
    /// sources that do not come before it.
    #[error("offset {offset_bytes}: expected an expression over the sources before")]
    Expression {
        /// Where it stands.
        offset_bytes: u64,
    },
    /// A number that cannot be.
    #[error("offset {offset_bytes}: expected {expected}, found {found}")]
    Number {
        /// Where it stands.
        offset_bytes: u64,
        /// What may stand there.
        expected: &'static str,
        /// What stands there.
        found: u64,
    },
}

impl FormatError {
    /// The message that rrdtool prints for this fault, if it has one.
    #[must_use]
    pub fn in_rrdtools_words(&self, path: &Path) -> String {
        let path = path.display();
        match self {
            Self::HeaderEnds { found_bytes: 0, .. } => {
                format!("mmaping file '{path}': Invalid argument")
            }
            Self::HeaderEnds { part, .. } => {
                format!("reached EOF while loading header rrd->{part}")
            }
            Self::RowsEnd { expected_bytes, .. } => {
                format!("'{path}' is too small (should be {expected_bytes} bytes)")
            }
            Self::Magic(_) => format!("'{path}' is not an RRD file"),
            Self::Version(version) => format!("can't handle RRD file version {version}"),
            Self::Foreign(architecture) => format!(
                "This RRD was created on another architecture: '{path}' is {architecture}, \
                 'gyre convert' makes it one of this"
            ),
            Self::Architecture(_) => "This RRD was created on another architecture".into(),
            Self::SourceKind { found, .. } => {
                format!("unknown data acquisition function '{found}'")
            }
            Self::ConsolidationFunction { found, .. } => {
                format!("unknown consolidation function '{found}'")
            }
            Self::SourceName { .. } | Self::Number { .. } | Self::Expression { .. } => {
                format!("{path}: {self}")
            }
        }
    }

    /// Where the fault is, if it has a place in the file.
    pub(crate) fn offset_bytes_mut(&mut self) -> Option<&mut u64> {
        match self {
            Self::HeaderEnds { offset_bytes, .. }
            | Self::SourceName { offset_bytes, .. }
            | Self::SourceKind { offset_bytes, .. }
            | Self::ConsolidationFunction { offset_bytes, .. }
            | Self::Expression { offset_bytes, .. }
            | Self::Number { offset_bytes, .. } => Some(offset_bytes),
            Self::RowsEnd { .. }
            | Self::Magic(_)
            | Self::Version(_)
            | Self::Foreign(_)
            | Self::Architecture(_) => None,
        }
    }
}
