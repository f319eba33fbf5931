//! A command as help, man pages and completions tell of it: words, and nothing that they set.

use crate::Naming;

/// The option that every command has.
pub const HELP: Naming = Naming { long: "help", short: Some('h'), value: None, help: "this text" };

/// A command and its options.
#[derive(Clone, Debug)]
pub struct Described {
    /// The words that call it, such as `gyre store list`.
    pub called: String,
    /// How it is called, with options and operands in capitals.
    pub synopsis: String,
    /// What it does: a paragraph, or several with an empty line between them.
    pub summary: String,
    /// Its options, `--help` included.
    pub options: Vec<Naming>,
    /// What stands behind the options in its help, line by line.
    pub notes: String,
}

impl Described {
    /// A command whose help has no text behind the options.
    #[must_use]
    pub fn plain(called: &str, operands: &str, summary: &str, options: &[Naming]) -> Self {
        let synopsis = format!("{called} [OPTIONS] {operands}");
        Self {
            called: called.to_owned(),
            synopsis: synopsis.trim_end().to_owned(),
            summary: summary.to_owned(),
            options: options.to_vec(),
            notes: String::new(),
        }
    }

    /// The words behind the program's name, such as `store list`.
    #[must_use]
    pub fn verb(&self) -> &str {
        self.called.split_once(' ').map_or("", |(_, verb)| verb)
    }
}
