//! `gyre store list`, `rename`, `delete`, `tune`.

use std::io::Write as _;
use std::path::Path;

use rrd::Definition;
use store::{Edit, NamePattern, SourceTuning};

use options::{OptionRule, Options};
use rrdtool::{Failure, Session, Verb};

pub(super) const LIST: Verb = Verb {
    name: "store list",
    summary: "Print the names of databases, in order",
    operands: "STORE [PREFIX|PATTERN]",
    options: &[],
    run: list,
};

pub(super) const RENAME: Verb = Verb {
    name: "store rename",
    summary: "Give a database another name",
    operands: "STORE FROM TO",
    options: &[],
    run: rename,
};

pub(super) const DELETE: Verb = Verb {
    name: "store delete",
    summary: "Take databases away",
    operands: "STORE NAME ...",
    options: &[],
    run: delete,
};

pub(super) const TUNE: Verb = Verb {
    name: "store tune",
    summary: "Change heartbeat and limits of a data source, from the next update on",
    operands: "STORE NAME SOURCE",
    options: &[
        OptionRule {
            long: "heartbeat",
            short: None,
            value: Some("SECONDS"),
            help: "the longest silence before its value becomes unknown",
        },
        OptionRule {
            long: "minimum",
            short: None,
            value: Some("RATE|U"),
            help: "the lowest rate believed, U for no limit",
        },
        OptionRule {
            long: "maximum",
            short: None,
            value: Some("RATE|U"),
            help: "the highest rate believed, U for no limit",
        },
    ],
    run: tune,
};

fn list(session: &mut Session, words: &[&str]) -> Result<(), Failure> {
    let (root, wanted) = match operands(&LIST, words)?[..] {
        [root] => (root, ""),
        [root, wanted] => (root, wanted),
        _ => return Err(usage(&LIST)),
    };
    for name in session.databases.store_at(root)?.names_like(&NamePattern::meant(wanted))? {
        let _ = writeln!(session.out, "{name}"); // a Vec takes everything
    }
    Ok(())
}

fn rename(session: &mut Session, words: &[&str]) -> Result<(), Failure> {
    let [root, from, to] = operands(&RENAME, words)?[..] else { return Err(usage(&RENAME)) };
    let store = session.databases.store_at(root)?;
    Ok(store.edit(Path::new(from), &Edit::Rename(Path::new(to)), &|| true)?)
}

fn delete(session: &mut Session, words: &[&str]) -> Result<(), Failure> {
    let operands = operands(&DELETE, words)?;
    let [root, names @ ..] = &operands[..] else { return Err(usage(&DELETE)) };
    if names.is_empty() {
        return Err(usage(&DELETE));
    }
    let store = session.databases.store_at(root)?;
    let delete = |name: &&str| store.edit(Path::new(name), &Edit::Delete, &|| true);
    Ok(names.iter().try_for_each(delete)?)
}

fn tune(session: &mut Session, words: &[&str]) -> Result<(), Failure> {
    let mut options = Options::new(TUNE.options, words);
    let mut changes = Vec::new();
    while let Some(change) = options.next_option()? {
        changes.push(change);
    }
    let [root, name, source] = options.operands()[..] else { return Err(usage(&TUNE)) };
    let store = session.databases.store_at(root)?;
    let outline = store.outline(Path::new(name))?;
    let mut tuning = as_it_is(&outline.definition, source)
        .ok_or_else(|| Failure::misuse(format!("{name}: it has no data source {source}")))?;
    for (option, value) in changes {
        let wrong = || Failure::misuse(format!("--{option}: expected a number, found {value}"));
        match option {
            "heartbeat" => tuning.heartbeat_seconds = value.parse().map_err(|_| wrong())?,
            "minimum" => tuning.minimum = limit(value).ok_or_else(wrong)?,
            _ => tuning.maximum = limit(value).ok_or_else(wrong)?,
        }
    }
    Ok(store.edit(Path::new(name), &Edit::Source(&tuning), &|| true)?)
}

/// The tuning that changes nothing.
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

fn limit(text: &str) -> Option<f64> {
    match text {
        "U" => Some(f64::NAN),
        number => number.parse().ok().filter(|number: &f64| number.is_finite()),
    }
}

/// The operands of a verb without options.
fn operands<'a>(verb: &'static Verb, words: &'a [&'a str]) -> Result<Vec<&'a str>, Failure> {
    let mut options = Options::new(verb.options, words);
    while options.next_option()?.is_some() {}
    Ok(options.operands())
}

fn usage(verb: &Verb) -> Failure {
    Failure::usage(format!("usage: gyre {} {}", verb.name, verb.operands))
}
