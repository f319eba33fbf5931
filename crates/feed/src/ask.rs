//! Questions with few answers.

use std::ops::ControlFlow;

use sqlclient::{Connection, Value};

use crate::Error;

/// The first row of an answer.
pub(crate) fn ask_one(
    connection: &mut dyn Connection,
    sql: &str,
    values: &[Value],
) -> Result<Option<Vec<Value>>, Error> {
    let mut first = None;
    connection.query(sql, values, &mut |row| {
        first.get_or_insert_with(|| row.to_vec());
        ControlFlow::Continue(())
    })?;
    Ok(first)
}

/// All rows of an answer, each read by a function.
pub(crate) fn ask_all<T>(
    connection: &mut dyn Connection,
    sql: &str,
    values: &[Value],
    mut read: impl FnMut(&[Value]) -> Result<T, Error>,
) -> Result<Vec<T>, Error> {
    let (mut all, mut failed) = (Vec::new(), None);
    connection.query(sql, values, &mut |row| match read(row) {
        Ok(one) => {
            all.push(one);
            ControlFlow::Continue(())
        }
        Err(error) => {
            failed = Some(error);
            ControlFlow::Break(())
        }
    })?;
    failed.map_or(Ok(all), Err)
}
