//! The verbs whose words are text, not any bytes: those of rrdtool and of rrdcached.

use std::ffi::OsString;
use std::process::ExitCode;

use crate::command_line::show;
use crate::{backup, rrdcached, serving};

/// A verb of rrdtool's, with the word that calls it.
pub(crate) fn of_databases(words: &[OsString]) -> ExitCode {
    with_text(words, |words| rrdtool::program::gyre(words, Some(serving::serve)))
}

/// `gyre restore`: a backup, or rrdtool's XML of one database.
pub(crate) fn restore(mut words: Vec<OsString>) -> ExitCode {
    if backup::is_restore(&words) {
        return backup::restore(words);
    }
    let asks_for_help = words.iter().any(|word| word == "--help" || word == "-h");
    words.insert(0, "restore".into());
    let code = of_databases(&words);
    if !asks_for_help || code != ExitCode::SUCCESS {
        return code;
    }
    show("gyre restore", &format!("\n{}", backup::restore_help()))
}

/// `gyre rrdcached …`.
pub(crate) fn rrdcached(words: &[OsString]) -> ExitCode {
    with_text(words, |words| rrdcached::run("gyre rrdcached", words))
}

/// Calls a verb of rrdtool's with its words as text. In the words of a graph, bytes that are not
/// UTF-8 become replacement characters. Other verbs refuse them: they would read or write a file of
/// another name than was meant.
pub(crate) fn with_text(words: &[OsString], verb: impl Fn(&[&str]) -> ExitCode) -> ExitCode {
    let is_graph = words.first().is_some_and(|word| word == "graph");
    if let Some(word) = words.iter().find(|word| word.to_str().is_none() && !is_graph) {
        rrdtool::complain!("ERROR: expected UTF-8, found '{}'", word.display());
        return ExitCode::FAILURE;
    }
    let words: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    verb(&words)
}
