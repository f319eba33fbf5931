//! Completion for zsh: a function `_gyre`, as zsh's own files have them.

use std::fmt::Write as _;

use options::{Described, Naming};

use super::Commands;
use super::value::{Offer, offer};
use crate::text::{first_sentence, shortened};

/// The longest description.
const LETTERS_MAX: usize = 72;

/// The script.
#[must_use]
pub fn zsh(commands: &Commands) -> String {
    let program = commands.program;
    let mut out = format!(
        "#compdef {program}\n# Completion of {program} for zsh, made by `{program} completions \
         zsh`.\n\n_{program}() {{\n  local line state verb\n  local -a verbs\n  \
         _arguments -C '(-h --help){{-h,--help}}' '1: :->verb' '*:: :->words' && return\n  \
         case $state in\n  verb)\n    verbs=(\n",
    )
    .replace("'(-h --help){-h,--help}'", "'(-h --help)'{-h,--help}'[list the verbs]'");
    for (name, brief) in &commands.verbs {
        let _ = writeln!(out, "      {}", quoted(&format!("{name}:{brief}")));
    }
    let _ = write!(out, "    )\n    _describe verb verbs ;;\n  words)\n    case $line[1] in\n");
    for (verb, _) in &commands.verbs {
        let _ = write!(out, "    {verb})\n{}      ;;\n", of_verb(commands, verb));
    }
    let _ = write!(out, "    *) _files ;;\n    esac ;;\n  esac\n}}\n\n_{program} \"$@\"\n");
    out
}

/// What follows a verb: verbs below it, or its own options.
fn of_verb(commands: &Commands, verb: &str) -> String {
    let find = |called: &str| commands.all.iter().find(|command| command.verb() == called);
    let below = commands.below(verb);
    let mut out = String::new();
    if !below.is_empty() {
        // A String takes everything, here and below.
        let _ = writeln!(out, "      verbs=(");
        for (name, summary) in &below {
            let words = shortened(summary, LETTERS_MAX);
            let _ = writeln!(out, "        {}", quoted(&format!("{name}:{words}")));
        }
        out.push_str("      )\n      (( CURRENT == 2 )) && _describe verb verbs\n");
        out.push_str("      case $words[2] in\n");
        for (name, _) in &below {
            if let Some(command) = find(&format!("{verb} {name}")) {
                let _ = write!(out, "      {name})\n        shift words; (( CURRENT-- ))\n");
                let _ = writeln!(out, "        {}\n        return ;;", arguments(command));
            }
        }
        out.push_str("      esac\n");
    }
    let command = find(verb);
    let _ = writeln!(out, "      {}", command.map_or("_files".to_owned(), arguments));
    out
}

fn arguments(command: &Described) -> String {
    let mut specs: Vec<String> = command.options.iter().map(spec).collect();
    specs.push("'*: :_files'".to_owned());
    format!("_arguments -s {}", specs.join(" \\\n          "))
}

fn spec(Naming { long, short, value, help }: &Naming) -> String {
    let words = shortened(&first_sentence(help), LETTERS_MAX);
    let escape = |text: &str| text.replace('\\', "\\\\").replace([':', '[', ']'], " ");
    let told = format!("[{}]", escape(&words));
    let action = value.map(|value| match offer(value) {
        Offer::Words(words) => format!(": :({})", words.join(" ")),
        Offer::Files => ": :_files".to_owned(),
        Offer::Directories => ": :_files -/".to_owned(),
        Offer::Nothing => format!(":{}: ", escape(value)),
    });
    let action = action.unwrap_or_default();
    // `+`: the value follows a letter at once or as the next word; `=`: the same of a name.
    let (after_letter, after_name) = if value.is_some() { ("+", "=") } else { ("", "") };
    match short {
        Some(letter) => format!(
            "'*'{{-{letter}{after_letter},--{long}{after_name}}}{}",
            quoted(&format!("{told}{action}"))
        ),
        None => quoted(&format!("*--{long}{after_name}{told}{action}")),
    }
}

/// A word in single quotes.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}
