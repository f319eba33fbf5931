//! `resize`: gives an archive more or fewer rows.
//!
//! Of a file, the result goes to `resize.rrd` in the current directory, and the file stays as it
//! is; a database in a ring store is changed itself.

use std::path::Path;

use rrd::number::integer;
use rrd::refill::RowChange;
use store::{Edit, Error};

use crate::failure::Failure;
use crate::session::Session;
use crate::verb::Verb;

pub(crate) const VERB: Verb = Verb {
    name: "resize",
    summary: "Write a file with more or fewer rows of an archive to ./resize.rrd; in a ring store, \
              change the database itself",
    operands: "FILE RRA-NUMBER GROW|SHRINK ROWS",
    options: &[],
    run,
};

/// Where the result goes.
const RESULT: &str = "resize.rrd";

fn run(session: &mut Session, words: &[&str]) -> Result<(), Failure> {
    if words.first() == Some(&RESULT) {
        return Err("resize.rrd is a reserved name".into());
    }
    let &[name, archive, direction, rows] = words else {
        return Err("wrong number of parameters".into());
    };
    let number = |text| integer::leading(text, true).map_or(0, |(number, _)| number);
    let grows = match direction {
        "GROW" => true,
        "SHRINK" => false,
        _ => return Err("I can only GROW or SHRINK".into()),
    };
    let rows = u64::try_from(number(rows)).unwrap_or(0);
    if rows < 1 {
        return Err("Please grow or shrink with at least 1 row".into());
    }
    let archive = usize::try_from(number(archive)).unwrap_or(usize::MAX);
    let change = if grows { RowChange::Grow(rows) } else { RowChange::Shrink(rows) };
    let edit = Edit::Resize { archive, change, result: Path::new(RESULT) };
    session.databases.edit(name, &edit).map_err(|error| match &error {
        Error::Io { action: "creating", .. } => Failure::new_file(RESULT, error),
        _ => error.into(),
    })
}
