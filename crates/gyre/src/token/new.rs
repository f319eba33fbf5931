//! `gyre token new`: makes a token and prints it once.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use access::{Grant, Proof, Role, Scope, TOKEN_BYTES, Token};
use options::{CommandLine, Misuse, checked};

use super::file::{self, AddError};
use crate::command_line::{Unprinted, answer, ended, understood};

pub(super) const LINE: CommandLine<Wanted> = CommandLine {
    synopsis: "gyre token new [OPTIONS] FILE",
    summary: "Make a token, print it, and add its hash to a file, which is made if it is missing. \
              The token itself is kept nowhere.",
    options: &[
        checked("--name", "NAME", "whose token it is; needed", |it, value| {
            match value.text()? {
                name if Grant::is_name(name) => it.name = Some(name.to_owned()),
                _ => return Err(value.wrong("at most 64 letters, digits, `_`, `-`, `.` and `@`")),
            }
            Ok(())
        }),
        checked(
            "--role",
            "ROLE",
            "what it permits: `read`, `write` or `admin`, each of which includes those before it \
             (read)",
            |it, value| {
                let role = Role::named(value.text()?);
                it.role = role.ok_or_else(|| value.wrong("read, write or admin"))?;
                Ok(())
            },
        ),
        checked(
            "--prefix",
            "PREFIX",
            "only names of targets and databases that begin with this; may be given several times",
            |it, value| {
                match value.text()? {
                    prefix if Grant::is_prefix(prefix) => it.prefixes.push(prefix.to_owned()),
                    _ => return Err(value.wrong("a prefix without blanks, not beginning with #")),
                }
                Ok(())
            },
        ),
    ],
    notes: "",
};

/// The token that is wanted.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    name: Option<String>,
    role: Role,
    prefixes: Vec<String>,
    path: PathBuf,
}

impl Default for Wanted {
    fn default() -> Self {
        Self { name: None, role: Role::Read, prefixes: Vec::new(), path: PathBuf::new() }
    }
}

/// Why there is no new token.
#[derive(Debug, thiserror::Error)]
enum NoToken {
    #[error(transparent)]
    Unadded(#[from] AddError),
    #[error(transparent)]
    Unprinted(#[from] Unprinted),
}

pub(super) fn main(words: Vec<OsString>) -> ExitCode {
    match understood(&LINE, parse(words)) {
        Ok((name, wanted)) => ended(&LINE, make(name, &wanted)),
        Err(code) => code,
    }
}

fn parse(words: Vec<OsString>) -> Result<Option<(String, Wanted)>, Misuse> {
    let Some((mut wanted, operands)) = LINE.read(words)? else { return Ok(None) };
    let [path] = <[OsString; 1]>::try_from(operands).map_err(|_| Misuse::operands("one FILE"))?;
    wanted.path = path.into();
    let name = wanted.name.take().ok_or_else(|| Misuse::operands("--name NAME"))?;
    Ok(Some((name, wanted)))
}

fn make(name: String, wanted: &Wanted) -> Result<(), NoToken> {
    let token = random()?;
    add(name, wanted, &token, &wanted.path)?;
    // Only a token that is in the file is shown.
    Ok(answer(&format!("{}\n", token.reveal()))?)
}

fn random() -> Result<Token, AddError> {
    let mut random = [0; TOKEN_BYTES];
    getrandom::fill(&mut random).map_err(AddError::Random)?;
    Ok(Token::of(random))
}

fn add(name: String, wanted: &Wanted, token: &Token, path: &Path) -> Result<(), AddError> {
    let scope = Scope::of(wanted.prefixes.clone());
    file::add(path, &Grant { name, role: wanted.role, scope, proof: Proof::Token(token.hash()) })
}
