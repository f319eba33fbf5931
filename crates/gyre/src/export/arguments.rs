//! The command line of `gyre export`.

use std::ffi::OsString;

use options::{CommandLine, Misuse, checked, switch, texts};
use tables::Format;

pub(super) const LINE: CommandLine<Wanted> = CommandLine {
    synopsis: "gyre export STORE [OPTION...] [--all | NAME|PATTERN...] DIRECTORY",
    summary: "Write databases of a ring store to .rrd files below a directory, and replace \
              existing files. A database that was imported from a file is written as rrdtool would \
              have kept it, byte for byte.\n\n\
              With --format, write their rows as tables for other programs, in files of so many \
              databases each: name, source, function, length of a row in seconds, time (UTC) at \
              which it ends, value.",
    options: &[
        switch("--all", "export every database", |it| it.all = true),
        checked("--format", "FORMAT", crate::calc::FORMATS, |it, value| {
            it.format = Some(crate::calc::format(&value)?);
            Ok(())
        }),
        checked("--function", "CF", "only rows of this function", |it, value| {
            it.function = Some(value.text()?.into());
            Ok(())
        }),
        checked("-s --start", "TIME", "only rows that end later", |it, value| {
            it.start = Some(value.text()?.into());
            Ok(())
        }),
        checked("-e --end", "TIME", "only rows that begin before", |it, value| {
            it.end = Some(value.text()?.into());
            Ok(())
        }),
        checked("--part", "N", "databases for each file of a table (1000)", |it, value| {
            it.databases_per_part = value.number(1..=1_000_000)? as usize;
            Ok(())
        }),
        switch(
            "--whole-seconds",
            "write what a file can say of databases with ticks below a second: the archives whose \
             rows are whole seconds",
            |it| it.whole_seconds = true,
        ),
        switch("--continue", "go on with the tables that an export has begun", |it| {
            it.goes_on = true;
        }),
    ],
    notes: "exit codes: 0 all is written; 1 something is not, and is named; 2 misuse; 3 all is\n\
            written but archives that --whole-seconds cannot say, and they are named\n",
};

/// How many databases stand in each file of a table unless the words say otherwise.
const DATABASES_PER_PART: usize = 1000;

pub(super) struct Wanted {
    pub(super) all: bool,
    pub(super) format: Option<Format>,
    pub(super) function: Option<String>,
    pub(super) start: Option<String>,
    pub(super) end: Option<String>,
    pub(super) databases_per_part: usize,
    pub(super) whole_seconds: bool,
    pub(super) goes_on: bool,
    pub(super) root: String,
    pub(super) names: Vec<String>,
    pub(super) directory: String,
}

impl Default for Wanted {
    fn default() -> Self {
        Self {
            all: false,
            format: None,
            function: None,
            start: None,
            end: None,
            databases_per_part: DATABASES_PER_PART,
            whole_seconds: false,
            goes_on: false,
            root: String::new(),
            names: Vec::new(),
            directory: String::new(),
        }
    }
}

pub(super) fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Option<Wanted>, Misuse> {
    let Some((wanted, operands)) = LINE.read(words)? else { return Ok(None) };
    let operands = texts(operands)?;
    let [root, names @ .., directory] = &operands[..] else {
        return Err(Misuse::operands("STORE, names of databases or --all, and DIRECTORY"));
    };
    if wanted.all != names.is_empty() {
        return Err(Misuse::operands("names of databases, or --all"));
    }
    let chooses = wanted.function.is_some() || wanted.start.is_some() || wanted.end.is_some();
    if wanted.format.is_none() && (chooses || wanted.goes_on) {
        return Err(Misuse::operands("--format with --function, --start, --end or --continue"));
    }
    if wanted.format.is_some() && wanted.whole_seconds {
        return Err(Misuse::operands("--whole-seconds without --format: tables have fractions"));
    }
    let (root, names, directory) = (root.clone(), names.to_vec(), directory.clone());
    Ok(Some(Wanted { root, names, directory, ..wanted }))
}
