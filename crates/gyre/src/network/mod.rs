//! `gyre network`: a simulated network alone, for a collector of any kind to poll.

mod arguments;
mod users;
mod mrtg;
mod control;
mod report;

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use simnet::{SimulatedNetwork, StartError, system_clock};

use crate::command_line::{Unprinted, answer, ended, understood};
use arguments::{Arguments, LINE};
use control::{Command, Happening};
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
    #[error("{}", system_words(.0))]
    System(#[from] io::Error),
    #[error(transparent)]
    Unprinted(#[from] Unprinted),
}

/// The verb: `arguments` are those behind `gyre network`.
pub(crate) fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
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
    let happenings = control::happenings(arguments.duration, arguments.is_controlled)?;
    let report = Report { network: &network, arguments, started: Instant::now() };
    answer(&report.started())?;
    // The senders live as long as the process.
    for happening in happenings {
        let Happening::Line(line) = happening else { break };
        let said = match line.parse() {
            Ok(Command::End) => break,
            Ok(Command::Status) => report.status("running"),
            Ok(Command::Fault(rule)) => report.done(network.disturb(&rule)),
            Ok(Command::Mend(mending)) => report.done(network.mend(&mending)),
            Err(misunderstood) => report.refused(&misunderstood),
        };
        answer(&said)?;
    }
    answer(&report.status("ended"))?;
    Ok(())
}

fn config(arguments: &Arguments, accounts: &[Account]) -> simnet::Config {
    simnet::Config {
        seed: arguments.seed,
        devices: arguments.devices,
        ports: arguments.ports,
        all_up: arguments.all_up,
        slow_devices: 0,
        dead_devices: 0,
        rebooting_devices: 0,
        community: arguments.community.clone(),
        versions: arguments.versions,
        users: accounts.iter().map(|account| account.user.clone()).collect(),
        udp_port: arguments.udp_port,
        address_base: arguments.address_base,
        response_bytes_max: arguments.response_bytes_max,
        ..simnet::Config::default()
    }
}
