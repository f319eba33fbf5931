//! Completions of shells: the verbs, and the options of each.
//!
//! They are scripts that ask no program: everything is in them.

mod value;
mod bash;
mod zsh;
mod fish;

use options::Described;

pub use bash::bash;
pub use fish::fish;
pub use zsh::zsh;

/// The commands of a program.
#[derive(Clone, Debug)]
pub struct Commands {
    /// The program.
    pub program: &'static str,
    /// The verbs of the first level, with a line about each.
    pub verbs: Vec<(&'static str, &'static str)>,
    /// All commands, those below others included.
    pub all: Vec<Described>,
}

impl Commands {
    /// The commands below one that is called so: their last words and what they do. A verb without
    /// any may have operands that are words, as `completions bash|zsh|fish` has.
    fn below(&self, verb: &str) -> Vec<(&str, String)> {
        let found: Vec<(&str, String)> = self
            .all
            .iter()
            .filter_map(|it| {
                let word = it.verb().strip_prefix(verb)?.strip_prefix(' ')?;
                Some((word, crate::text::first_sentence(&it.summary)))
            })
            .collect();
        if !found.is_empty() {
            return found;
        }
        let command = self.all.iter().find(|command| command.verb() == verb);
        let operands = command.and_then(|it| it.synopsis.rsplit(' ').next()).unwrap_or_default();
        let words: Vec<&str> = operands.split('|').collect();
        let is_word = |word: &&str| word.bytes().all(|byte| byte.is_ascii_lowercase());
        match words.len() > 1 && words.iter().all(is_word) {
            true => words.into_iter().map(|word| (word, String::new())).collect(),
            false => Vec::new(),
        }
    }
}
