//! `gyre verify`: reads a whole ring store and names what is damaged.

use std::ffi::OsString;
use std::io::Write as _;
use std::process::ExitCode;

use figures::size;
use serde_json::{Value, json};
use store::{Damage, Verified};

use super::with_place;
use crate::command_line::with_databases;
use crate::progress::Progress;
use options::{CommandLine, Misuse, switch};
use rrdtool::{Failure, Session};

const LINE: CommandLine<Wanted> = CommandLine {
    synopsis: "gyre verify [--json] STORE",
    summary: "Read a whole ring store and report damage with file and offset; fails if there is \
              any.",
    options: &[switch("--json", "print the result as JSON", |it| it.as_json = true)],
    notes: "",
};

#[derive(Default)]
struct Wanted {
    as_json: bool,
    root: String,
}

/// The command, for its page.
pub(crate) fn described() -> Vec<options::Described> {
    vec![LINE.described()]
}

/// `gyre verify …`.
pub(crate) fn main(words: impl IntoIterator<Item = OsString>) -> ExitCode {
    with_databases(&LINE, parse(words), run)
}

fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Option<Wanted>, Misuse> {
    let found = with_place(&LINE, words, "STORE")?;
    Ok(found.map(|(wanted, root)| Wanted { root, ..wanted }))
}

fn run(session: &mut Session, wanted: &Wanted) -> Result<(), Failure> {
    let Wanted { as_json, root } = wanted;
    // The error of a store that cannot be opened names its path.
    let store = session.databases.inspected(root)?;
    let mut progress = Progress::new("KiB");
    let mut show = |done: u64, all: u64| progress.show((done >> 10) as usize, (all >> 10) as usize);
    let verified = store.verify(&mut show).map_err(Failure::at(root))?;
    drop(progress);
    let told = match as_json {
        true => format!("{:#}\n", as_value(root, &verified)).into_bytes(),
        false => text(root, &verified),
    };
    session.out.extend(told);
    match verified.damage.len() {
        0 => Ok(()),
        1 => Err(Failure::misuse(format!("{root}: one place is damaged"))),
        places => Err(Failure::misuse(format!("{root}: {places} places are damaged"))),
    }
}

fn text(root: &str, verified: &Verified) -> Vec<u8> {
    let mut out = Vec::new();
    // Writing to a Vec cannot fail.
    for damage in &verified.damage {
        let _ = writeln!(out, "{damage}");
    }
    let (bytes, tiles) = (size(verified.bytes), verified.tiles);
    let verdict = if verified.damage.is_empty() { "sound" } else { "damaged" };
    let _ = writeln!(out, "{root}: {verdict}; {bytes} read, {tiles} tiles in use");
    out
}

fn as_value(root: &str, verified: &Verified) -> Value {
    let damage = |each: &Damage| json!({ "file": each.file, "offset_bytes": each.offset_bytes, "what": each.what });
    json!({
        "store": root,
        "sound": verified.damage.is_empty(),
        "bytes": verified.bytes,
        "tiles": verified.tiles,
        "damage": verified.damage.iter().map(damage).collect::<Vec<_>>(),
    })
}
