//! `gyre demo`: a simulated network, its past, and `gyre run` on top of both.
//!
//! ```text
//!  simnet ─▶ mrtg.cfg ─▶ targets ─▶ history ─▶ ring store ─┐
//!    ▲          ▲                                          ▼
//!    │        snmpd, if installed                      gyre run ─▶ web pages
//!    └────────── SNMP over loopback ────────────────────────┘
//! ```
//!
//! Only the devices' answers and their past are simulated. Everything else is the code that polls a
//! real network.

mod arguments;
mod scale;
mod place;
mod config;
mod rows;
mod machine;
mod entry;
mod history;
mod fill;
mod recent;
mod destination;

use std::ffi::OsString;
use std::io::{self, BufWriter, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use mrtg::Configuration;
use rustix::process::{Signal, getpid, kill_process};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use simnet::{SimulatedNetwork, StartError, system_clock};

use crate::command_line::{ended, understood};
use crate::network_options::NetworkOptions;
use crate::run;
use arguments::{Arguments, LINE};
use destination::Destination;
use entry::Entry;
use fill::Filled;
use machine::Machine;
use place::Place;
use rrdtool::system_words;
use scale::{Scale, TooManyNames};

/// Prints a line; ignores a closed terminal.
macro_rules! tell {
    ($($line:tt)*) => {{
        let _ = writeln!(io::stdout(), $($line)*);
    }};
}

/// The file's name. Pages show the name without `.cfg` as their title.
const CONFIGURATION: &str = "demo.cfg";
/// A board over the network.
const OVERVIEW: &str = include_str!("overview.toml");
/// Ports that are tried for the web pages unless an option names one.
const WEB_PORTS: std::ops::Range<u16> = 8080..8180;

/// Why the demo cannot start.
#[derive(Debug, thiserror::Error)]
enum Error {
    #[error(transparent)]
    Place(#[from] place::Error),
    #[error("--names: {0}")]
    Names(#[from] TooManyNames),
    #[error("{0} (--udp-port says where else)")]
    Network(#[from] StartError),
    #[error("the demo's own configuration: {0}")]
    Configuration(#[from] mrtg::Error),
    #[error("{0}")]
    History(#[from] store::Error),
    #[error("no port from {} to {} of 127.0.0.1 is free (--listen says where else)",
        WEB_PORTS.start, WEB_PORTS.end - 1)]
    NoPort,
    #[error("{0}")]
    Run(Box<dyn std::error::Error>),
    #[error("{}", system_words(.0))]
    System(#[from] io::Error),
}

/// The command, for its page.
pub(crate) fn described() -> Vec<options::Described> {
    vec![LINE.described()]
}

/// The verb: `arguments` are those behind `gyre demo`.
pub(crate) fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    crate::allocator::return_freed_memory();
    let arguments = match understood(&LINE, arguments::parse(arguments)) {
        Ok(arguments) => arguments,
        Err(code) => return code,
    };
    ended(&LINE, demonstrate(&arguments))
}

/// Runs the demo. Everything that it starts ends when it returns, in the opposite order.
fn demonstrate(arguments: &Arguments) -> Result<(), Error> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register(signal, stop.clone())?;
    }
    let scale = Scale::of(arguments)?;
    let place = match &arguments.directory {
        Some(path) => Place::at(path)?,
        None => Place::temporary(arguments.is_kept)?,
    };
    place.check_room(Scale::room_bytes(arguments))?;
    let machine = start_machine(&place, &arguments.network.community);
    let network = start_network(arguments, scale.devices)?;
    let configuration = write_configuration(&network, machine.as_ref(), &place, scale)?;
    fill(&configuration, &network, &place, (arguments.rrd_files, scale), &stop)?;
    let listen = match arguments.listen {
        Some(address) => address,
        None => free_address()?,
    };
    if stop.load(Ordering::Relaxed) {
        return Ok(());
    }
    end_when_told(arguments.network.duration)?;
    let settings = run::Settings {
        sql: None,
        configuration,
        keeping: run::Keeping {
            rrd_files: arguments.rrd_files,
            sparse: scale.has_slow(),
            ..Default::default()
        },
        listen: Some(listen),
        allowed_hosts: arguments.allowed_hosts.clone(),
        series: None,
        request_log: None,
        intake: None,
        boards: Some(boards(&place)?),
        guard: run::GuardFiles { is_insecure: arguments.is_insecure, ..run::GuardFiles::default() },
        rrdcached: Vec::new(),
        cycles: None,
        notice: Some(notice(machine.as_ref(), scale)),
        secrets: Vec::new(),
        receivers: Vec::new(),
        web_url: None,
        measures_itself: true,
    };
    run::run(&settings, &run::Disk).map_err(|error| Error::Run(error.into()))
}

fn start_machine(place: &Place, community: &str) -> Option<Machine> {
    match Machine::start(place, community) {
        Ok(machine) => {
            tell!(
                "this machine's snmpd answers, too: its interfaces are shown as {}",
                machine.name
            );
            Some(machine)
        }
        Err(absent) => {
            tell!("this machine's own interfaces are not shown: {absent}");
            None
        }
    }
}

fn start_network(arguments: &Arguments, devices: u32) -> Result<SimulatedNetwork, Error> {
    let usual = simnet::Config::default();
    let wanted = &arguments.network;
    let mut config = simnet::Config {
        devices,
        ports: wanted.ports,
        // Some slow and some silent devices, if there are enough devices.
        slow_devices: usual.slow_devices.min(devices / 4),
        dead_devices: usual.dead_devices.min(devices / 3),
        rebooting_devices: usual.rebooting_devices.min(devices / 4),
        community: wanted.community.clone(),
        udp_port: wanted.udp_port.unwrap_or(usual.udp_port),
        ..usual
    };
    let mut started = SimulatedNetwork::start(&config, system_clock);
    if matches!(started, Err(StartError::Bind { .. })) && wanted.udp_port.is_none() {
        config.udp_port = 0;
        started = SimulatedNetwork::start(&config, system_clock);
    }
    let network = started?;
    if let Some(device) = network.devices().first() {
        let NetworkOptions { ports, .. } = wanted;
        let address = device.address;
        tell!("{devices} simulated devices of {ports} ports answer SNMP from {address} on");
        if let Some(ill) = ill(&config) {
            tell!("{ill}: what is reported of them is as it should be");
        }
    }
    Ok(network)
}

/// The devices that are slow, silent or faulty on purpose, in words; `None` if there are none.
fn ill(config: &simnet::Config) -> Option<String> {
    let kinds = [
        (config.slow_devices, "slow"),
        (config.dead_devices, "silent"),
        (config.rebooting_devices, "restarting again and again"),
    ];
    let some = kinds.iter().filter(|(count, _)| *count > 0);
    let told: Vec<String> = some.map(|(count, kind)| format!("{count} {kind}")).collect();
    (!told.is_empty()).then(|| format!("of these the demo makes {}", told.join(", ")))
}

/// Writes the mrtg.cfg, which may have half a gigabyte.
fn write_configuration(
    network: &SimulatedNetwork,
    machine: Option<&Machine>,
    place: &Place,
    scale: Scale,
) -> Result<PathBuf, Error> {
    let (path, file) = place.create(CONFIGURATION)?;
    let mut out = BufWriter::with_capacity(1 << 20, file);
    config::write(&mut out, network, machine, place.path(), scale)?;
    out.flush()?;
    Ok(path)
}

/// The directory of boards, with one over the network. Those of an earlier demo stay.
fn boards(place: &Place) -> Result<PathBuf, Error> {
    let (directory, is_new) = place.directory("boards")?;
    if is_new {
        place.write("boards/overview.toml", OVERVIEW)?;
    }
    Ok(directory)
}

/// Makes the databases.
fn fill(
    configuration: &Path,
    network: &SimulatedNetwork,
    place: &Place,
    (rrd_files, scale): (bool, Scale),
    stop: &AtomicBool,
) -> Result<(), Error> {
    let started = Instant::now();
    let read = Configuration::read(configuration, &run::Disk)?;
    let now_seconds = system_clock().as_secs() as i64;
    let root = place.path().join(run::RING_DIRECTORY);
    let destination = match rrd_files {
        true => Destination::Files,
        false => Destination::new_ring(&root, &read, scale.has_slow())?,
    };
    let entries = Entry::all(&read, network);
    let (quick, slow): (Vec<_>, Vec<_>) =
        entries.partition(|entry| entry.device.number < scale.quick_devices);
    let traffic = network.traffic();
    let filled = fill::fill(quick.into_iter(), traffic, now_seconds, stop, &destination)?;
    let recent = match destination.ring() {
        Some(ring) => recent::fill(&slow, traffic, now_seconds, stop, &ring)?,
        None => 0,
    };
    let filled = Filled { bytes: destination.close(filled.bytes)?, ..filled };
    tell_filled(filled, recent, place, started.elapsed());
    Ok(())
}

fn tell_filled(filled: Filled, recent: usize, place: &Place, took: Duration) {
    let (databases, bytes) = (filled.databases, figures::size(filled.bytes));
    let (took, path) = (figures::duration(took.as_secs_f64()), place.path().display());
    let others = match recent {
        0 => String::new(),
        recent => format!(" and {recent} with a past of one hour"),
    };
    tell!("{databases} databases with a past{others}, {bytes} in {path}, made in {took}");
    if !place.is_kept() {
        tell!("they go when this ends (Ctrl-C)");
    }
}

/// An address that no program listens on. Another program may take it before the demo does; the
/// demo then reports that.
fn free_address() -> Result<SocketAddr, Error> {
    let addresses = WEB_PORTS.map(|port| SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
    let mut free = addresses.filter(|address| TcpListener::bind(address).is_ok());
    free.next().ok_or(Error::NoPort)
}

/// The notice on every page.
fn notice(machine: Option<&Machine>, scale: Scale) -> String {
    let mut words = "This network and its past are simulated: no such place exists.".to_owned();
    if scale.has_slow() {
        let Scale { quick_devices, quick_interval, slow_interval, .. } = scale;
        let (quick, slow) = (quick_interval.as_secs(), slow_interval.as_secs() / 60);
        words += &format!(
            " The first {quick_devices} devices have a past of 14 months and are polled every \
             {quick} s; all others have a past of one hour and are polled every {slow} min."
        );
    }
    if let Some(machine) = machine {
        words += &format!(" Only {} is real: this machine.", machine.name);
    }
    words
}

/// Ends the run after a time, or at SIGHUP when the terminal closes. `gyre run` itself would take
/// SIGHUP as a request to reload its configuration.
fn end_when_told(duration: Option<Duration>) -> io::Result<()> {
    let end = || {
        // A process may always signal itself.
        let _ = kill_process(getpid(), Signal::TERM);
    };
    let mut hang_up = signal_hook::iterator::Signals::new([SIGHUP])?;
    std::thread::Builder::new().name("gyre-hang-up".to_owned()).spawn(move || {
        if hang_up.forever().next().is_some() {
            end();
        }
    })?;
    if let Some(duration) = duration {
        std::thread::Builder::new().name("gyre-timer".to_owned()).spawn(move || {
            std::thread::sleep(duration);
            end();
        })?;
    }
    Ok(())
}
