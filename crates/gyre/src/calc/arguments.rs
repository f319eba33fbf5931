//! The command line of `gyre calc`.

use std::ffi::OsString;
use std::path::PathBuf;

use options::{CommandLine, Misuse, checked, option, switch, texts};
use tables::Format;

use super::format::{FORMATS, format};

pub(super) const LINE: CommandLine<Wanted> = CommandLine {
    synopsis: "gyre calc [OPTION...] DEF:... [CDEF:... | VDEF:... | SHIFT:... | XPORT:... | PRINT:...]...",
    summary: "Calculate with the rows of databases, in the words of graphs and without a picture. \
              Rows are never consolidated to pixels, and those that a window (TREND, TREND.MAX, \
              PREDICT ...) needs before the start are read, too. Each answer says which rows gave \
              it and how many of them were unknown.",
    options: &[
        checked("-s --start", "TIME", "where it begins (end-24h)", |it, value| {
            it.start = Some(value.text()?.into());
            Ok(())
        }),
        checked("-e --end", "TIME", "where it ends (now)", |it, value| {
            it.end = Some(value.text()?.into());
            Ok(())
        }),
        checked(
            "--each",
            "PATTERN",
            "calculate for each database of a store or a tree of files, as STORE/* or \
             DIRECTORY/**/eth*.rrd; {} in a DEF is its name",
            |it, value| {
                it.each = Some(value.text()?.into());
                Ok(())
            },
        ),
        switch("--total", "sum the series over all databases first", |it| it.is_total = true),
        checked("--top", "N", "tell only the N databases with the greatest number", |it, value| {
            it.top = Some(value.number(1..=1_000_000)? as usize);
            Ok(())
        }),
        checked("--by", "VDEF", "by that number (the first PRINT, or VDEF)", |it, value| {
            it.by = Some(value.text()?.into());
            Ok(())
        }),
        switch("--exact", "refuse percentiles of rows that are longer than a step", |it| {
            it.is_exact = true;
        }),
        switch("--json", "print JSON, an object for each database on a line", |it| {
            it.as_json = true;
        }),
        checked("--format", "FORMAT", FORMATS, |it, value| {
            it.format = Some(format(&value)?);
            Ok(())
        }),
        option("-o --output", "FILE", "write the rows of XPORT to this file", |it, value| {
            it.output = Some(value.path());
        }),
    ],
    notes: "",
};

/// What the words ask for.
#[derive(Default)]
pub(super) struct Wanted {
    pub(super) start: Option<String>,
    pub(super) end: Option<String>,
    pub(super) each: Option<String>,
    pub(super) is_total: bool,
    pub(super) top: Option<usize>,
    pub(super) by: Option<String>,
    pub(super) is_exact: bool,
    pub(super) as_json: bool,
    pub(super) format: Option<Format>,
    pub(super) output: Option<PathBuf>,
    pub(super) elements: Vec<String>,
}

pub(super) fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Option<Wanted>, Misuse> {
    let Some((wanted, operands)) = LINE.read(words)? else { return Ok(None) };
    let wanted = Wanted { elements: texts(operands)?, ..wanted };
    wanted.check()?;
    Ok(Some(wanted))
}

impl Wanted {
    fn check(&self) -> Result<(), Misuse> {
        let goes = |what: &'static str, is_wrong: bool| {
            if is_wrong { Err(Misuse::operands(what)) } else { Ok(()) }
        };
        goes("DEF:... and what is calculated from it", self.elements.is_empty())?;
        let of_many = self.is_total || self.top.is_some();
        goes("--each with --total or --top", of_many && self.each.is_none())?;
        goes("--total or --top", self.is_total && self.top.is_some())?;
        goes("--top with --by", self.by.is_some() && self.top.is_none())?;
        goes("--json or --format", self.as_json && self.format.is_some())?;
        goes("--format with --output", self.output.is_some() && self.format.is_none())
    }
}
