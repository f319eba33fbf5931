//! `gyre token list`: whose tokens a file has.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use access::Tokens;
use options::{CommandLine, Misuse};

use super::file::{TokensError, read};
use crate::command_line::{Unprinted, answer, ended, understood};

pub(super) const LINE: CommandLine<()> = CommandLine {
    synopsis: "gyre token list FILE",
    summary: "List the tokens of a file: names, roles and prefixes. To revoke a token, remove its \
              line.",
    options: &[],
    notes: "",
};

/// Why nothing is listed.
#[derive(Debug, thiserror::Error)]
enum Unlisted {
    #[error(transparent)]
    File(#[from] TokensError),
    #[error(transparent)]
    Unprinted(#[from] Unprinted),
}

pub(super) fn main(words: Vec<OsString>) -> ExitCode {
    match understood(&LINE, parse(words)) {
        Ok(path) => ended(&LINE, list(&path)),
        Err(code) => code,
    }
}

fn parse(words: Vec<OsString>) -> Result<Option<PathBuf>, Misuse> {
    let Some(((), operands)) = LINE.read(words)? else { return Ok(None) };
    match <[OsString; 1]>::try_from(operands) {
        Ok([path]) => Ok(Some(path.into())),
        Err(_) => Err(Misuse::operands("one FILE")),
    }
}

fn list(path: &Path) -> Result<(), Unlisted> {
    Ok(answer(&lines(&read(path)?))?)
}

/// A line for each token, in columns.
fn lines(tokens: &Tokens) -> String {
    let grants = tokens.grants();
    let width = grants.iter().map(|grant| grant.name.len()).max().unwrap_or_default();
    let line = |grant: &access::Grant| {
        let prefixes = match grant.scope.is_everything() {
            true => "all names".to_owned(),
            false => grant.scope.prefixes().join(" "),
        };
        format!("{:width$}  {:5}  {prefixes}\n", grant.name, grant.role)
    };
    grants.iter().map(line).collect()
}
