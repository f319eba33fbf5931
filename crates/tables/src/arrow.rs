//! A file of Arrow's IPC format: record batches of a bounded number of rows.

use std::io::Write;
use std::sync::Arc;

use arrow_array::builder::{Float64Builder, StringBuilder};
use arrow_array::{ArrayRef, Float64Array, RecordBatch, TimestampMillisecondArray};
use arrow_ipc::writer::FileWriter;
use arrow_schema::{DataType, Field, Schema, TimeUnit};

use crate::error::Error;
use crate::rows::Rows;

/// Rows of a batch.
const BATCH_ROWS: usize = 1 << 16;

pub(crate) struct Arrow<W: Write> {
    writer: FileWriter<W>,
    schema: Arc<Schema>,
    batch: Batch,
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

impl<W: Write> Arrow<W> {
    pub(crate) fn new(out: W) -> Result<Self, Error> {
        let text = |name| Field::new(name, DataType::Utf8, false);
        let time = DataType::Timestamp(TimeUnit::Millisecond, Some("UTC".into()));
        let schema = Arc::new(Schema::new(vec![
            text("name"),
            text("source"),
            text("function"),
            Field::new("row_seconds", DataType::Float64, false),
            Field::new("time", time, false),
            Field::new("value", DataType::Float64, true),
        ]));
        let writer = FileWriter::try_new(out, &schema)?;
        Ok(Self { writer, schema, batch: Batch::default() })
    }

    pub(crate) fn put(&mut self, rows: &Rows<'_>) -> Result<(), Error> {
        let row_seconds = rows.row_millis as f64 / 1000.0;
        for (millis, value) in rows.iter() {
            self.batch.names.append_value(rows.name);
            self.batch.sources.append_value(rows.source);
            self.batch.functions.append_value(rows.function);
            self.batch.row_seconds.push(row_seconds);
            self.batch.times.push(millis);
            self.batch.values.append_option(value);
            if self.batch.times.len() == BATCH_ROWS {
                self.write_batch()?;
            }
        }
        Ok(())
    }

    fn write_batch(&mut self) -> Result<(), Error> {
        let Batch { names, sources, functions, row_seconds, times, values } = &mut self.batch;
        if times.is_empty() {
            return Ok(());
        }
        let times = TimestampMillisecondArray::from(std::mem::take(times)).with_timezone("UTC");
        let columns: Vec<ArrayRef> = vec![
            Arc::new(names.finish()),
            Arc::new(sources.finish()),
            Arc::new(functions.finish()),
            Arc::new(Float64Array::from(std::mem::take(row_seconds))),
            Arc::new(times),
            Arc::new(values.finish()),
        ];
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), columns)?;
        Ok(self.writer.write(&batch)?)
    }

    pub(crate) fn finish(mut self) -> Result<W, Error> {
        self.write_batch()?;
        self.writer.finish()?;
        let mut out = self.writer.into_inner()?;
        out.flush()?;
        Ok(out)
    }
}
