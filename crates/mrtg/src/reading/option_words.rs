//! What the words of `Options[]` are for.

use super::keys::Use;
use crate::{Flag, Note, Options, Position};

/// The words that were told to change nothing.
#[derive(Default)]
pub(super) struct Told(Options);

impl Told {
    /// What is to be said of words that a target has.
    pub(super) fn notes(&mut self, words: Options, position: &Position) -> Vec<Note> {
        let mut notes = Vec::new();
        for (word, flag) in Flag::ALL {
            if words.has(flag) && !self.0.has(flag) {
                self.0 = self.0.with(flag);
                notes.extend(purpose(flag).note(&format!("Options: {word}"), position));
            }
        }
        notes
    }
}

const fn purpose(flag: Flag) -> Use {
    match flag {
        Flag::Absolute
        | Flag::Bits
        | Flag::Derive
        | Flag::Gauge
        // Graphs always do.
        | Flag::Growright
        | Flag::Integer
        | Flag::Logscale
        | Flag::Noi
        | Flag::Noo
        | Flag::Perhour
        | Flag::Perminute
        | Flag::Unknaszero => Use::Used,
        Flag::Nopercent
        | Flag::Avgpeak
        | Flag::Dorelpercent
        | Flag::Nobanner
        | Flag::Nolegend => Use::StaticPage,
        Flag::Noinfo
        | Flag::Transparent
        | Flag::Withzeroes
        | Flag::Noborder
        | Flag::Noarrow
        | Flag::Secondmean
        | Flag::Pngdate
        | Flag::Printrouter
        | Flag::Expscale => Use::Page,
    }
}
