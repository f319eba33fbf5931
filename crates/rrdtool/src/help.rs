//! Help, made from the tables of verbs and options.

use std::io::Write as _;

use options::help::{Columns, append_options, wrap};

use crate::verb::Verb;
use crate::verbs::VERBS;

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
        let mut line = format!("  {:<12}", verb.name);
        wrap(&mut line, verb.summary, WIDTH, 14);
        out.extend_from_slice(line.as_bytes());
    }
    out.push(b'\n');
    if is_pipe {
        let _ = writeln!(out, "In this mode also: quit, ls, cd DIRECTORY, mkdir DIRECTORY, pwd");
    }
    let _ = writeln!(out);
}

/// Columns of the help.
const WIDTH: usize = 100;
/// Column in which the words on an option begin.
const INDENT: usize = 34;

/// Everything about one verb.
pub(crate) fn verb(out: &mut Vec<u8>, program: &str, verb: &Verb) {
    let mut text = String::new();
    wrap(&mut text, verb.summary, WIDTH, 0);
    text += "\nUsage: ";
    let usage = format!("{program} {} [OPTIONS] {}", verb.name, verb.operands);
    wrap(&mut text, &usage, WIDTH, "Usage: ".len());
    text.push('\n');
    append_options(&mut text, verb.options, Columns { indent: INDENT, width: WIDTH });
    out.extend_from_slice(text.as_bytes());
    out.push(b'\n');
}
