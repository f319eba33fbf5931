//! `gyre completions`: what shells need to complete its verbs and options.

use std::ffi::OsString;
use std::process::ExitCode;

use manual::completions::{Commands, bash, fish, zsh};
use options::{CommandLine, Described, Misuse, texts};

use crate::command_line::{answer, ended, understood};
use crate::verb::Verb;

const LINE: CommandLine<()> = CommandLine {
    synopsis: "gyre completions bash|zsh|fish",
    summary: "Prints a script that completes the verbs and options of gyre in a shell when Tab is \
              pressed. Where the script goes is below.",
    options: &[],
    notes: "\
examples:
  gyre completions bash > /usr/share/bash-completion/completions/gyre
  gyre completions zsh > /usr/share/zsh/vendor-completions/_gyre
  gyre completions fish > /usr/share/fish/vendor_completions.d/gyre.fish
  eval \"$(gyre completions bash)\"   # in this shell alone
",
};

type Script = fn(&Commands) -> String;

const SHELLS: [(&str, Script); 3] = [("bash", bash), ("zsh", zsh), ("fish", fish)];

/// The command, for its page.
pub(crate) fn described() -> Vec<Described> {
    vec![LINE.described()]
}

/// `gyre completions …`: of these verbs.
pub(crate) fn main(words: Vec<OsString>, verbs: impl Iterator<Item = &'static Verb>) -> ExitCode {
    match understood(&LINE, parse(words)) {
        Ok(script) => ended(&LINE, answer(&script(&commands(verbs)))),
        Err(code) => code,
    }
}

fn parse(words: Vec<OsString>) -> Result<Option<Script>, Misuse> {
    let expected = "bash, zsh or fish";
    let Some(((), operands)) = LINE.read(words)? else { return Ok(None) };
    let [shell] =
        <[String; 1]>::try_from(texts(operands)?).map_err(|_| Misuse::operands(expected))?;
    let found = SHELLS.iter().find(|(name, _)| *name == shell).map(|(_, script)| *script);
    found.map(Some).ok_or_else(|| Misuse::words(expected, shell))
}

/// The verbs of gyre and rrdtool.
fn commands(verbs: impl Iterator<Item = &'static Verb>) -> Commands {
    let mut commands = Commands { program: "gyre", verbs: Vec::new(), all: Vec::new() };
    for verb in verbs {
        commands.verbs.push((verb.name, verb.brief));
        for command in (verb.described)() {
            add(&mut commands.all, command);
        }
    }
    for verb in rrdtool::VERBS {
        if !commands.verbs.iter().any(|(name, _)| *name == verb.name) {
            commands.verbs.push((verb.name, verb.summary));
            commands.all.push(verb.described());
        }
    }
    commands.verbs.sort_unstable();
    commands
}

/// `restore` has two commands of one name: the options of both are completed.
fn add(all: &mut Vec<Described>, command: Described) {
    match all.iter_mut().find(|known| known.called == command.called) {
        Some(known) => {
            for option in command.options {
                if !known.options.iter().any(|it| it.long == option.long) {
                    known.options.push(option);
                }
            }
        }
        None => all.push(command),
    }
}
