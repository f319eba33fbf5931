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
        let mut line = format!("  {:<12}", verb.name);
        wrap(&mut line, verb.summary, WIDTH, 14);
        out.extend_from_slice(line.as_bytes());
    }
    let _ = writeln!(out, "\nNot yet: {}", NOT_YET.join(", "));
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
    for rule in verb.options {
        let short = rule.short.map_or("    ".to_owned(), |letter| format!("-{letter}, "));
        let value = rule.value.map(|value| format!(" {value}")).unwrap_or_default();
        let head = format!("  {short}--{}{value}", rule.long);
        text += &format!("{head:<INDENT$}");
        if head.chars().count() + 2 > INDENT {
            text += &format!("\n{:INDENT$}", "");
        }
        wrap(&mut text, rule.help, WIDTH, INDENT);
    }
    out.extend_from_slice(text.as_bytes());
    out.push(b'\n');
}

/// Appends words in lines of at most `width` columns; the first goes on where the text ends, which is
/// column `indent`, and the others begin there.
pub fn wrap(text: &mut String, words: &str, width: usize, indent: usize) {
    let mut column = indent;
    for (nth, word) in words.split_whitespace().enumerate() {
        let length = word.chars().count();
        if nth > 0 && column + 1 + length > width {
            text.push('\n');
            text.extend(std::iter::repeat_n(' ', indent));
            column = indent;
        } else if nth > 0 {
            text.push(' ');
            column += 1;
        }
        text.push_str(word);
        column += length;
    }
    text.push('\n');
}
