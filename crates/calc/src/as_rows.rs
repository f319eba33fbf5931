//! The columns of an answer as rows of a table.

use std::io::Write;

use tables::{Error, Rows, Table};

use crate::outcome::Outcome;

/// Puts the columns of XPORT into a table. The function of a column is that of its archives; of
/// several they are joined.
///
/// # Errors
/// The table cannot be written.
pub fn put_columns<W: Write + Send>(table: &mut Table<W>, outcome: &Outcome) -> Result<(), Error> {
    for column in &outcome.answer.columns {
        let mut functions: Vec<String> = Vec::new();
        for origin in column.requests.iter().map(|nth| &outcome.origins[*nth]) {
            let function = origin.function.to_string();
            if !functions.contains(&function) {
                functions.push(function);
            }
        }
        let first = column.requests.first().map(|nth| &outcome.origins[*nth].database);
        let name =
            if outcome.name.is_empty() { first.map_or("", String::as_str) } else { &outcome.name };
        let step = column.row_seconds as i64;
        table.put(&Rows {
            name,
            source: &column.legend,
            function: &functions.join("+"),
            row_millis: column.row_seconds.saturating_mul(1000),
            first_end_millis: column.start_seconds.saturating_add(step).saturating_mul(1000),
            values: &column.values,
        })?;
    }
    Ok(())
}
