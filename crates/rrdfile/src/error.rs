//! Errors in the bytes of a file.

use std::path::Path;

use rrd::BeyondFiles;

use crate::architecture::Architecture;

/// Why there is no file of a database.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unwritable {
    /// It would be larger than a file, or than memory.
    #[error("would be larger than a file can be")]
    TooLarge,
    /// A file cannot say all of it.
    #[error(transparent)]
    Beyond(#[from] BeyondFiles),
}

/// Why the bytes are not a valid `.rrd` file.
///
/// `Display` tells what was expected, where, and what was found; [`FormatError::in_rrdtools_words`]
/// gives rrdtool's message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FormatError {
    /// The file ends within its header.
    #[error(
        "offset {offset_bytes}: expected {part} up to byte {expected_bytes}, the file ends at {found_bytes}"
    )]
    HeaderEnds {
        /// The part of the header that is incomplete.
        part: &'static str,
        /// The start of that part.
        offset_bytes: u64,
        /// The expected end of that part.
        expected_bytes: u64,
        /// The end of the file.
        found_bytes: u64,
    },
    /// The file ends within its rows.
    #[error("expected {expected_bytes} bytes by its definition, found {found_bytes}")]
    RowsEnd {
        /// The size that follows from the definition.
        expected_bytes: u64,
        /// The size of the file.
        found_bytes: u64,
    },
    /// The file does not begin like an `.rrd` file.
    #[error("offset 0: expected the letters RRD, found {0:02x?}: not an RRD file")]
    Magic([u8; 4]),
    /// The version is unknown.
    #[error("offset 4: expected a version from 0001 to 0005, found {0:?}")]
    Version(String),
    /// The file was written by a machine with other words or another byte order, where a native one
    /// is expected.
    #[error("created on another architecture, {0}; `gyre convert` makes it one of this")]
    Foreign(Architecture),
    /// The file was written by an unknown kind of machine.
    #[error(
        "offset 16: expected the float cookie 8.642135e130 in either byte order, there or at byte \
         12 or 10, found {0:02x?}: created on another architecture"
    )]
    Architecture([u8; 8]),
    /// The name of a data source does not end within its field, or is not text.
    #[error("offset {offset_bytes}: expected a name of at most 19 bytes of text, found {found:?}")]
    SourceName {
        /// The offset of the field.
        offset_bytes: u64,
        /// The field's text.
        found: String,
    },
    /// The kind of a data source is unknown.
    #[error("offset {offset_bytes}: expected a data source type, found {found:?}")]
    SourceKind {
        /// The offset of the field.
        offset_bytes: u64,
        /// The field's text.
        found: String,
    },
    /// The consolidation function is unknown.
    #[error("offset {offset_bytes}: expected a consolidation function, found {found:?}")]
    ConsolidationFunction {
        /// The offset of the field.
        offset_bytes: u64,
        /// The field's text.
        found: String,
    },
    /// The expression of a COMPUTE source has no end or an unknown operator, or reads a source that
    /// is not before it.
    #[error("offset {offset_bytes}: expected an expression over the sources before")]
    Expression {
        /// The offset of the expression.
        offset_bytes: u64,
    },
    /// A number is not valid.
    #[error("offset {offset_bytes}: expected {expected}, found {found}")]
    Number {
        /// The offset of the number.
        offset_bytes: u64,
        /// The valid numbers.
        expected: &'static str,
        /// The number that was found.
        found: u64,
    },
}

impl FormatError {
    /// The message that rrdtool prints for this error, if it has one.
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

    /// The offset of the error in the file, if it has one.
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
