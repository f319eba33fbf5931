//! `gyre store salvage`: makes a damaged store or a daemon's journal open again, without the
//! damaged parts.

mod wanted;
mod journal;

use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use files::cache::JournalSalvage;
use ring::{GivenUp, Salvage, Salvaged};
use ring::{RingOptions, RingStore};
use serde_json::{Value, json};
use store::Damage;

use super::with_place;
use crate::command_line::with_databases;
use options::Misuse;
use rrdtool::{Failure, Session, expect_store};
pub(super) use wanted::LINE;
use wanted::{Wanted, nothing_written};

/// The most names that are listed of databases that lose more.
const NAMES_SHOWN: usize = 20;

pub(super) fn main(words: Vec<OsString>) -> ExitCode {
    with_databases(&LINE, parse(words), run)
}

fn parse(words: Vec<OsString>) -> Result<Option<Wanted>, Misuse> {
    let found = with_place(&LINE, words, "STORE or JOURNAL")?;
    Ok(found.map(|(wanted, root)| Wanted { root, ..wanted }))
}

fn run(session: &mut Session, wanted: &Wanted) -> Result<(), Failure> {
    let root = wanted.root.as_str();
    if JournalSalvage::is_at(Path::new(root)) {
        return journal::run(session, wanted);
    }
    if Path::new(root).is_dir() && !RingStore::is_at(Path::new(root)) {
        return Err(Failure::misuse(format!(
            "{root}: expected a ring store (with a file gyre-store) or the journal of a daemon (with a \
             file journal.lock), found neither"
        )));
    }
    expect_store(Path::new(root))?;
    let salvage = Salvage::try_out(Path::new(root), RingOptions::default());
    let salvage = salvage.map_err(Failure::at(root))?;
    let found = salvage.found().clone();
    let is_sound = found.given_up.is_empty() && found.mended.is_empty();
    let mut told = Told { root, found: &found, written: false, aside: None };
    if wanted.yes && !is_sound {
        let aside = wanted.place_of(Path::new(root));
        salvage.write(&aside).map_err(Failure::at(root))?;
        (told.written, told.aside) = (true, Some(aside));
    }
    session.out.extend(match wanted.as_json {
        true => format!("{:#}\n", told.json()).into_bytes(),
        false => told.text(),
    });
    match (is_sound || told.written, found.remaining.len()) {
        (true, 0) => Ok(()),
        (true, places) => {
            Err(Failure::misuse(format!("{root}: {places} places are damaged still")))
        }
        (false, _) => Err(nothing_written(root)),
    }
}

/// The findings to report.
struct Told<'a> {
    root: &'a str,
    found: &'a Salvaged,
    written: bool,
    aside: Option<PathBuf>,
}

impl Told<'_> {
    fn text(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let _ = self.write(&mut out); // a Vec takes everything
        out
    }

    fn write(&self, out: &mut Vec<u8>) -> std::io::Result<()> {
        let Self { root, found, written, .. } = self;
        for mended in &found.mended {
            writeln!(out, "mended    {mended}")?;
        }
        for given_up in &found.given_up {
            write_given_up(out, given_up)?;
        }
        for damage in &found.remaining {
            writeln!(out, "damaged   {damage}")?;
        }
        let (databases, lost) = (found.databases, lost_databases(found));
        if found.given_up.is_empty() && found.mended.is_empty() {
            return writeln!(out, "{root}: nothing is to be salvaged; {databases} databases");
        }
        let (is, are) = if *written { ("is", "are") } else { ("would be", "would be") };
        writeln!(
            out,
            "{root}: {} places {are} given up, {} mended; {lost} databases {are} gone, {databases} {is} \
             there",
            found.given_up.len(),
            found.mended.len()
        )?;
        if let Some(aside) = &self.aside {
            writeln!(out, "{root}: the damaged files lie, as they were, in {}", aside.display())?;
        }
        Ok(())
    }

    fn json(&self) -> Value {
        let Self { root, found, written, aside } = self;
        let given_up = |each: &GivenUp| {
            let mut value = as_value(&each.damage);
            value["databases"] = json!(each.databases);
            value["databases_gone"] = json!(each.whole);
            value
        };
        json!({
            "store": root,
            "written": written,
            "aside": aside.as_ref().map(|aside| aside.to_string_lossy()),
            "given_up": found.given_up.iter().map(given_up).collect::<Vec<_>>(),
            "mended": found.mended.iter().map(as_value).collect::<Vec<_>>(),
            "damage": found.remaining.iter().map(as_value).collect::<Vec<_>>(),
            "databases": found.databases,
            "databases_gone": lost_databases(found),
        })
    }
}

fn as_value(damage: &Damage) -> Value {
    json!({ "file": damage.file, "offset_bytes": damage.offset_bytes, "what": damage.what })
}

fn lost_databases(found: &Salvaged) -> usize {
    found.given_up.iter().filter(|each| each.whole).map(|each| each.databases.len()).sum()
}

fn write_given_up(out: &mut Vec<u8>, given_up: &GivenUp) -> std::io::Result<()> {
    writeln!(out, "given up  {}", given_up.damage)?;
    for name in given_up.databases.iter().take(NAMES_SHOWN) {
        writeln!(out, "          {name}")?;
    }
    match given_up.databases.len().saturating_sub(NAMES_SHOWN) {
        0 => Ok(()),
        more => writeln!(out, "          and {more} more (--json has all)"),
    }
}
