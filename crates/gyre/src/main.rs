//! The binary `gyre`: each verb has a module. Called by a name of rrdtool's, it has rrdtool's
//! command line.
#![allow(clippy::disallowed_methods)] // an edge: it meets the clock, files and the environment

mod run;
mod status;
mod rrdcached;
mod demo;
mod network;
mod config;
mod ring;
mod import;
mod export;
mod convert;
mod calc;
mod pages;
mod fincore;
mod fadvise;
mod doctor;
mod simulate;
mod plan;
mod backup;
#[cfg(feature = "sql")]
mod sql;
#[cfg(not(feature = "sql"))]
#[path = "without_sql.rs"]
mod sql;
mod repair;
mod token;
mod lab;
mod by_text;
mod verb;
mod manual;
mod completions;
mod version;
mod verbs;
mod command_line;
mod sub_verbs;
mod hearing;
mod named_files;
mod network_options;
mod shown_path;
mod json_lines;
mod moment;
mod seconds_json;
mod plot_file;
mod progress;
mod on_every_core;
mod serving;
mod series_rules;
mod look;
mod shown_limits;
mod visitors;
mod boards;
mod allocator;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use command_line::{MISUSE, show};

fn main() -> ExitCode {
    #[cfg(feature = "sql")]
    rrdtool::fetch_sql_by(sqlseries::fetch);
    let mut words: Vec<OsString> = std::env::args_os().collect();
    let name = if words.is_empty() { OsString::new() } else { words.remove(0) };
    let name = Path::new(&name).file_name().unwrap_or_default().to_string_lossy().into_owned();
    match name.as_str() {
        "rrdtool" => by_text::with_text(&words, |words| {
            rrdtool::program::rrdtool(words, Some(serving::serve))
        }),
        "rrdcreate" => {
            by_text::with_text(&words, |words| rrdtool::program::single("create", words))
        }
        "rrdupdate" => {
            by_text::with_text(&words, |words| rrdtool::program::single("update", words))
        }
        "rrdinfo" => by_text::with_text(&words, |words| rrdtool::program::single("info", words)),
        "rrdcached" => by_text::with_text(&words, |words| rrdcached::run("rrdcached", words)),
        "rrdcgi" => rrdcgi::program::rrdcgi(&words),
        _ => gyre(words),
    }
}

fn gyre(mut words: Vec<OsString>) -> ExitCode {
    let name = words.first().map(|verb| verb.to_string_lossy().into_owned());
    if let Some(verb) = name.as_deref().and_then(verbs::find) {
        return (verb.main)(words.split_off(1));
    }
    match name.as_deref() {
        Some(verb) if rrdtool::program::has_verb(verb) => by_text::of_databases(&words),
        Some("--help" | "-h" | "help") => show("gyre", &verbs::overview()),
        Some("--version" | "-V") => show("gyre", concat!("gyre ", env!("CARGO_PKG_VERSION"), "\n")),
        found => {
            if let Some(found) = found {
                rrdtool::complain!("gyre: expected a verb, found {found}\n");
            }
            rrdtool::complain!("{}", verbs::overview().trim_end());
            ExitCode::from(MISUSE)
        }
    }
}
