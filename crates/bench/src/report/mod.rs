//! The table of figures: gyre's, its rival's, their ratio, the target and whether it is met.

mod row;
mod text;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub(crate) use row::{Better, Row};
pub(crate) use text::{head, line, lines, significant};

/// All measurements of a benchmark, and errors.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Report {
    benchmark: String,
    pub(crate) rows: Vec<Row>,
    pub(crate) failures: Vec<String>,
    raw: serde_json::Map<String, Value>,
}

impl Report {
    /// Takes a figure, and tells it at once.
    pub(crate) fn row(&mut self, row: Row) {
        eprintln!("{}", lines("", &row));
        self.rows.push(row);
    }

    /// Adds data that is not in the table.
    pub(crate) fn raw(&mut self, name: &str, value: Value) {
        self.raw.insert(name.to_owned(), value);
    }

    /// The result of a part; an error is recorded and does not end the run.
    pub(crate) fn attempt<T>(&mut self, part: &str, outcome: Result<T, String>) -> Option<T> {
        let failed = |message| {
            eprintln!("  {part}: {message}");
            self.failures.push(format!("{part}: {message}"));
        };
        outcome.map_err(failed).ok()
    }

    /// Prints the report.
    ///
    /// # Errors
    ///
    /// A part failed.
    pub(crate) fn print(&mut self, benchmark: &str, as_json: bool) -> Result<(), String> {
        benchmark.clone_into(&mut self.benchmark);
        if as_json {
            println!("{}", serde_json::to_string(self).map_err(|error| error.to_string())?);
        } else {
            let told = ["machine", "parameters", "result_hash"];
            for (name, value) in told.iter().filter_map(|name| Some((name, self.raw.get(*name)?))) {
                println!("{name}: {value}");
            }
            println!("{}", head());
            self.rows.iter().for_each(|row| println!("{}", lines(benchmark, row)));
        }
        if self.failures.is_empty() { Ok(()) } else { Err(self.failures.join("\n")) }
    }
}
