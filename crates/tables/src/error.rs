//! Why a table could not be written.

use std::io;

#[cfg(feature = "arrow")]
use ::parquet::errors::ParquetError;
#[cfg(feature = "arrow")]
use arrow_schema::ArrowError;

/// Why a table could not be written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// What it is written to takes no more.
    #[error(transparent)]
    Io(io::Error),
    /// A database whose times would have to be rounded.
    #[error(
        "{0}: found times of parts of a millisecond in a table that began with times of whole ones: \
         expected such databases in a table of their own"
    )]
    FinerTimes(String),
    /// The first rows could not be written, and there are more.
    #[error("the table could not be begun")]
    NotBegun,
    /// This program was built without the format.
    #[error("{0}: this program was built without the feature arrow")]
    Absent(&'static str),
    /// Arrow refuses the rows.
    #[cfg(feature = "arrow")]
    #[error("Arrow: {0}")]
    Arrow(ArrowError),
    /// Parquet refuses the rows.
    #[cfg(feature = "arrow")]
    #[error("Parquet: {0}")]
    Parquet(ParquetError),
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

#[cfg(feature = "arrow")]
impl From<ArrowError> for Error {
    fn from(error: ArrowError) -> Self {
        match error {
            ArrowError::IoError(_, error) => Self::Io(error),
            other => Self::Arrow(other),
        }
    }
}

#[cfg(feature = "arrow")]
impl From<ParquetError> for Error {
    fn from(error: ParquetError) -> Self {
        match error {
            ParquetError::External(source) => match source.downcast::<io::Error>() {
                Ok(error) => Self::Io(*error),
                Err(other) => Self::Parquet(ParquetError::External(other)),
            },
            other => Self::Parquet(other),
        }
    }
}
