//! A Parquet file: row groups of a bounded number of rows, written column by column. Names are
//! dictionaries, times are differences.

use std::io::Write;
use std::sync::Arc;

use parquet::basic::Encoding;
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::parser::parse_message_type;

use crate::error::Error;
use crate::rows::Rows;
use crate::time_unit::TimeUnit;

/// Rows of a row group.
const GROUP_ROWS: usize = 1 << 19;
/// Equal values that are handed over together.
const TOGETHER: usize = 1 << 10;

fn schema(unit: TimeUnit) -> String {
    let counted = match unit {
        TimeUnit::Millisecond => "MILLIS",
        TimeUnit::Microsecond => "MICROS",
    };
    format!(
        "message rows {{
    required binary name (STRING);
    required binary source (STRING);
    required binary function (STRING);
    required double row_seconds;
    required int64 time (TIMESTAMP({counted},true));
    optional double value;
}}"
    )
}

pub(crate) struct Parquet<W: Write + Send> {
    /// Until the first rows say what times are counted in.
    unopened: Option<W>,
    file: Option<File<W>>,
    group: Group,
}

struct File<W: Write + Send> {
    unit: TimeUnit,
    writer: SerializedFileWriter<W>,
}

/// The rows of the row group to come.
#[derive(Default)]
struct Group {
    runs: Vec<Run>,
    times: Vec<i64>,
    /// The known values.
    values: Vec<f64>,
    /// For each row 1, or 0 where its value is unknown.
    levels: Vec<i16>,
}

/// Rows that differ in time and value alone.
struct Run {
    /// Name, source and function.
    texts: [ByteArray; 3],
    row_seconds: f64,
    rows: usize,
}

impl<W: Write + Send> File<W> {
    fn new(out: W, unit: TimeUnit) -> Result<Self, Error> {
        let schema = Arc::new(parse_message_type(&schema(unit))?);
        let properties = WriterProperties::builder()
            .set_created_by(concat!("gyre ", env!("CARGO_PKG_VERSION")).into())
            .set_statistics_enabled(EnabledStatistics::Chunk)
            .set_column_dictionary_enabled("time".into(), false)
            .set_column_encoding("time".into(), Encoding::DELTA_BINARY_PACKED)
            .set_column_dictionary_enabled("value".into(), false)
            .build();
        let writer = SerializedFileWriter::new(out, schema, Arc::new(properties))?;
        Ok(Self { unit, writer })
    }

    fn write(&mut self, group: &mut Group) -> Result<(), Error> {
        if group.times.is_empty() {
            return Ok(());
        }
        let mut columns = self.writer.next_row_group()?;
        let mut nth = 0;
        while let Some(mut column) = columns.next_column()? {
            group.write_column(nth, &mut column)?;
            column.close()?;
            nth += 1;
        }
        columns.close()?;
        group.clear();
        Ok(())
    }
}

impl<W: Write + Send> Parquet<W> {
    pub(crate) fn new(out: W) -> Self {
        Self { unopened: Some(out), file: None, group: Group::default() }
    }

    pub(crate) fn put(&mut self, rows: &Rows<'_>) -> Result<(), Error> {
        let texts = [rows.name, rows.source, rows.function].map(ByteArray::from);
        if let Some(out) = self.unopened.take() {
            self.file = Some(File::new(out, TimeUnit::of(rows))?);
        }
        let Some(file) = &mut self.file else { return Err(Error::NotBegun) };
        file.unit.check(rows)?;
        let row_seconds = rows.row_seconds();
        let mut rest = *rows;
        while !rest.values.is_empty() {
            let taken = rest.values.len().min(GROUP_ROWS - self.group.times.len());
            let (now, later) = rest.values.split_at(taken);
            let group = &mut self.group;
            group.runs.push(Run { texts: texts.clone(), row_seconds, rows: taken });
            for (micros, value) in (Rows { values: now, ..rest }).iter() {
                group.times.push(file.unit.count(micros));
                group.levels.push(i16::from(value.is_some()));
                group.values.extend(value);
            }
            rest.values = later;
            rest.first_end_micros += taken as i64 * rows.row_micros as i64;
            if group.times.len() == GROUP_ROWS {
                file.write(&mut self.group)?;
            }
        }
        Ok(())
    }

    pub(crate) fn finish(mut self) -> Result<W, Error> {
        if let Some(out) = self.unopened.take() {
            self.file = Some(File::new(out, TimeUnit::default())?);
        }
        let Some(mut file) = self.file else { return Err(Error::NotBegun) };
        file.write(&mut self.group)?;
        let mut out = file.writer.into_inner()?;
        out.flush()?;
        Ok(out)
    }
}

impl Group {
    fn clear(&mut self) {
        self.runs.clear();
        self.times.clear();
        self.values.clear();
        self.levels.clear();
    }

    fn write_column(
        &self,
        nth: usize,
        column: &mut SerializedColumnWriter<'_>,
    ) -> Result<(), ParquetError> {
        match column.untyped() {
            ColumnWriter::ByteArrayColumnWriter(column) => self
                .repeat(|run| run.texts[nth].clone(), &mut |texts| {
                    column.write_batch(texts, None, None).map(drop)
                }),
            ColumnWriter::Int64ColumnWriter(column) => {
                column.write_batch(&self.times, None, None).map(drop)
            }
            ColumnWriter::DoubleColumnWriter(column) if nth == 3 => self
                .repeat(|run| run.row_seconds, &mut |seconds| {
                    column.write_batch(seconds, None, None).map(drop)
                }),
            ColumnWriter::DoubleColumnWriter(column) => {
                column.write_batch(&self.values, Some(&self.levels), None).map(drop)
            }
            _ => Err(ParquetError::General("a column of another type".into())),
        }
    }

    /// Hands over the value of each run as often as it has rows.
    fn repeat<T: Clone>(
        &self,
        value: impl Fn(&Run) -> T,
        write: &mut dyn FnMut(&[T]) -> Result<(), ParquetError>,
    ) -> Result<(), ParquetError> {
        for run in &self.runs {
            let values = vec![value(run); run.rows.min(TOGETHER)];
            let mut rows = run.rows;
            while rows > 0 {
                let together = rows.min(TOGETHER);
                write(&values[..together])?;
                rows -= together;
            }
        }
        Ok(())
    }
}
