//! `gyre config check --boards`: whether the boards of a directory can be shown.

use std::path::Path;

use serde_json::json;
use server::Checked;

use super::{Failure, answer_json};
use crate::boards::Boards;
use crate::command_line::answer;

/// Reads all boards of a directory, and says what is wrong about each that is.
pub(super) fn run(directory: &Path, as_json: bool) -> Result<(), Failure> {
    let Checked { boards, wrong } = Boards::open(directory)?.check()?;
    let shown = directory.display();
    match as_json {
        true => {
            let wrong = wrong.iter().map(|it| {
                let (file, error) = (it.path.display().to_string(), it.wrong.to_string());
                json!({ "file": file, "line": it.wrong.line, "error": error })
            });
            let wrong: Vec<_> = wrong.collect();
            let is_valid = wrong.is_empty();
            answer_json(&json!({
                "directory": shown.to_string(),
                "valid": is_valid,
                "boards": boards,
                "wrong": wrong,
            }))?;
        }
        false => {
            let lines: String = wrong.iter().map(|it| format!("{it}\n")).collect();
            let boards = figures::some(boards as u64, "board", "boards");
            let count = wrong.len();
            answer(&format!("{lines}{shown}: {boards} valid, {count} wrong\n"))?;
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(Failure::Told) }
}
