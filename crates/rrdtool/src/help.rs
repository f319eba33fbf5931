//! Help, made from the tables of verbs and options.

use std::io::Write as _;

use crate::verb::{NOT_YET, VERBS, Verb};

/// What other programs read the version from: the second word of the first line. It names the
/// rrdtool whose behaviour is followed.
const COMPATIBLE_VERSION: &str = "RRDtool 1.7.2 compatible, answered by gyre";

/// The first line of all help under rrdtool's name.
pub(crate) fn banner(out: &mut Vec<u8>) {
    let version = env!("CARGO_PKG_VERSION");
    let _ = writeln!(out, "{COMPATIBLE_VERSION} {version}\n"); // a Vec takes everything
}

/// The list of verbs.
pub(crate) fn overview(out: &mut Vec<u8>, program: &str, is_pipe: bool) {
    let _ = writeln!(out, "Usage: {program} VERB [OPTIONS] ...\n");
    for verb in VERBS {
        let _ = writeln!(out, "  {:<12}{}", verb.name, verb.summary);
    }
    let _ = writeln!(out, "\nNot yet: {}", NOT_YET.join(", "));
    if is_pipe {
        let _ = writeln!(out, "In this mode also: quit, ls, cd DIRECTORY, mkdir DIRECTORY, pwd");
    }
    let _ = writeln!(out);
}

/// Everything about one verb.
pub(crate) fn verb(out: &mut Vec<u8>, program: &str, verb: &Verb) {
    let _ = writeln!(out, "{}\n", verb.summary);
    let _ = writeln!(out, "Usage: {program} {} [OPTIONS] {}\n", verb.name, verb.operands);
    for rule in verb.options {
        let short = rule.short.map_or("    ".to_owned(), |letter| format!("-{letter}, "));
        let value = rule.value.map(|value| format!(" {value}")).unwrap_or_default();
        let name = format!("{short}--{}{value}", rule.long);
        let _ = writeln!(out, "  {name:<32}{}", rule.help);
    }
    let _ = writeln!(out);
}
