//! The verbs that look at a whole ring store, or change what one file of a directory would be changed
//! by with `mv`, `rm` and `rrdtool tune`.

mod inspect;
mod figures;
mod verify;
mod life;
mod create;
mod salvage;
mod journal_salvage;

use std::ffi::OsString;
use std::process::ExitCode;

use crate::command_line::show;
use rrdtool::Verb;

/// `gyre store …`: what each is called, and what does it.
const LIFE: [(&str, &Verb); 6] = [
    ("create", &create::VERB),
    ("list", &life::LIST),
    ("rename", &life::RENAME),
    ("delete", &life::DELETE),
    ("tune", &life::TUNE),
    ("salvage", &salvage::VERB),
];

/// `gyre inspect …`.
pub(crate) fn inspect(words: impl IntoIterator<Item = OsString>) -> ExitCode {
    perform(&inspect::VERB, words)
}

/// `gyre verify …`.
pub(crate) fn verify(words: impl IntoIterator<Item = OsString>) -> ExitCode {
    perform(&verify::VERB, words)
}

/// `gyre store create|list|rename|delete|tune|salvage …`.
pub(crate) fn store(words: impl IntoIterator<Item = OsString>) -> ExitCode {
    let mut words = words.into_iter();
    let name = words.next().map(|name| name.to_string_lossy().into_owned());
    let found = LIFE.iter().find(|(verb, _)| Some(*verb) == name.as_deref());
    match (found, name.as_deref()) {
        (Some((_, verb)), _) => perform(verb, words),
        (None, Some("--help" | "-h" | "help")) => show("gyre store", &overview()),
        (None, found) => {
            let expected = LIFE.map(|(verb, _)| verb).join(", ");
            let found = found.unwrap_or("nothing");
            rrdtool::complain!("gyre store: expected one of {expected}, found {found}\n");
            rrdtool::complain!("{}", overview().trim_end());
            ExitCode::from(2)
        }
    }
}

fn overview() -> String {
    let mut text = "usage: gyre store VERB ...\n\nDatabases of a ring store.\n\n".to_owned();
    for (_, verb) in LIFE {
        text += &format!("  {:<14}{}\n", verb.name, verb.summary);
    }
    text + "\n`gyre store VERB --help` tells more.\n"
}

/// Does a verb, under gyre's own name.
fn perform(verb: &'static Verb, words: impl IntoIterator<Item = OsString>) -> ExitCode {
    let words: Vec<OsString> = words.into_iter().collect();
    match words.iter().map(|word| word.to_str()).collect::<Option<Vec<&str>>>() {
        Some(words) => rrdtool::program::own(verb, &words),
        None => {
            rrdtool::complain!("ERROR: expected UTF-8");
            ExitCode::FAILURE
        }
    }
}
