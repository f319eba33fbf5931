//! `gyre network`: a simulated network alone, for a collector of any kind to poll.

mod arguments;
mod users;
mod mrtg;
mod command;
mod console;
mod control;
mod client;
mod report;

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use simnet::{SimulatedNetwork, StartError, system_clock};

use crate::command_line::{Unprinted, answer, ended, understood};
use arguments::{Arguments, Control, LINE};
use console::Console;
use control::{Ends, Entrance};
use report::Report;
use rrdtool::system_words;
use users::Account;

/// Why the network cannot run.
#[derive(Debug, thiserror::Error)]
enum Error {
    #[error(transparent)]
    Users(#[from] users::Error),
    #[error(transparent)]
    Network(#[from] StartError),
    #[error("{}: {}", path.display(), system_words(source))]
    Configuration { path: PathBuf, source: io::Error },
    #[error("--control {}: {}", path.display(), system_words(source))]
    Control { path: PathBuf, source: io::Error },
    #[error("{}", system_words(.0))]
    System(#[from] io::Error),
    #[error(transparent)]
    Unprinted(#[from] Unprinted),
}

/// The commands, for their page.
pub(crate) fn described() -> Vec<options::Described> {
    vec![LINE.described(), client::LINE.described()]
}

/// The verb: `words` are those behind `gyre network`.
pub(crate) fn main(words: impl IntoIterator<Item = OsString>) -> ExitCode {
    let mut arguments = words.into_iter().peekable();
    if arguments.next_if(|first| first == "control").is_some() {
        return client::main(arguments);
    }
    let arguments = match understood(&LINE, arguments::parse(arguments)) {
        Ok(arguments) => arguments,
        Err(code) => return code,
    };
    ended(&LINE, simulate(&arguments))
}

fn simulate(arguments: &Arguments) -> Result<(), Error> {
    let accounts = match &arguments.users {
        Some(path) => users::read(path)?,
        None => Vec::new(),
    };
    let network = SimulatedNetwork::start(&config(arguments, &accounts), system_clock)?;
    for rule in &arguments.faults {
        network.disturb(rule);
    }
    if let Some(path) = &arguments.mrtg_config {
        mrtg::write(&network, arguments, &accounts, path)
            .map_err(|source| Error::Configuration { path: path.clone(), source })?;
    }
    let entrance = match &arguments.control {
        Some(Control::Socket(path)) => Some(
            Entrance::open(path).map_err(|source| Error::Control { path: path.clone(), source })?,
        ),
        _ => None,
    };
    let ends = Ends::new(arguments.network.duration)?;
    let (is_json, ports) = (arguments.is_json, arguments.network.ports);
    let report = Report { is_json, ports, started: Instant::now() };
    let console = Arc::new(Console { network, report });
    answer(&console.report.started(&console.network))?;
    if let Some(entrance) = &entrance {
        ends.obey_clients(console.clone(), entrance)?;
    }
    if arguments.control == Some(Control::StandardInput) {
        ends.obey_input(console.clone())?;
    }
    ends.wait();
    answer(&console.farewell())?;
    Ok(())
}

fn config(arguments: &Arguments, accounts: &[Account]) -> simnet::Config {
    let (network, usual) = (&arguments.network, simnet::Config::default());
    simnet::Config {
        seed: arguments.seed,
        devices: network.devices(),
        ports: network.ports,
        all_up: arguments.all_up,
        slow_devices: 0,
        dead_devices: 0,
        rebooting_devices: 0,
        community: network.community.clone(),
        versions: arguments.versions,
        users: accounts.iter().map(|account| account.user.clone()).collect(),
        udp_port: network.udp_port.unwrap_or(usual.udp_port),
        address_base: arguments.address_base,
        response_bytes_max: arguments.response_bytes_max,
        ..usual
    }
}
