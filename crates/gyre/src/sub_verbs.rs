//! Verbs below a verb: `gyre store create`, `gyre sql feed`.

use std::ffi::OsString;
use std::process::ExitCode;

use options::{Described, HELP, help};

use crate::command_line::{MISUSE, show};

/// Columns of the list of verbs.
const WIDTH: usize = 92;

/// A verb below another.
pub(crate) struct SubVerb {
    pub(crate) name: &'static str,
    pub(crate) described: fn() -> Described,
    pub(crate) main: fn(Vec<OsString>) -> ExitCode,
}

/// The verbs below one.
pub(crate) struct SubVerbs {
    /// What is typed before them.
    pub(crate) called: &'static str,
    /// What they are about.
    pub(crate) about: &'static str,
    pub(crate) verbs: &'static [SubVerb],
}

impl SubVerbs {
    /// Runs the verb that the first word names.
    pub(crate) fn run(&self, words: impl IntoIterator<Item = OsString>) -> ExitCode {
        let mut words = words.into_iter();
        let name = words.next().map(|name| name.to_string_lossy().into_owned());
        let found = self.verbs.iter().find(|verb| Some(verb.name) == name.as_deref());
        match (found, name.as_deref()) {
            (Some(verb), _) => (verb.main)(words.collect()),
            (None, Some("--help" | "-h" | "help")) => show(self.called, &self.overview()),
            (None, found) => {
                let names: Vec<&str> = self.verbs.iter().map(|verb| verb.name).collect();
                let (expected, found) = (names.join(", "), found.unwrap_or("nothing"));
                let called = self.called;
                rrdtool::complain!("{called}: expected one of {expected}, found {found}\n");
                rrdtool::complain!("{}", self.overview().trim_end());
                ExitCode::from(MISUSE)
            }
        }
    }

    /// The commands, for their page and for completions: first the verb above them.
    pub(crate) fn described(&self) -> Vec<Described> {
        let mut all = vec![Described::plain(self.called, "VERB ...", self.about, &[HELP])];
        all.extend(self.verbs.iter().map(|verb| (verb.described)()));
        all
    }

    fn overview(&self) -> String {
        let Self { called, about, verbs } = self;
        let mut text = format!("usage: {called} VERB ...\n\n{about}\n\n");
        for SubVerb { name, described, .. } in *verbs {
            text += &format!("  {name:<14}");
            help::wrap(&mut text, &described().summary, WIDTH, 16);
        }
        text + &format!("\n`{called} VERB --help` tells more.\n")
    }
}
