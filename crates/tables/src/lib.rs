//! Rows of series as a table for other programs, streamed: CSV, TSV, JSON, NDJSON, InfluxDB's line
//! protocol, Arrow and Parquet.
//!
//! ```text
//!   name       source  function  row_seconds  time                  value
//!   a/b.rrd    in      AVERAGE   300          2024-01-01T00:05:00Z  1.5
//!   a/b.rrd    in      AVERAGE   300          2024-01-01T00:10:00Z  null
//! ```
//!
//! The time is that at which the row ends. A [`Table`] holds a bounded number of rows, however many
//! it is given. It writes to anything; what becomes of a file that is not finished is its caller's.
//! Without the feature `arrow` (on by default), the last two formats are refused.

mod format;
mod rows;
mod error;
mod gathering;
#[cfg(feature = "arrow")]
mod time_unit;
mod text;
mod json;
mod line;
#[cfg(feature = "arrow")]
mod arrow;
#[cfg(feature = "arrow")]
mod parquet;

use std::io::Write;

pub use error::Error;
pub use format::Format;
pub use rows::Rows;

/// A table that is being written.
pub struct Table<W: Write + Send>(Form<W>);

enum Form<W: Write + Send> {
    Text(text::Text<W>),
    Json(json::Json<W>),
    Line(line::Line<W>),
    #[cfg(feature = "arrow")]
    Arrow(Box<arrow::Arrow<W>>),
    #[cfg(feature = "arrow")]
    Parquet(Box<parquet::Parquet<W>>),
}

impl<W: Write + Send> Table<W> {
    /// Begins a table.
    ///
    /// # Errors
    /// The first bytes cannot be written.
    pub fn new(format: Format, out: W) -> Result<Self, Error> {
        Ok(Self(match format {
            Format::Csv => Form::Text(text::Text::new(out, b',')?),
            Format::Tsv => Form::Text(text::Text::new(out, b'\t')?),
            Format::Json => Form::Json(json::Json::new(out, true)),
            Format::Ndjson => Form::Json(json::Json::new(out, false)),
            Format::Line => Form::Line(line::Line::new(out)),
            #[cfg(feature = "arrow")]
            Format::Arrow => Form::Arrow(Box::new(arrow::Arrow::new(out))),
            #[cfg(feature = "arrow")]
            Format::Parquet => Form::Parquet(Box::new(parquet::Parquet::new(out))),
            #[cfg(not(feature = "arrow"))]
            Format::Arrow | Format::Parquet => return Err(Error::Absent(format.name())),
        }))
    }

    /// Adds rows.
    ///
    /// # Errors
    /// They cannot be written.
    pub fn put(&mut self, rows: &Rows<'_>) -> Result<(), Error> {
        match &mut self.0 {
            Form::Text(text) => text.put(rows),
            Form::Json(json) => json.put(rows),
            Form::Line(line) => line.put(rows),
            #[cfg(feature = "arrow")]
            Form::Arrow(arrow) => arrow.put(rows),
            #[cfg(feature = "arrow")]
            Form::Parquet(parquet) => parquet.put(rows),
        }
    }

    /// Ends the table, and gives back what it was written to.
    ///
    /// # Errors
    /// The last bytes cannot be written.
    pub fn finish(self) -> Result<W, Error> {
        match self.0 {
            Form::Text(text) => text.finish(),
            Form::Json(json) => json.finish(),
            Form::Line(line) => line.finish(),
            #[cfg(feature = "arrow")]
            Form::Arrow(arrow) => arrow.finish(),
            #[cfg(feature = "arrow")]
            Form::Parquet(parquet) => parquet.finish(),
        }
    }
}
