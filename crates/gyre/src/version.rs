//! `gyre version`: this program's version, and the formats that it reads and writes.

use std::ffi::OsString;
use std::process::ExitCode;

use options::{CommandLine, Described, Misuse, switch};
use serde_json::json;

use crate::command_line::{answer, ended, understood};

const LINE: CommandLine<Wanted> = CommandLine {
    synopsis: "gyre version [OPTIONS]",
    summary: "Tells the version of this program, and those of the formats that it reads and \
              writes. Data of a newer format is refused: the version of gyre that made it, or a \
              newer one, reads it.",
    options: &[switch("-j --json", "the same as JSON", |it| it.as_json = true)],
    notes: "",
};

#[derive(Default)]
struct Wanted {
    as_json: bool,
}

/// A format of data, or a protocol.
struct Format {
    /// Its key in JSON.
    key: &'static str,
    name: &'static str,
    /// The first and last version that are read.
    reads: (u64, u64),
    /// The first and last version that are written: the one that the data needs.
    writes: (u64, u64),
}

const fn only(key: &'static str, name: &'static str, version: u64) -> Format {
    Format { key, name, reads: (version, version), writes: (version, version) }
}

const FORMATS: &[Format] = &[
    Format { key: "rrd_file", name: ".rrd files", reads: (1, 5), writes: (1, 5) },
    only("ring_store", "ring store", ring::STORE_FORMAT),
    only("checkpoint", "its checkpoints", ring::CHECKPOINT_VERSION as u64),
    only("journal", "journals and logs", journal::VERSION as u64),
    only("backup", "backups", backup::VERSION as u64),
    #[cfg(feature = "sql")]
    only("sql_tables", "tables in SQL databases", sqlring::SCHEMA_VERSION as u64),
];

/// The rrdtool and rrdcached whose words and protocol are followed.
const COMPATIBLE: &str = "1.7.2";

/// The command, for its page.
pub(crate) fn described() -> Vec<Described> {
    vec![LINE.described()]
}

/// `gyre version …`.
pub(crate) fn main(words: Vec<OsString>) -> ExitCode {
    match understood(&LINE, parse(words)) {
        Ok(Wanted { as_json: true }) => ended(&LINE, answer(&json())),
        Ok(_) => ended(&LINE, answer(&text())),
        Err(code) => code,
    }
}

fn parse(words: Vec<OsString>) -> Result<Option<Wanted>, Misuse> {
    match LINE.read(words)? {
        Some((wanted, operands)) if operands.is_empty() => Ok(Some(wanted)),
        Some(_) => Err(Misuse::operands("no words but options")),
        None => Ok(None),
    }
}

fn text() -> String {
    let mut text = concat!("gyre ", env!("CARGO_PKG_VERSION"), "\n\n").to_owned();
    for Format { name, reads, writes, .. } in FORMATS {
        let written =
            if reads == writes { String::new() } else { format!(", writes {}", span(*writes)) };
        text += &format!("{name:<24} {}{written}\n", span(*reads));
    }
    text + &format!("{:<24} {COMPATIBLE}\n", "as rrdtool, rrdcached")
}

fn span((first, last): (u64, u64)) -> String {
    if first == last { first.to_string() } else { format!("{first} to {last}") }
}

fn json() -> String {
    let formats: serde_json::Map<_, _> = FORMATS
        .iter()
        .map(|Format { key, reads, writes, .. }| {
            let versions = |(first, last)| (first..=last).collect::<Vec<u64>>();
            let told = json!({ "reads": versions(*reads), "writes": versions(*writes) });
            ((*key).to_owned(), told)
        })
        .collect();
    let whole = json!({
        "gyre": env!("CARGO_PKG_VERSION"),
        "formats": formats,
        "protocols": { "rrdtool": COMPATIBLE, "rrdcached": COMPATIBLE },
    });
    format!("{whole:#}\n")
}
