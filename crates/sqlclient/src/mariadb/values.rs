//! Values to and from MariaDB, in its binary form.

use mysql_async::consts::{ColumnFlags, ColumnType};
use mysql_async::{Column, Row};

use crate::{Error, Value};

/// The number of the character set of bytes.
const BINARY: u16 = 63;

/// A value on its way to a statement.
pub(super) fn bound(value: &Value) -> mysql_async::Value {
    match value {
        Value::Null => mysql_async::Value::NULL,
        Value::Integer(number) => mysql_async::Value::Int(*number),
        Value::Real(number) => mysql_async::Value::Double(*number),
        Value::Text(text) => mysql_async::Value::Bytes(text.clone().into_bytes()),
        Value::Bytes(bytes) => mysql_async::Value::Bytes(bytes.clone()),
    }
}

/// Reads a row's values.
pub(super) fn read_row(row: Row, values: &mut Vec<Value>) -> Result<(), Error> {
    values.clear();
    let columns = row.columns();
    for (value, column) in row.unwrap().into_iter().zip(columns.iter()) {
        values.push(read(value, column)?);
    }
    Ok(())
}

fn read(value: mysql_async::Value, column: &Column) -> Result<Value, Error> {
    Ok(match value {
        mysql_async::Value::NULL => Value::Null,
        mysql_async::Value::Int(number) => Value::Integer(number),
        mysql_async::Value::UInt(number) => match i64::try_from(number) {
            Ok(number) => Value::Integer(number),
            Err(_) => Value::Text(number.to_string()),
        },
        mysql_async::Value::Float(number) => Value::Real(number.into()),
        mysql_async::Value::Double(number) => Value::Real(number),
        mysql_async::Value::Bytes(bytes) if is_text(column) => match String::from_utf8(bytes) {
            Ok(text) => Value::Text(text),
            Err(_) => return Err(Error::Other("expected UTF-8, found another text".into())),
        },
        mysql_async::Value::Bytes(bytes) => Value::Bytes(bytes),
        date_or_time => Value::Text(date_or_time.as_sql(true).trim_matches('\'').to_owned()),
    })
}

/// Whether a column's bytes are characters; those of decimal numbers say that they are binary.
fn is_text(column: &Column) -> bool {
    let is_decimal = matches!(
        column.column_type(),
        ColumnType::MYSQL_TYPE_DECIMAL | ColumnType::MYSQL_TYPE_NEWDECIMAL
    );
    let is_binary =
        column.character_set() == BINARY && column.flags().contains(ColumnFlags::BINARY_FLAG);
    is_decimal || !is_binary
}
