//! A file of Arrow's IPC format: record batches of a bounded number of rows.

use std::io::Write;
use std::sync::Arc;

use arrow_array::builder::{Float64Builder, StringBuilder};
use arrow_array::{
    ArrayRef, Float64Array, RecordBatch, TimestampMicrosecondArray, TimestampMillisecondArray,
};
use arrow_ipc::writer::FileWriter;
use arrow_schema::{DataType, Field, Schema, TimeUnit};

use crate::error::Error;
use crate::rows::Rows;
use crate::time_unit::TimeUnit as Unit;

/// Rows of a batch.
const BATCH_ROWS: usize = 1 << 16;

pub(crate) struct Arrow<W: Write> {
    /// Until the first rows say what times are counted in.
    unopened: Option<W>,
    file: Option<File<W>>,
    batch: Batch,
}

struct File<W: Write> {
    unit: Unit,
    writer: FileWriter<W>,
    schema: Arc<Schema>,
}

#[derive(Default)]
struct Batch {
    names: StringBuilder,
    sources: StringBuilder,
    functions: StringBuilder,
    row_seconds: Vec<f64>,
    times: Vec<i64>,
    values: Float64Builder,
}

impl<W: Write> File<W> {
    fn new(out: W, unit: Unit) -> Result<Self, Error> {
        let text = |name| Field::new(name, DataType::Utf8, false);
        let counted = match unit {
            Unit::Millisecond => TimeUnit::Millisecond,
            Unit::Microsecond => TimeUnit::Microsecond,
        };
        let time = DataType::Timestamp(counted, Some("UTC".into()));
        let schema = Arc::new(Schema::new(vec![
            text("name"),
            text("source"),
            text("function"),
            Field::new("row_seconds", DataType::Float64, false),
            Field::new("time", time, false),
            Field::new("value", DataType::Float64, true),
        ]));
        let writer = FileWriter::try_new(out, &schema)?;
        Ok(Self { unit, writer, schema })
    }

    fn write(&mut self, batch: &mut Batch) -> Result<(), Error> {
        let Batch { names, sources, functions, row_seconds, times, values } = batch;
        if times.is_empty() {
            return Ok(());
        }
        let times = std::mem::take(times);
        let times: ArrayRef = match self.unit {
            Unit::Millisecond => {
                Arc::new(TimestampMillisecondArray::from(times).with_timezone("UTC"))
            }
            Unit::Microsecond => {
                Arc::new(TimestampMicrosecondArray::from(times).with_timezone("UTC"))
            }
        };
        let columns: Vec<ArrayRef> = vec![
            Arc::new(names.finish()),
            Arc::new(sources.finish()),
            Arc::new(functions.finish()),
            Arc::new(Float64Array::from(std::mem::take(row_seconds))),
            times,
            Arc::new(values.finish()),
        ];
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), columns)?;
        Ok(self.writer.write(&batch)?)
    }
}

impl<W: Write> Arrow<W> {
    pub(crate) fn new(out: W) -> Self {
        Self { unopened: Some(out), file: None, batch: Batch::default() }
    }

    pub(crate) fn put(&mut self, rows: &Rows<'_>) -> Result<(), Error> {
        if let Some(out) = self.unopened.take() {
            self.file = Some(File::new(out, Unit::of(rows))?);
        }
        let Some(file) = &mut self.file else { return Err(Error::NotBegun) };
        file.unit.check(rows)?;
        let row_seconds = rows.row_seconds();
        for (micros, value) in rows.iter() {
            self.batch.names.append_value(rows.name);
            self.batch.sources.append_value(rows.source);
            self.batch.functions.append_value(rows.function);
            self.batch.row_seconds.push(row_seconds);
            self.batch.times.push(file.unit.count(micros));
            self.batch.values.append_option(value);
            if self.batch.times.len() == BATCH_ROWS {
                file.write(&mut self.batch)?;
            }
        }
        Ok(())
    }

    pub(crate) fn finish(mut self) -> Result<W, Error> {
        if let Some(out) = self.unopened.take() {
            self.file = Some(File::new(out, Unit::default())?);
        }
        let Some(mut file) = self.file else { return Err(Error::NotBegun) };
        file.write(&mut self.batch)?;
        file.writer.finish()?;
        let mut out = file.writer.into_inner()?;
        out.flush()?;
        Ok(out)
    }
}
