//! `gyre verify`: reads a whole ring store and names what is damaged.

use std::io::Write as _;

use serde_json::{Value, json};
use store::{Damage, Verified};

use crate::progress::Progress;
use options::{OptionRule, Options};
use rrdtool::{Failure, Session, Verb};

pub(super) const VERB: Verb = Verb {
    name: "verify",
    summary: "Read a whole ring store and name what is damaged, with file and offset; fails if anything is",
    operands: "STORE",
    options: &[OptionRule {
        long: "json",
        short: None,
        value: None,
        help: "what was found, as JSON",
    }],
    run,
};

fn run(session: &mut Session, words: &[&str]) -> Result<(), Failure> {
    let mut as_json = false;
    let mut options = Options::new(VERB.options, words);
    while options.next_option()?.is_some() {
        as_json = true;
    }
    let [root] = options.operands()[..] else {
        return Err(Failure::usage("usage: gyre verify [--json] STORE"));
    };
    // What keeps a store from opening names its own place.
    let store = session.databases.inspected(root)?;
    let mut progress = Progress::new("kB");
    let mut show =
        |done: u64, all: u64| progress.show((done / 1000) as usize, (all / 1000) as usize);
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
    // A Vec takes everything.
    for damage in &verified.damage {
        let _ = writeln!(out, "{damage}");
    }
    let (megabytes, tiles) = (verified.bytes as f64 / 1e6, verified.tiles);
    let verdict = if verified.damage.is_empty() { "sound" } else { "damaged" };
    let _ = writeln!(out, "{root}: {verdict}; {megabytes:.1} MB read, {tiles} tiles in use");
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
