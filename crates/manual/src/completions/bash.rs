//! Completion for bash, which needs no package besides bash.

use std::fmt::Write as _;

use options::Described;

use super::Commands;
use super::value::{Offer, offer};

/// The script.
#[must_use]
pub fn bash(commands: &Commands) -> String {
    let program = commands.program;
    let verbs: Vec<&str> = commands.verbs.iter().map(|(name, _)| *name).collect();
    let mut verbs_below = String::new();
    let mut options = String::new();
    let mut values = String::new();
    for (verb, _) in &commands.verbs {
        let below: Vec<&str> = commands.below(verb).into_iter().map(|(name, _)| name).collect();
        if !below.is_empty() {
            // A String takes everything, here and below.
            let _ = writeln!(verbs_below, "    '{verb}') words='{}' ;;", below.join(" "));
        }
    }
    for command in &commands.all {
        let _ = writeln!(options, "    '{}') words='{}' ;;", command.verb(), names(command));
        put_values(&mut values, command);
    }
    format!(
        "# Completion of {program} for bash, made by `{program} completions bash`.\n\n\
         # Sets `words` to the verbs below a verb.\n\
         _{program}_verbs() {{\n  words=\n  case \"$1\" in\n    '') words='{}' ;;\n{verbs_below}  esac\n}}\n\n\
         # Sets `words` to the options of a command.\n\
         _{program}_options() {{\n  words='--help'\n  case \"$1\" in\n{options}  esac\n}}\n\n\
         # Sets `kind` and `words` to what the value of an option of a command can be.\n\
         _{program}_values() {{\n  kind= words=\n  case \"$1 $2\" in\n{values}  esac\n}}\n\n{}",
        verbs.join(" "),
        MAIN.replace("PROGRAM", program)
    )
}

/// The options of a command: long names, and letters.
fn names(command: &Described) -> String {
    let longs = command.options.iter().map(|option| format!("--{}", option.long));
    let letters = command.options.iter().filter_map(|option| option.short);
    longs.chain(letters.map(|letter| format!("-{letter}"))).collect::<Vec<_>>().join(" ")
}

fn put_values(out: &mut String, command: &Described) {
    for option in &command.options {
        let Some(value) = option.value else { continue };
        let verb = command.verb();
        let letter = option.short.map(|letter| format!("|'{verb} -{letter}'")).unwrap_or_default();
        let told = match offer(value) {
            Offer::Words(words) => format!("kind=words words='{}'", words.join(" ")),
            Offer::Files => "kind=files".to_owned(),
            Offer::Directories => "kind=directories".to_owned(),
            Offer::Nothing => "kind=other".to_owned(),
        };
        let _ = writeln!(out, "    '{verb} --{}'{letter}) {told} ;;", option.long);
    }
}

const MAIN: &str = r#"_PROGRAM() {
  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
  local verb= words= kind= at
  COMPREPLY=()
  # The verb, and the one below it, are the words that the lists have.
  for ((at = 1; at < COMP_CWORD; at++)); do
    _PROGRAM_verbs "$verb"
    [[ " $words " == *" ${COMP_WORDS[at]} "* ]] || break
    verb="${verb:+$verb }${COMP_WORDS[at]}"
  done
  # bash makes a word of the equals sign: --option = value.
  if [[ $current == '=' ]]; then
    current=
  elif [[ $before == '=' ]]; then
    before=${COMP_WORDS[COMP_CWORD-2]}
  fi
  _PROGRAM_values "$verb" "$before"
  if [[ -z $kind && $current == -* ]]; then
    _PROGRAM_options "$verb"
    kind=words
  elif [[ -z $kind ]]; then
    _PROGRAM_verbs "$verb"
    [[ -n $words ]] && kind=words
  fi
  case "$kind" in
    words) mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current") ;;
    directories) mapfile -t COMPREPLY < <(compgen -d -- "$current") ;;
    other) ;;
    *) mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
  esac
  # A verb that has verbs below it may take a file in their place.
  if [[ $kind == words && ${#COMPREPLY[@]} -eq 0 && $current != -* && -n $verb ]]; then
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  fi
} && complete -o filenames -F _PROGRAM PROGRAM
"#;
