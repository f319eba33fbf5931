//! Reads the tables of a feed.

use sqlclient::{Connection, Value};
use sqlring::{
    Dialect, Layout, Mark, PART_DATABASES, Ring, SCHEMA_VERSION, Selection, create_ring,
    decode_marks,
};

use crate::Error;
use crate::ask::{ask_all, ask_one};
use crate::books::{Books, Fed, Trash};

/// What is selected, after a look at the version.
pub(crate) fn selection(connection: &mut dyn Connection) -> Result<Selection, Error> {
    if !is_created(connection)? {
        return Err(Error::NotCreated);
    }
    let sql = "SELECT version, selection FROM gyre_feed WHERE id = 1";
    let row = ask_one(connection, sql, &[])?.ok_or(Error::NotCreated)?;
    let [Value::Integer(found), Value::Text(text)] = &row[..] else {
        return Err(foreign("gyre_feed", "a version and a selection"));
    };
    if *found != SCHEMA_VERSION {
        return Err(Error::Version { found: *found, expected: SCHEMA_VERSION });
    }
    serde_json::from_str(text)
        .map_err(|error| foreign("gyre_feed", &format!("a selection: {error}")))
}

/// Where the store is that feeds the tables; empty if that was not said.
pub(crate) fn place(connection: &mut dyn Connection) -> Result<String, Error> {
    match ask_one(connection, "SELECT place FROM gyre_feed WHERE id = 1", &[])?.as_deref() {
        Some([Value::Text(place)]) => Ok(place.clone()),
        _ => Err(foreign("gyre_feed", "the place of a store")),
    }
}

/// Whether the table that says what is fed is there.
pub(crate) fn is_created(connection: &mut dyn Connection) -> Result<bool, Error> {
    let sql = match connection.dialect() {
        Dialect::Sqlite => "SELECT COUNT(*) FROM sqlite_master WHERE name = 'gyre_feed'",
        Dialect::MariaDb => {
            "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = DATABASE() AND \
             table_name = 'gyre_feed'"
        }
        Dialect::Postgres => "SELECT CASE WHEN to_regclass('gyre_feed') IS NULL THEN 0 ELSE 1 END",
    };
    let found = ask_one(connection, sql, &[])?;
    Ok(matches!(found.as_deref(), Some([Value::Integer(1)])))
}

/// Reads all tables but the rows.
pub(crate) fn books(connection: &mut dyn Connection) -> Result<Books, Error> {
    let mut books = Books::new(selection(connection)?);
    for layout in layouts(connection)? {
        books.put_layout(layout);
    }
    let marks = marks(connection)?;
    let databases = ask_all(
        connection,
        "SELECT number, name, layout, first_series FROM gyre_database ORDER BY number",
        &[],
        |row| match row {
            [number, Value::Text(name), layout, first_series] => {
                let (number, layout) = (number_of(number)?, number_of(layout)?);
                let first_series = number_of(first_series)?;
                let mark = marks.get(number as usize).copied().unwrap_or(Mark::NONE);
                Ok((number, Fed { name: name.as_str().into(), layout, first_series, mark }))
            }
            _ => Err(foreign("gyre_database", "a number, a name, a layout and a series")),
        },
    )?;
    for (number, fed) in databases {
        if fed.layout >= books.layouts() {
            return Err(foreign("gyre_database", "a layout of gyre_layout"));
        }
        books.put(number, fed);
    }
    for trash in trash(connection)? {
        books.series_given(trash.first_series, trash.series);
        books.trash.push(trash);
    }
    for ring in rings(connection)? {
        // The row is written before the table is made.
        for sql in create_ring(connection.dialect(), ring) {
            connection.execute(&sql, &[])?;
        }
        books.rings.insert(ring);
    }
    let blocks = ask_one(connection, "SELECT COUNT(*) FROM gyre_block", &[])?;
    if let Some([Value::Integer(blocks)]) = blocks.as_deref() {
        books.blocks = u64::try_from(*blocks).unwrap_or(0);
    }
    Ok(books)
}

/// The layouts in the order of their numbers, which have no gaps.
fn layouts(connection: &mut dyn Connection) -> Result<Vec<Layout>, Error> {
    let mut next = 0;
    let sql = "SELECT layout, description FROM gyre_layout ORDER BY layout";
    ask_all(connection, sql, &[], |row| match row {
        [number, Value::Text(text)] if number_of(number)? == next => {
            next += 1;
            let layout = Layout::from_text(text);
            layout.map_err(|error| foreign("gyre_layout", &error.to_string()))
        }
        _ => Err(foreign("gyre_layout", &format!("layout {next}"))),
    })
}

/// The marks by the numbers of databases.
pub(crate) fn marks(connection: &mut dyn Connection) -> Result<Vec<Mark>, Error> {
    let mut all = Vec::new();
    let sql = "SELECT part, marks FROM gyre_part ORDER BY part";
    let parts = ask_all(connection, sql, &[], |row| match row {
        [part, Value::Bytes(bytes)] => Ok((number_of(part)?, marks_of(bytes)?)),
        _ => Err(foreign("gyre_part", "a part and its marks")),
    })?;
    for (part, marks) in parts {
        let first = part as usize * PART_DATABASES as usize;
        all.resize(all.len().max(first + marks.len()), Mark::NONE);
        all[first..first + marks.len()].copy_from_slice(&marks);
    }
    Ok(all)
}

fn marks_of(bytes: &[u8]) -> Result<Vec<Mark>, Error> {
    decode_marks(bytes).map_err(|error| foreign("gyre_part", &error.to_string()))
}

/// The rings that have tables.
pub(crate) fn rings(connection: &mut dyn Connection) -> Result<Vec<Ring>, Error> {
    let sql = "SELECT row_seconds, slots FROM gyre_ring ORDER BY row_seconds, slots";
    ask_all(connection, sql, &[], |row| {
        let number = |value: &Value| match value {
            Value::Integer(number) if *number > 0 => Ok(*number as u64),
            _ => Err(foreign("gyre_ring", "a row length and slots")),
        };
        match row {
            [row_seconds, slots] => {
                Ok(Ring { row_seconds: number(row_seconds)?, slots: number(slots)? })
            }
            _ => Err(foreign("gyre_ring", "a row length and slots")),
        }
    })
}

fn trash(connection: &mut dyn Connection) -> Result<Vec<Trash>, Error> {
    let sql = "SELECT first_series, series, layout FROM gyre_trash ORDER BY first_series";
    ask_all(connection, sql, &[], |row| match row {
        [first_series, series, layout] => Ok(Trash {
            first_series: number_of(first_series)?,
            series: number_of(series)?,
            layout: number_of(layout)?,
        }),
        _ => Err(foreign("gyre_trash", "series and their layout")),
    })
}

fn number_of(value: &Value) -> Result<u32, Error> {
    match value {
        Value::Integer(number) => u32::try_from(*number).ok(),
        _ => None,
    }
    .ok_or_else(|| foreign("a table", "a whole number"))
}

fn foreign(table: &'static str, expected: &str) -> Error {
    Error::Foreign { table, expected: expected.to_owned() }
}
