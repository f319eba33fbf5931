//! `gyre config`: what an mrtg.cfg means, without measuring anything.

mod check;
mod check_boards;
mod check_intake;
mod check_series;
mod explain;
mod explained;
mod formula;
mod option_words;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use options::{CommandLine, Misuse, OwnRow, checked, switch};
use serde_json::Value;

use crate::boards::BoardsError;
use crate::command_line::{MISUSE, Unprinted, answer, show, understood};
use crate::hearing::IntakeError;
use crate::run::{SECRETS_HELP, SecretsError, SecretsPlace, UnusableError, secrets_place};
use crate::series_rules::RulesError;

/// Both verbs, for `gyre config --help`.
const LINE: CommandLine<()> = CommandLine {
    synopsis: "gyre config check|explain [OPTIONS] ...",
    summary: "`gyre config check FILE` reads an mrtg.cfg with all that it includes, and says what is \
              wrong, what is not measured, and which keys change nothing. `gyre config explain FILE \
              TARGET` says what a target means.\n\n`gyre config check --help` and `gyre config \
              explain --help` tell more.",
    options: &[],
    notes: "",
};

/// The commands, for their page.
pub(crate) fn described() -> Vec<options::Described> {
    vec![LINE.described(), check::LINE.described(), explain::LINE.described()]
}

/// `gyre config …`.
pub(crate) fn main(words: impl IntoIterator<Item = OsString>) -> ExitCode {
    let mut words: Vec<OsString> = words.into_iter().collect();
    match words.first().and_then(|word| word.to_str()) {
        Some("check") => perform(&check::LINE, words.drain(1..), check::run),
        Some("explain") => perform(&explain::LINE, words.drain(1..), explain::run),
        _ => {
            let expected = Misuse::operands("check or explain");
            let parsed = LINE.read(words).and_then(|read| match read {
                Some(_) => Err(expected),
                None => Ok(None::<()>),
            });
            understood(&LINE, parsed).map_or_else(|code| code, |()| ExitCode::SUCCESS)
        }
    }
}

/// Why a verb failed.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Misuse(#[from] Misuse),
    #[error(transparent)]
    Configuration(#[from] mrtg::Error),
    #[error(transparent)]
    Unusable(#[from] UnusableError),
    #[error(transparent)]
    Secrets(#[from] SecretsError),
    #[error(transparent)]
    Rules(#[from] RulesError),
    #[error(transparent)]
    Boards(#[from] BoardsError),
    #[error(transparent)]
    Intake(#[from] IntakeError),
    #[error(
        "--name: expected a.b.c, name;tag=value, name{{label=\"value\"}} or host/plugin/type, found \
         {series:?}"
    )]
    Series { series: String },
    #[error("{}: there is no target {target}{hint}", file.display())]
    NoTarget { file: PathBuf, target: String, hint: String },
    #[error(transparent)]
    Unprinted(#[from] Unprinted),
    #[error("everything is said already")]
    Told,
}

fn answer_json(value: &Value) -> Result<(), Failure> {
    Ok(answer(&format!("{value:#}\n"))?)
}

/// What both verbs are told.
#[derive(Debug, Default)]
struct Told {
    as_json: bool,
    /// Where secrets are.
    secrets: Vec<SecretsPlace>,
    /// A file of rules that name series.
    series: Option<PathBuf>,
    /// A file that says how samples of agents are taken.
    intake: Option<PathBuf>,
    /// A directory of boards.
    boards: Option<PathBuf>,
    /// The database whose series' names are explained, or the series whose fate is.
    name: Option<String>,
}

/// The options of both verbs.
const OPTIONS: &[OwnRow<Told>] = &[AS_JSON, SECRETS];

const AS_JSON: OwnRow<Told> =
    switch("--json", "the same as JSON", |it: &mut Told| it.as_json = true);

const SECRETS: OwnRow<Told> =
    checked("--secrets", "WHERE", SECRETS_HELP, |it: &mut Told, value| {
        it.secrets.push(secrets_place(&value)?);
        Ok(())
    });

fn perform(
    line: &CommandLine<Told>,
    words: impl IntoIterator<Item = OsString>,
    run: fn(&Told, Vec<OsString>) -> Result<(), Failure>,
) -> ExitCode {
    let name = line.name();
    let done = match line.read(words) {
        Ok(None) => return show(&name, &line.help()),
        Ok(Some((told, operands))) => run(&told, operands),
        Err(misuse) => Err(misuse.into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Told) => ExitCode::FAILURE,
        Err(Failure::Misuse(misuse)) => {
            rrdtool::complain!("{name}: {misuse}\n`{name} --help` tells more");
            ExitCode::from(MISUSE)
        }
        Err(failure) => {
            rrdtool::complain!("{name}: {failure}");
            ExitCode::FAILURE
        }
    }
}
