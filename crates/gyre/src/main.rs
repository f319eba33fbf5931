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
mod sql;
mod repair;
mod token;
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

const USAGE: &str = "\
Usage: gyre VERB [OPTIONS] ...

  run         poll the targets of an mrtg.cfg, store what they say, serve the pages
  config      check an mrtg.cfg, or explain what one of its targets means
  status      tell how a run is doing: its cycles, devices that do not answer, what was counted
  demo        the same over a simulated network with a simulated past
  network     simulate a network of devices that answer SNMP on loopback, with faults on demand
  create, update, updatev, fetch, info, dump, restore, first, last, lastupdate, tune, resize,
  graph, graphv, xport, list, flushcached
              work on one database, in an .rrd file or by its name in a ring store
              (STORE/NAME); `gyre VERB --help` tells more
  calc        calculate with the rows of one database, or of each, all or the top of many
  rrdcached   take updates and answer for databases over rrdcached's protocol, of .rrd files
              or of a ring store
  rrdcgi      make a web page from a template with tags that draw graphs, for a web server
  inspect     show what a ring store holds, and what it takes on disk and in memory
  import      take .rrd files, and .log files of MRTG's, into a ring store
  export      write databases of a ring store to .rrd files, or their rows as tables (CSV, JSON,
              line protocol, Arrow, Parquet)
  pages       write the HTML pages and pictures that MRTG writes, and indexmaker's index
  convert     make .rrd files of other machines, and of old versions, files of this one
  verify      read a whole ring store and name what is damaged
  fincore     show which pages of files the page cache holds, and what they are
  fadvise     bring files into the page cache, drop them from it, keep them in it; advise about them
  repair      take spikes out of the rows of databases, fill gaps, shift, scale, merge; with undo
  doctor      look at this machine: what it could do better, and what that would gain
  simulate    say how many pages updates read and write in so much memory, before there is a machine
  plan        say how many databases this machine carries, and what they cost it, kept in which way
  lab         say where the experiments are that this rests on: in gyre-lab, a program of its own
  backup      copy what is new in a live ring store or directory to a backup; list and check it
  restore     put back what a backup holds (the XML of one database: see above)
  store       make a ring store; list, rename, delete and tune its databases
  sql         feed the rows of a store into tables of SQLite, MariaDB or PostgreSQL; compare them
  token       make and list tokens, by which `gyre run` knows who may see its pages
  -           the same verbs on databases, one command a line on standard input

Called by the name rrdtool, rrdcreate, rrdupdate, rrdinfo, rrdcached or rrdcgi, it answers as that
program does.
";

fn main() -> ExitCode {
    rrdtool::fetch_sql_by(sqlseries::fetch);
    let mut words: Vec<OsString> = std::env::args_os().collect();
    let name = if words.is_empty() { OsString::new() } else { words.remove(0) };
    let name = Path::new(&name).file_name().unwrap_or_default().to_string_lossy().into_owned();
    match name.as_str() {
        "rrdtool" => {
            with_text(&words, |words| rrdtool::program::rrdtool(words, Some(serving::serve)))
        }
        "rrdcreate" => with_text(&words, |words| rrdtool::program::single("create", words)),
        "rrdupdate" => with_text(&words, |words| rrdtool::program::single("update", words)),
        "rrdinfo" => with_text(&words, |words| rrdtool::program::single("info", words)),
        "rrdcached" => with_text(&words, |words| rrdcached::run("rrdcached", words)),
        "rrdcgi" => rrdcgi::program::rrdcgi(&words),
        _ => gyre(words),
    }
}

/// The function of a verb; it gets the words after the verb.
type Main = fn(Vec<OsString>) -> ExitCode;

/// The verbs that rrdtool does not have.
const VERBS: &[(&str, Main)] = &[
    ("run", |words| run::main(words)),
    ("status", |words| status::main(words)),
    ("demo", |words| demo::main(words)),
    ("network", |words| network::main(words)),
    ("config", |words| config::main(words)),
    ("inspect", |words| ring::inspect(words)),
    ("verify", |words| ring::verify(words)),
    ("backup", |words| backup::main(words)),
    ("store", |words| ring::store(words)),
    ("sql", |words| sql::main(words)),
    ("repair", |words| repair::main(words)),
    ("token", |words| token::main(words)),
    ("doctor", |words| doctor::main(words)),
    ("fadvise", |words| fadvise::main(words)),
    ("fincore", |words| fincore::main(words.into_iter())),
    ("simulate", |words| simulate::main(words)),
    ("plan", |words| plan::main(words)),
    ("import", |words| import::main(words)),
    ("export", |words| export::main(words)),
    ("calc", |words| calc::main(words)),
    ("pages", |words| pages::main(words)),
    ("convert", |words| convert::main(words)),
    ("rrdcgi", |words| rrdcgi::program::gyre(&words)),
];

fn gyre(mut words: Vec<OsString>) -> ExitCode {
    let verb = words.first().map(|verb| verb.to_string_lossy().into_owned());
    let is_called = |(name, _): &&(&str, Main)| verb.as_deref() == Some(*name);
    if let Some((_, main)) = VERBS.iter().find(is_called) {
        return main(words.split_off(1));
    }
    match verb.as_deref() {
        Some("restore") if backup::is_restore(&words[1..]) => backup::restore(words.drain(1..)),
        Some("lab") => lab(&words[1..]),
        Some("rrdcached") => {
            with_text(&words, |words| rrdcached::run("gyre rrdcached", &words[1..]))
        }
        Some("restore") if words[1..].iter().any(|word| word == "--help" || word == "-h") => {
            let code =
                with_text(&words, |words| rrdtool::program::gyre(words, Some(serving::serve)));
            if code != ExitCode::SUCCESS {
                return code;
            }
            show("gyre restore", &format!("\n{}", backup::restore_help()))
        }
        Some(verb) if rrdtool::program::has_verb(verb) => {
            with_text(&words, |words| rrdtool::program::gyre(words, Some(serving::serve)))
        }
        Some("--help" | "-h" | "help") => show("gyre", USAGE),
        Some("--version" | "-V") => show("gyre", concat!("gyre ", env!("CARGO_PKG_VERSION"), "\n")),
        found => {
            if let Some(found) = found {
                rrdtool::complain!("gyre: expected a verb, found {found}\n");
            }
            rrdtool::complain!("{}", USAGE.trim_end());
            ExitCode::from(2)
        }
    }
}

/// `gyre lab` names the program `gyre-lab`: servers do not need the laboratory, so it is a program
/// of its own.
fn lab(words: &[OsString]) -> ExitCode {
    let text = "usage: gyre-lab [OPTIONS] [EXPERIMENT...]\n\n\
                The experiments are in gyre-lab, a program of its own. `cargo build --release -p lab` \
                makes it,\nbeside gyre in target/release.\n";
    if words.iter().all(|word| word == "--help" || word == "-h") {
        return show("gyre lab", text);
    }
    rrdtool::complain!(
        "gyre lab: expected no words: the experiments are in gyre-lab\n\n{}",
        text.trim_end()
    );
    ExitCode::from(MISUSE)
}

/// Calls a verb of rrdtool's with its words as text. In the words of a graph, bytes that are not
/// UTF-8 become replacement characters. Other verbs refuse them: they would read or write a file of
/// another name than was meant.
fn with_text(words: &[OsString], verb: impl Fn(&[&str]) -> ExitCode) -> ExitCode {
    let is_graph = words.first().is_some_and(|word| word == "graph");
    if let Some(word) = words.iter().find(|word| word.to_str().is_none() && !is_graph) {
        rrdtool::complain!("ERROR: expected UTF-8, found '{}'", word.display());
        return ExitCode::FAILURE;
    }
    let words: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    verb(&words)
}
