//! `gyre token list`: whose tokens a file has.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use access::Tokens;
use guard::{TokensError, TokensFile};
use options::{CommandLine, Misuse};

use crate::command_line::{Unprinted, answer, ended, understood};

pub(super) const LINE: CommandLine<()> = CommandLine {
    synopsis: "gyre token list FILE",
    summary: "List the tokens of a file: names, roles, how each is known, and prefixes. To \
              revoke a token, remove its line.",
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
    let file = TokensFile::open(path)?;
    Ok(answer(&lines(&file.current().tokens()))?)
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
        let kind = grant.proof.kind();
        format!("{:width$}  {:5}  {kind:5}  {prefixes}\n", grant.name, grant.role)
    };
    grants.iter().map(line).collect()
}
