//! Who may see the web pages of a run (`--tokens`).

use std::path::{Path, PathBuf};

use server::Gate;

use super::event::Event;
use crate::token::{self, TokensError};

/// The gate before the web pages, and the file that says whom it lets in.
pub(super) struct Guard {
    pub(super) gate: Gate,
    path: PathBuf,
}

impl Guard {
    /// Reads the file.
    pub(super) fn at(path: &Path) -> Result<Self, TokensError> {
        let tokens = token::read(path)?;
        if tokens.grants().is_empty() {
            let words = format!("{}: there is no token: nobody can see the pages", path.display());
            Event::warning("tokens", words).with("count", 0).tell();
        }
        Ok(Self { gate: Gate::new(tokens), path: path.to_owned() })
    }

    /// Reads the file again. If it cannot be used, the tokens stay as they were.
    pub(super) fn reload(&self) {
        match token::read(&self.path) {
            Ok(tokens) => {
                let count = tokens.grants().len();
                self.gate.replace(tokens);
                let words = format_args!("the tokens are read anew: {count}");
                Event::info("tokens", words).with("count", count).tell();
            }
            Err(error) => {
                let words = format!("the tokens stay as they were: {error}");
                Event::error("tokens refused", words).with("reason", error.to_string()).tell();
            }
        }
    }
}
