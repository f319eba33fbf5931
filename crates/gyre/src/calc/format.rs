//! `--format`, which `gyre export` has, too.

use options::{Misuse, Value};
use tables::Format;

/// The help of `--format`.
pub(crate) const FORMATS: &str =
    "rows as a table: csv, tsv, json, ndjson, line (line protocol), arrow, parquet";

/// The value of `--format`.
pub(crate) fn format(value: &Value) -> Result<Format, Misuse> {
    let found = Format::named(value.text()?);
    let found =
        found.ok_or_else(|| value.wrong("csv, tsv, json, ndjson, line, arrow or parquet"))?;
    match found.is_here() {
        true => Ok(found),
        false => Err(Misuse::unfit(format!(
            "--format {}: this gyre was built without its feature arrow",
            found.name()
        ))),
    }
}
