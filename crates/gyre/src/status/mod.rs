//! `gyre status`: how a `gyre run` is doing, from its web pages.

mod client;
mod report;
mod table;

use std::ffi::OsString;
use std::net::SocketAddr;
use std::process::ExitCode;

use options::{CommandLine, Misuse, switch};

use crate::command_line::{answer, ended, understood};
use report::Report;

const LINE: CommandLine<Wanted> = CommandLine {
    synopsis: "gyre status [OPTIONS] [ADDRESS:PORT]",
    summary: "Tell how a `gyre run` is doing: its last cycle, what it counted since its start, \
              and devices that do not answer, lose datagrams, or had an error. The address is \
              that of its web pages (127.0.0.1:8080).",
    options: &[
        switch("-a --all", "list every device", |it| it.all = true),
        switch("-j --json", "print the run's answer as it is, a JSON document", |it| {
            it.json = true;
        }),
        switch(
            "--check",
            "exit with code 3 if a device or a target of the last cycle is missing",
            |it| {
                it.check = true;
            },
        ),
    ],
    notes: "exit codes: 0 the run answers; 1 it does not; 2 misuse; with --check also 3\n",
};

/// With `--check`: something is missing.
const NOT_WELL: u8 = 3;

struct Wanted {
    all: bool,
    json: bool,
    check: bool,
    address: SocketAddr,
}

impl Default for Wanted {
    fn default() -> Self {
        let address = SocketAddr::from(([127, 0, 0, 1], 8080));
        Self { all: false, json: false, check: false, address }
    }
}

/// Why there is no status.
#[derive(Debug, thiserror::Error)]
enum Error {
    #[error(transparent)]
    Ask(#[from] client::AskError),
    #[error("{address}: expected the status of a gyre run, found other JSON: {cause}")]
    Foreign { address: SocketAddr, cause: serde_json::Error },
    #[error(transparent)]
    Print(#[from] crate::command_line::Unprinted),
}

/// The command, for its page.
pub(crate) fn described() -> Vec<options::Described> {
    vec![LINE.described()]
}

/// `gyre status …`.
pub(crate) fn main(words: impl IntoIterator<Item = OsString>) -> ExitCode {
    let wanted = match understood(&LINE, parse(words)) {
        Ok(wanted) => wanted,
        Err(code) => return code,
    };
    match tell(&wanted) {
        Ok(false) if wanted.check => ExitCode::from(NOT_WELL),
        told => ended(&LINE, told.map(drop)),
    }
}

fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Option<Wanted>, Misuse> {
    let Some((mut wanted, operands)) = LINE.read(words)? else { return Ok(None) };
    match &operands[..] {
        [] => {}
        [address] => {
            let parsed = address.to_str().and_then(|text| text.parse().ok());
            wanted.address = parsed.ok_or_else(|| {
                let found = address.display();
                Misuse::unfit(format!("expected an address and a port, found {found}"))
            })?;
        }
        more => return Err(Misuse::words("at most one address", more.len())),
    }
    Ok(Some(wanted))
}

/// Prints the status; returns whether all is well.
fn tell(wanted: &Wanted) -> Result<bool, Error> {
    let address = wanted.address;
    let json = client::get(address, "/api/status.json")?;
    let report: Report =
        serde_json::from_slice(&json).map_err(|cause| Error::Foreign { address, cause })?;
    match wanted.json {
        true => answer(&(String::from_utf8_lossy(&json) + "\n"))?,
        false => answer(&table::text(&report, wanted.all))?,
    }
    Ok(report.is_well())
}
