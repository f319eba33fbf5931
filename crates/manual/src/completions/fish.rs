//! Completion for fish.

use std::fmt::Write as _;

use options::{Described, Naming};

use super::Commands;
use super::value::{Offer, offer};
use crate::text::{first_sentence, shortened};

/// The longest description.
const LETTERS_MAX: usize = 72;

/// The script.
#[must_use]
pub fn fish(commands: &Commands) -> String {
    let program = commands.program;
    let mut out = format!(
        "# Completion of {program} for fish, made by `{program} completions fish`.\n\n\
         # Whether the words before the cursor, options left out, begin with these.\n\
         function __{program}_at\n    set -l typed (commandline -opc)[2..-1]\n    \
         set -l typed (string match -v -- '-*' $typed)\n    \
         test (count $typed) -ge (count $argv); or return 1\n    \
         test (count $argv) -eq 0; and return 0\n    \
         set -l head $typed[1..(count $argv)]\n    test \"$head\" = \"$argv\"\nend\n\n\
         # Whether nothing but these words is there.\n\
         function __{program}_only\n    set -l typed (commandline -opc)[2..-1]\n    \
         set -l typed (string match -v -- '-*' $typed)\n    \
         test \"$typed\" = \"$argv\"\nend\n\n"
    );
    for (name, brief) in &commands.verbs {
        put_verb(&mut out, program, "", name, brief);
    }
    for (verb, _) in &commands.verbs {
        for (name, summary) in commands.below(verb) {
            put_verb(&mut out, program, verb, name, &summary);
        }
    }
    for command in &commands.all {
        for option in &command.options {
            put_option(&mut out, program, command, option);
        }
    }
    out
}

fn put_verb(out: &mut String, program: &str, below: &str, name: &str, words: &str) {
    let words = quoted(&shortened(words, LETTERS_MAX));
    let condition = quoted(format!("__{program}_only {below}").trim_end());
    // A String takes everything, here and below.
    let no_files = if below.is_empty() { " -f" } else { "" };
    let _ = writeln!(out, "complete -c {program}{no_files} -n {condition} -a '{name}' -d {words}");
}

fn put_option(out: &mut String, program: &str, command: &Described, option: &Naming) {
    let Naming { long, short, value, help } = option;
    let condition = quoted(&format!("__{program}_at {}", command.verb()));
    let letter = short.map(|letter| format!(" -s {letter}")).unwrap_or_default();
    let value = value.map(|value| match offer(value) {
        Offer::Words(words) => format!(" -x -a {}", quoted(&words.join(" "))),
        Offer::Files => " -r -F".to_owned(),
        Offer::Directories => " -x -a '(__fish_complete_directories)'".to_owned(),
        Offer::Nothing => " -x".to_owned(),
    });
    let value = value.unwrap_or_default();
    let words = quoted(&shortened(&first_sentence(help), LETTERS_MAX));
    let _ =
        writeln!(out, "complete -c {program} -n {condition}{letter} -l {long}{value} -d {words}");
}

/// A word in single quotes, within which fish knows two escapes.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}
