//! `gyre store list`, `rename`, `delete` and `tune`.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use options::{CommandLine, Misuse, Value, checked, texts};
use rrd::Definition;
use rrdtool::{Failure, Session};
use store::{Edit, NamePattern, SourceTuning};

use crate::command_line::with_databases;

pub(super) const LIST: CommandLine<()> = CommandLine {
    synopsis: "gyre store list STORE [PREFIX|PATTERN]",
    summary: "Print the names of databases, in order.",
    options: &[],
    notes: "",
};

pub(super) const RENAME: CommandLine<()> = CommandLine {
    synopsis: "gyre store rename STORE FROM TO",
    summary: "Give a database another name.",
    options: &[],
    notes: "",
};

pub(super) const DELETE: CommandLine<()> = CommandLine {
    synopsis: "gyre store delete STORE NAME...",
    summary: "Delete databases.",
    options: &[],
    notes: "",
};

pub(super) const TUNE: CommandLine<Limits> = CommandLine {
    synopsis: "gyre store tune [OPTIONS] STORE NAME SOURCE",
    summary: "Change heartbeat and limits of a data source, from the next update on.",
    options: &[
        checked(
            "--heartbeat",
            "SECONDS",
            "the longest time without a sample before the value becomes unknown",
            |it, value| {
                it.heartbeat_seconds = Some(value.parsed("a number")?);
                Ok(())
            },
        ),
        checked("--minimum", "RATE|U", "the lowest valid rate, U for no limit", |it, value| {
            it.minimum = Some(limit(&value)?);
            Ok(())
        }),
        checked("--maximum", "RATE|U", "the highest valid rate, U for no limit", |it, value| {
            it.maximum = Some(limit(&value)?);
            Ok(())
        }),
    ],
    notes: "",
};

/// Changes to a data source.
#[derive(Default)]
pub(super) struct Limits {
    heartbeat_seconds: Option<u64>,
    minimum: Option<f64>,
    maximum: Option<f64>,
}

fn limit(value: &Value) -> Result<f64, Misuse> {
    match value.text()? {
        "U" => Ok(f64::NAN),
        text => {
            let number = text.parse().ok().filter(|number: &f64| number.is_finite());
            number.ok_or_else(|| value.wrong("a number, or U"))
        }
    }
}

pub(super) fn list(words: Vec<OsString>) -> ExitCode {
    let parsed = operands(&LIST, words, "STORE [PREFIX|PATTERN]", |count| count == 1 || count == 2);
    with_databases(&LIST, parsed, |session, ((), operands)| {
        let pattern = NamePattern::meant(operands.get(1).map_or("", String::as_str));
        for name in session.databases.store_at(&operands[0])?.names_like(&pattern)? {
            let _ = writeln!(session.out, "{name}"); // a Vec takes everything
        }
        Ok(())
    })
}

pub(super) fn rename(words: Vec<OsString>) -> ExitCode {
    let parsed = operands(&RENAME, words, "STORE FROM TO", |count| count == 3);
    with_databases(&RENAME, parsed, |session, ((), operands)| {
        let store = session.databases.store_at(&operands[0])?;
        let to = Edit::Rename(Path::new(&operands[2]));
        Ok(store.edit(Path::new(&operands[1]), &to, &|| true)?)
    })
}

pub(super) fn delete(words: Vec<OsString>) -> ExitCode {
    let parsed = operands(&DELETE, words, "STORE NAME...", |count| count > 1);
    with_databases(&DELETE, parsed, |session, ((), operands)| {
        let store = session.databases.store_at(&operands[0])?;
        let delete = |name: &String| store.edit(Path::new(name), &Edit::Delete, &|| true);
        Ok(operands[1..].iter().try_for_each(delete)?)
    })
}

pub(super) fn tune(words: Vec<OsString>) -> ExitCode {
    let parsed = operands(&TUNE, words, "STORE NAME SOURCE", |count| count == 3);
    with_databases(&TUNE, parsed, |session, (limits, operands)| {
        tune_source(session, limits, &operands[0], &operands[1], &operands[2])
    })
}

/// The values of the options, and the operands as text.
fn operands<T: Default>(
    line: &CommandLine<T>,
    words: Vec<OsString>,
    expected: &'static str,
    fits: impl Fn(usize) -> bool,
) -> Result<Option<(T, Vec<String>)>, Misuse> {
    let Some((set, operands)) = line.read(words)? else { return Ok(None) };
    match fits(operands.len()) {
        true => Ok(Some((set, texts(operands)?))),
        false => Err(Misuse::operands(expected)),
    }
}

fn tune_source(
    session: &mut Session,
    limits: &Limits,
    root: &str,
    name: &str,
    source: &str,
) -> Result<(), Failure> {
    let store = session.databases.store_at(root)?;
    let outline = store.outline(Path::new(name))?;
    let before = as_it_is(&outline.definition, source)
        .ok_or_else(|| Failure::misuse(format!("{name}: it has no data source {source}")))?;
    let tuning = SourceTuning {
        heartbeat_seconds: limits.heartbeat_seconds.unwrap_or(before.heartbeat_seconds),
        minimum: limits.minimum.unwrap_or(before.minimum),
        maximum: limits.maximum.unwrap_or(before.maximum),
        ..before
    };
    Ok(store.edit(Path::new(name), &Edit::Source(&tuning), &|| true)?)
}

/// The present settings of a data source, as a tuning that changes nothing.
fn as_it_is(definition: &Definition, name: &str) -> Option<SourceTuning> {
    let nth = definition.sources.iter().position(|source| source.name == name)?;
    let source = &definition.sources[nth];
    Some(SourceTuning {
        source: nth as u32,
        heartbeat_seconds: source.heartbeat_seconds,
        minimum: source.minimum,
        maximum: source.maximum,
    })
}
