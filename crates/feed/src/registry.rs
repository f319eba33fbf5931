//! Which databases are fed: taken in, renamed, begun anew, removed.

use std::ops::Range;

use sqlclient::{BulkInsert, ColumnType, Connection, Value};
use sqlring::{Dialect, Layout, Mark, PlaceInPart, Ring, create_ring, encode_marks};

use crate::Error;
use crate::books::{Books, Fed, Trash};
use crate::lease::Lease;

/// The tables and what is known of them.
pub(crate) struct Registry<'a> {
    pub(crate) books: &'a mut Books,
    pub(crate) connection: &'a mut dyn Connection,
    pub(crate) lease: &'a Lease,
}

/// A database that is to be fed.
pub(crate) struct Newcomer {
    pub(crate) name: String,
    pub(crate) layout: Layout,
}

impl Registry<'_> {
    /// Takes databases in. Returns their numbers.
    ///
    /// # Errors
    /// The connection cannot be used on.
    pub(crate) fn take_in(&mut self, new: Vec<Newcomer>) -> Result<Range<u32>, Error> {
        let first = self.books.numbers();
        let mut taken = Vec::with_capacity(new.len());
        for Newcomer { name, layout } in new {
            let sources = layout.sources.len();
            let layout = self.layout_number(layout)?;
            let first_series = self.books.new_series(sources)?;
            taken.push(Fed { name: name.into(), layout, first_series, mark: Mark::NONE });
        }
        let numbered: Vec<(u32, &Fed)> = (first..).zip(&taken).collect();
        self.begin()?;
        let columns = ["number", "name", "layout", "first_series"];
        let rows = numbered.iter().flat_map(|(number, fed)| {
            [integer(*number), text(&fed.name), integer(fed.layout), integer(fed.first_series)]
        });
        self.insert("gyre_database", &columns, &[I32, TEXT, I32, I32], &rows.collect::<Vec<_>>())?;
        let series: Vec<Value> =
            taken.iter().flat_map(|fed| series_of(self.books.layout(fed.layout), fed)).collect();
        self.insert_series(&series)?;
        self.connection.commit()?;
        let end = first + taken.len() as u32;
        (first..).zip(taken).for_each(|(number, fed)| self.books.put(number, fed));
        Ok(first..end)
    }

    /// Gives a database another name.
    ///
    /// # Errors
    /// The connection cannot be used on.
    pub(crate) fn rename(&mut self, number: u32, to: &str) -> Result<(), Error> {
        let Some(fed) = self.books.get(number).cloned() else { return Ok(()) };
        let series = self.books.layout(fed.layout).sources.len() as u32;
        let end = fed.first_series + series;
        self.begin()?;
        self.connection.execute(
            "UPDATE gyre_database SET name = ? WHERE number = ?",
            &[text(to), integer(number)],
        )?;
        self.connection.execute(
            "UPDATE gyre_series SET name = ? WHERE series >= ? AND series < ?",
            &[text(to), integer(fed.first_series), integer(end)],
        )?;
        self.connection.commit()?;
        self.books.rename(number, to);
        Ok(())
    }

    /// Removes databases. Their rows are no longer seen at once, and deleted later.
    ///
    /// # Errors
    /// The connection cannot be used on.
    pub(crate) fn remove(&mut self, numbers: &[u32]) -> Result<(), Error> {
        self.begin()?;
        let mut trash = Vec::new();
        for &number in numbers {
            let Some(fed) = self.books.get(number).cloned() else { continue };
            trash.extend(self.throw_away(&fed)?);
            self.connection
                .execute("DELETE FROM gyre_database WHERE number = ?", &[integer(number)])?;
        }
        self.connection.commit()?;
        numbers.iter().for_each(|number| {
            self.books.remove(*number);
        });
        self.books.trash.extend(trash);
        Ok(())
    }

    /// Begins a database anew, with new series: its rows are others than those that were fed.
    ///
    /// # Errors
    /// The connection cannot be used on.
    pub(crate) fn begin_anew(&mut self, number: u32, layout: Layout) -> Result<(), Error> {
        let Some(old) = self.books.get(number).cloned() else { return Ok(()) };
        let sources = layout.sources.len();
        let layout = self.layout_number(layout)?;
        let first_series = self.books.new_series(sources)?;
        let new = Fed { name: old.name.clone(), layout, first_series, mark: Mark::NONE };
        self.begin()?;
        let trash = self.throw_away(&old)?;
        self.connection.execute(
            "UPDATE gyre_database SET layout = ?, first_series = ? WHERE number = ?",
            &[integer(layout), integer(first_series), integer(number)],
        )?;
        let series = series_of(self.books.layout(layout), &new);
        self.insert_series(&series)?;
        self.books.set_mark(number, Mark::NONE);
        let kept = self.write_part(PlaceInPart::of(number).part);
        let done = kept.and_then(|()| Ok(self.connection.commit()?));
        if done.is_err() {
            self.books.set_mark(number, old.mark);
        }
        done?;
        self.books.put(number, new);
        self.books.trash.extend(trash);
        Ok(())
    }

    /// Writes the marks of a part, within a transaction.
    pub(crate) fn write_part(&mut self, part: u32) -> Result<(), Error> {
        write_part(self.books, self.connection, part)
    }

    fn begin(&mut self) -> Result<(), Error> {
        self.connection.begin()?;
        self.lease.hold(self.connection)
    }

    /// Hides the series of a database.
    fn throw_away(&mut self, fed: &Fed) -> Result<Option<Trash>, Error> {
        let layout = self.books.layout(fed.layout);
        let (first_series, series) = (fed.first_series, layout.sources.len() as u32);
        if series == 0 {
            return Ok(None);
        }
        let trash = Trash { first_series, series, layout: fed.layout };
        self.connection.execute(
            "DELETE FROM gyre_series WHERE series >= ? AND series < ?",
            &[integer(first_series), integer(first_series + series)],
        )?;
        self.connection.execute(
            "INSERT INTO gyre_trash (first_series, series, layout) VALUES (?, ?, ?)",
            &[integer(first_series), integer(series), integer(fed.layout)],
        )?;
        Ok(Some(trash))
    }

    /// The number of a layout, whose tables are there when this returns. MariaDB ends a transaction
    /// where a table is made, so this comes before one.
    fn layout_number(&mut self, layout: Layout) -> Result<u32, Error> {
        if let Some(number) = self.books.layout_number(&layout) {
            return Ok(number);
        }
        for fed in &layout.rings {
            self.make_ring(fed.ring)?;
        }
        self.connection.execute(
            "INSERT INTO gyre_layout (layout, description) VALUES (?, ?)",
            &[integer(self.books.layouts()), Value::Text(layout.to_text())],
        )?;
        Ok(self.books.put_layout(layout))
    }

    /// Makes the table of a ring. The row of `gyre_ring` is there before, so that no table is
    /// forgotten where this is cut short.
    fn make_ring(&mut self, ring: Ring) -> Result<(), Error> {
        if self.books.rings.contains(&ring) {
            return Ok(());
        }
        let dialect = self.connection.dialect();
        self.connection.execute(
            "INSERT INTO gyre_ring (row_seconds, slots) VALUES (?, ?)",
            &[Value::Integer(ring.row_seconds as i64), Value::Integer(ring.slots as i64)],
        )?;
        for sql in create_ring(dialect, ring) {
            self.connection.execute(&sql, &[])?;
        }
        if self.books.blocks < ring.blocks() {
            let blocks: Vec<Value> = (self.books.blocks..ring.blocks())
                .map(|block| Value::Integer(block as i64))
                .collect();
            self.insert("gyre_block", &["block"], &[I32], &blocks)?;
            self.books.blocks = ring.blocks();
        }
        self.books.rings.insert(ring);
        Ok(())
    }

    fn insert_series(&mut self, rows: &[Value]) -> Result<(), Error> {
        let columns = ["series", "name", "source", "kind", "step_seconds"];
        self.insert("gyre_series", &columns, &[I32, TEXT, TEXT, TEXT, ColumnType::BigInt], rows)
    }

    fn insert(
        &mut self,
        table: &str,
        columns: &[&str],
        types: &[ColumnType],
        rows: &[Value],
    ) -> Result<(), Error> {
        if rows.is_empty() {
            return Ok(());
        }
        let insert = BulkInsert { table, columns, types, conflict: "" };
        Ok(self.connection.write_rows(&insert, rows)?)
    }
}

const I32: ColumnType = ColumnType::Integer;
const TEXT: ColumnType = ColumnType::Text;

/// Writes the marks of a part, within a transaction.
pub(crate) fn write_part(
    books: &Books,
    connection: &mut dyn Connection,
    part: u32,
) -> Result<(), Error> {
    let first = part * sqlring::PART_DATABASES;
    let end = books.numbers().min(first + sqlring::PART_DATABASES);
    let mark = |number| books.get(number).map_or(Mark::NONE, |fed| fed.mark);
    let marks: Vec<Mark> = (first..end).map(mark).collect();
    let conflict = match connection.dialect() {
        Dialect::Sqlite | Dialect::Postgres => {
            "ON CONFLICT (part) DO UPDATE SET marks = excluded.marks"
        }
        Dialect::MariaDb => "ON DUPLICATE KEY UPDATE marks = VALUES(marks)",
    };
    connection.execute(
        &format!("INSERT INTO gyre_part (part, marks) VALUES (?, ?) {conflict}"),
        &[integer(part), Value::Bytes(encode_marks(&marks))],
    )?;
    Ok(())
}

/// The rows of `gyre_series` of a database.
fn series_of(layout: &Layout, fed: &Fed) -> Vec<Value> {
    let step_seconds = Value::Integer(layout.step_seconds as i64);
    let rows = (fed.first_series..).zip(&layout.sources).flat_map(|(series, source)| {
        let texts = [&*fed.name, &source.name, &source.kind].map(text);
        let [name, source, kind] = texts;
        [integer(series), name, source, kind, step_seconds.clone()]
    });
    rows.collect()
}

fn integer(number: u32) -> Value {
    Value::Integer(i64::from(number))
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}
