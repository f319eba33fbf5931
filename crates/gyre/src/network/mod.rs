//! `gyre network`: a simulated network alone, for a collector of any kind to poll.

mod arguments;

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::mpsc;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use serde_json::json;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use simnet::{MrtgSettings, SimulatedNetwork, StartError, system_clock};

use crate::command_line::{Unprinted, answer, ended, understood};
use arguments::{Arguments, LINE};
use rrdtool::system_words;

/// Why the network cannot run.
#[derive(Debug, thiserror::Error)]
enum Error {
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
    let end = end_when_told(arguments.duration)?;
    let network = SimulatedNetwork::start(&config(arguments), system_clock)?;
    if let Some(path) = &arguments.mrtg_config {
        write_mrtg_config(&network, arguments, path)
            .map_err(|source| Error::Configuration { path: path.clone(), source })?;
    }
    answer(&started(&network, arguments))?;
    // The sender lives as long as the process.
    let _ = end.recv();
    answer(&finished(&network, arguments))?;
    Ok(())
}

fn config(arguments: &Arguments) -> simnet::Config {
    simnet::Config {
        seed: arguments.seed,
        devices: arguments.devices,
        ports: arguments.ports,
        slow_devices: 0,
        dead_devices: 0,
        rebooting_devices: 0,
        community: arguments.community.clone(),
        udp_port: arguments.udp_port,
        address_base: arguments.address_base,
        ..simnet::Config::default()
    }
}

fn write_mrtg_config(
    network: &SimulatedNetwork,
    arguments: &Arguments,
    path: &Path,
) -> io::Result<()> {
    let directory = match &arguments.work_directory {
        Some(directory) => std::path::absolute(directory)?,
        None => std::path::absolute(path)?.parent().unwrap_or(Path::new("/")).to_owned(),
    };
    let settings = MrtgSettings {
        work_directory: directory.to_string_lossy().into_owned(),
        interval: arguments.interval,
        more: String::new(),
    };
    let mut file = io::BufWriter::new(std::fs::File::create(path)?);
    file.write_all(network.mrtg_config(&settings).as_bytes())?;
    file.flush()
}

/// The line that says that all devices answer.
fn started(network: &SimulatedNetwork, arguments: &Arguments) -> String {
    let Arguments { devices, ports, .. } = arguments;
    let first = network.devices().first().map(|device| device.address);
    let last = network.devices().last().map(|device| device.address);
    let (Some(first), Some(last)) = (first, last) else { return String::new() };
    if arguments.is_json {
        let line = json!({
            "state": "running", "devices": devices, "ports": ports,
            "first": first.to_string(), "last": last.to_string(),
        });
        return format!("{line}\n");
    }
    format!("{devices} devices of {ports} ports answer SNMP from {first} to {last}\n")
}

/// The line that says what was done.
fn finished(network: &SimulatedNetwork, arguments: &Arguments) -> String {
    let (answered, seconds) = (network.answered(), processor_time().as_secs_f64());
    if arguments.is_json {
        let line = json!({
            "state": "ended", "answered": answered, "processor_seconds": seconds,
        });
        return format!("{line}\n");
    }
    format!("{answered} answers in {seconds:.2} s of processor time\n")
}

/// What this process has used since it started.
fn processor_time() -> Duration {
    let used = clock_gettime(ClockId::ProcessCPUTime);
    Duration::try_from(used).unwrap_or_default()
}

/// Receives once when a signal or the time ends the network.
fn end_when_told(duration: Option<Duration>) -> io::Result<mpsc::Receiver<()>> {
    let (sender, receiver) = mpsc::channel();
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    let of_signals = sender.clone();
    std::thread::Builder::new().name("gyre-signals".to_owned()).spawn(move || {
        if signals.forever().next().is_some() {
            let _ = of_signals.send(());
        }
    })?;
    if let Some(duration) = duration {
        std::thread::Builder::new().name("gyre-timer".to_owned()).spawn(move || {
            std::thread::sleep(duration);
            let _ = sender.send(());
        })?;
    }
    Ok(receiver)
}
