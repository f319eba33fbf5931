//! Where the answers go: text, JSON, or the rows of XPORT as a table.

use std::io::{self, BufWriter, IsTerminal as _, Stdout, Write};
use std::path::{Path, PathBuf};

use calc::{Outcome, Unfinished, json, put_columns, text};
use rrdtool::{Failure, system_words};
use tables::{Format, Table};

use super::arguments::Wanted;

/// Where the answers go.
pub(super) struct Out {
    /// The rows of XPORT.
    table: Option<Table<Target>>,
    /// Where they go, for errors.
    shown: String,
    as_json: bool,
    /// What is told beside a table on standard output, which is its own.
    beside: bool,
}

/// What a table is written to.
enum Target {
    Standard(BufWriter<Stdout>),
    File(Unfinished),
}

impl Out {
    /// Makes ready for answers, which have columns or none.
    pub(super) fn begin(wanted: &Wanted, has_columns: bool) -> Result<Self, Failure> {
        let format = match wanted.format {
            Some(_) if !has_columns => {
                return Err(Failure::misuse("--format: expected XPORT, whose rows are the table"));
            }
            None if has_columns && !wanted.as_json => Some(Format::Tsv),
            format => format,
        };
        let path = wanted.output.as_deref();
        let shown = path.map_or("standard output".into(), |path| path.display().to_string());
        if let Some(format) = format
            && format.is_binary()
            && path.is_none()
            && io::stdout().is_terminal()
        {
            return Err(Failure::misuse(format!(
                "--format {}: expected --output or a pipe, found a terminal",
                format.name()
            )));
        }
        let at = |error: &tables::Error| failure(&shown, error);
        let table = match format {
            None => None,
            Some(format) => {
                let target = Target::begin(path)?;
                Some(Table::new(format, target).map_err(|error| at(&error))?)
            }
        };
        Ok(Self { table, shown, as_json: wanted.as_json, beside: path.is_none() && has_columns })
    }

    /// Takes an answer.
    pub(super) fn put(&mut self, outcome: &Outcome) -> Result<(), Failure> {
        if let Some(table) = &mut self.table {
            put_columns(table, outcome).map_err(|error| failure(&self.shown, &error))?;
        }
        let told = match self.as_json {
            true => format!("{}\n", json(outcome)),
            false => text(outcome),
        };
        let written = match self.beside && !self.as_json {
            true => io::stderr().write_all(told.as_bytes()).or(Ok(())),
            false => io::stdout().write_all(told.as_bytes()),
        };
        unless_closed(written)
    }

    /// Ends the table; a file gets its name.
    pub(super) fn finish(self) -> Result<(), Failure> {
        let Some(table) = self.table else {
            return unless_closed(io::stdout().flush());
        };
        let target = table.finish().map_err(|error| failure(&self.shown, &error))?;
        match target {
            Target::Standard(mut out) => unless_closed(out.flush()),
            Target::File(file) => file.finish().map_err(Failure::at(self.shown)),
        }
    }
}

/// A reader that closed the pipe has read what it wanted: nothing more is calculated.
fn unless_closed(written: io::Result<()>) -> Result<(), Failure> {
    written.map_err(|error| match error.kind() {
        io::ErrorKind::BrokenPipe => Failure::Unread,
        _ => Failure::at("standard output")(error),
    })
}

fn failure(shown: &str, error: &tables::Error) -> Failure {
    match error {
        tables::Error::Io(error) if error.kind() == io::ErrorKind::BrokenPipe => Failure::Unread,
        tables::Error::Io(error) => Failure::misuse(format!("{shown}: {}", system_words(error))),
        other => Failure::misuse(format!("{shown}: {other}")),
    }
}

impl Target {
    fn begin(path: Option<&Path>) -> Result<Self, Failure> {
        match path {
            None => Ok(Self::Standard(BufWriter::new(io::stdout()))),
            Some(path) => {
                let at = PathBuf::from(path);
                Unfinished::begin(path).map(Self::File).map_err(Failure::at(at.display()))
            }
        }
    }
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Standard(out) => out.write(bytes),
            Self::File(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Standard(out) => out.flush(),
            Self::File(file) => file.flush(),
        }
    }
}
