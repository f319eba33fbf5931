//! `gyre simulate`: updates of round robin databases through a simulated page cache.

mod arguments;
mod files;
mod table;
mod report;
mod plot;

use std::ffi::OsString;
use std::process::ExitCode;

use arguments::{COMMAND_LINE, Form, Wanted};

/// `gyre simulate …`.
pub(crate) fn main(words: impl IntoIterator<Item = OsString>) -> ExitCode {
    let wanted = match COMMAND_LINE.understood(arguments::parse(words)) {
        Ok(wanted) => wanted,
        Err(code) => return code,
    };
    match perform(&wanted) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("gyre simulate: {reason}");
            ExitCode::FAILURE
        }
    }
}

fn perform(wanted: &Wanted) -> Result<(), String> {
    let scenario = files::scenario(wanted)?;
    let table = table::Table::simulate(wanted, &scenario)?;
    if let Some(path) = &wanted.plot {
        let file = std::fs::write(path, plot::svg(&table));
        file.map_err(|error| format!("writing {}: {error}", path.display()))?;
    }
    match wanted.form {
        Form::Text => print!("{}", report::text(wanted, &scenario, &table)),
        Form::Json => println!("{}", report::json(wanted, &scenario, &table)),
        Form::Csv => print!("{}", report::csv(&table)),
    }
    Ok(())
}
