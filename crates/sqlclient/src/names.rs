//! Names of tables and columns within SQL.

use sqlring::Dialect;

/// A name as an identifier, whatever characters it has.
#[must_use]
pub fn quoted(dialect: Dialect, name: &str) -> String {
    let mark = if dialect == Dialect::MariaDb { '`' } else { '"' };
    let mut text = String::with_capacity(name.len() + 2);
    text.push(mark);
    for character in name.chars() {
        text.push(character);
        if character == mark {
            text.push(mark);
        }
    }
    text.push(mark);
    text
}

/// Names as identifiers with commas between them.
pub(crate) fn quoted_list(dialect: Dialect, names: &[&str]) -> String {
    names.iter().map(|name| quoted(dialect, name)).collect::<Vec<_>>().join(", ")
}
