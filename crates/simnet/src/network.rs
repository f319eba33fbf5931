//! The network: sockets, thread, and configuration.

use crate::agents::Agents;
use crate::config::Config;
use crate::fault::{Mending, Rule, as_rules};
use crate::mrtg_config::{MrtgSettings, MrtgVersion};
use crate::server::{Clock, Server};
use crate::shared::Shared;
use crate::sockets::open;
use crate::tally::Tally;
use crate::topology::{Device, Topology};
use crate::traffic::Traffic;
use chance::Random;
use rustix::event::{EventfdFlags, eventfd};
use rustix::fd::OwnedFd;
use snmp::Community;
use snmp::agent::{Authority, Responder};
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::net::{SocketAddrV4, UdpSocket};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How many free ports are tried: another process may use a port on some of the addresses.
const PORT_TRIES: u32 = 20;

/// A running network; dropping it ends it.
pub struct SimulatedNetwork {
    topology: Arc<Topology>,
    traffic: Traffic,
    stop: Arc<OwnedFd>,
    clock: Clock,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<io::Result<()>>>,
}

/// Why a network cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The port cannot be listened on.
    #[error("cannot listen on port {port} of loopback: {}", disk::system_words(source))]
    Bind {
        /// The port of all devices.
        port: u16,
        /// The system's error.
        source: io::Error,
    },
    /// A device's address would not be on loopback: simulated devices are only for this machine.
    #[error("{address} is not a loopback address")]
    NotLoopback {
        /// The address.
        address: SocketAddrV4,
    },
    /// There are more devices with faults than devices.
    #[error("{unhealthy} slow, dead and rebooting devices, but only {devices} devices")]
    TooManyUnhealthy {
        /// The number of devices with faults.
        unhealthy: u32,
        /// The number of all devices.
        devices: u32,
    },
    /// The system refuses an event descriptor or a thread.
    #[error("cannot start the thread that answers: {}", disk::system_words(.0))]
    Thread(#[from] io::Error),
}

impl SimulatedNetwork {
    /// Starts the network: its devices answer from now on. `clock` tells the time since 1970, on
    /// which traffic, sysUpTime and restarts depend; usually it is [`system_clock`].
    pub fn start(
        config: &Config,
        clock: impl Fn() -> Duration + Send + Sync + 'static,
    ) -> Result<SimulatedNetwork, StartError> {
        let unhealthy = config.dead_devices + config.rebooting_devices + config.slow_devices;
        if unhealthy > config.devices {
            return Err(StartError::TooManyUnhealthy { unhealthy, devices: config.devices });
        }
        let (topology, sockets) = listen(config)?;
        let topology = Arc::new(topology);
        let traffic = Traffic::new(config.seed, &topology);
        let stop = Arc::new(eventfd(0, EventfdFlags::CLOEXEC).map_err(io::Error::from)?);
        let shared = Arc::new(Shared::default());
        let clock: Clock = Arc::new(clock);
        let agents = Agents {
            topology: topology.clone(),
            traffic: traffic.clone(),
            authorities: authorities(config, &topology),
            responder: Responder {
                community: Community::new(&config.community),
                response_bytes_max: config.response_bytes_max,
            },
            versions: config.versions,
        };
        let server = Server {
            agents,
            sockets,
            clock: clock.clone(),
            stop: stop.clone(),
            shared: shared.clone(),
            random: Random::new(config.seed),
        };
        let name = "simulated network".to_owned();
        let thread = std::thread::Builder::new().name(name).spawn(move || server.run())?;
        Ok(SimulatedNetwork { topology, traffic, clock, stop, shared, thread: Some(thread) })
    }

    /// Its devices, in the order of their addresses; those with faults are the last ones.
    pub fn devices(&self) -> &[Device] {
        &self.topology.devices
    }

    /// The traffic of its counters, at any time.
    pub fn traffic(&self) -> &Traffic {
        &self.traffic
    }

    /// The number of datagrams answered so far.
    pub fn answered(&self) -> u64 {
        self.tally().answered
    }

    /// What it was asked and has answered so far.
    pub fn tally(&self) -> Tally {
        self.shared.lock().tally
    }

    /// Gives devices a fault from now on. Returns how many.
    pub fn disturb(&self, rule: &Rule) -> usize {
        self.shared.lock().conditions.set(rule, &self.topology, (self.clock)())
    }

    /// Takes faults from devices. Returns how many devices were meant. What has happened, such as a
    /// restart, has happened.
    pub fn mend(&self, mending: &Mending) -> usize {
        self.shared.lock().conditions.mend(mending, &self.topology, (self.clock)())
    }

    /// The faults that devices have, and the restarts that are to come: a rule for each.
    pub fn faults(&self) -> Vec<Rule> {
        let present = self.shared.lock().conditions.present((self.clock)());
        as_rules(&present, self.topology.devices.len())
    }

    /// The mrtg.cfg of this network; see [`crate::MrtgSettings`].
    pub fn mrtg_config(&self, settings: &MrtgSettings) -> String {
        let mut text = Vec::new();
        // Writing to memory cannot fail.
        let _ = self.write_mrtg_config(&mut text, settings, MrtgVersion::V2c);
        String::from_utf8_lossy(&text).into_owned()
    }

    /// Writes the same to a file, perhaps for another version of SNMP.
    pub fn write_mrtg_config(
        &self,
        out: &mut impl io::Write,
        settings: &MrtgSettings,
        version: MrtgVersion,
    ) -> io::Result<()> {
        crate::mrtg_config::write(out, self.devices(), settings, version)
    }
}

impl std::fmt::Debug for SimulatedNetwork {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SimulatedNetwork({} devices)", self.topology.devices.len())
    }
}

impl Drop for SimulatedNetwork {
    fn drop(&mut self) {
        // Writing to the event wakes the thread; it cannot fail while the descriptor lives.
        let _ = rustix::io::write(&*self.stop, &1u64.to_ne_bytes());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The time since 1970 by the system's clock.
pub fn system_clock() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

/// The engine of each device, if there are users of SNMPv3.
fn authorities(config: &Config, topology: &Topology) -> Vec<Authority> {
    if config.users.is_empty() {
        return Vec::new();
    }
    // The only source of randomness in std.
    let random = RandomState::new();
    let authority = |device: &Device| {
        Authority::new(&device.engine_id(), &config.users, random.hash_one(device.number))
    };
    topology.devices.iter().map(authority).collect()
}

/// The sockets for the port, which is found if the configuration leaves it open.
fn listen(config: &Config) -> Result<(Topology, Vec<UdpSocket>), StartError> {
    let mut tries = if config.udp_port == 0 { PORT_TRIES } else { 1 };
    loop {
        let port = if config.udp_port == 0 { free_port()? } else { config.udp_port };
        let topology = Topology::new(config, port);
        for Device { address, .. } in
            [topology.devices.first(), topology.devices.last()].into_iter().flatten()
        {
            if !address.ip().is_loopback() {
                return Err(StartError::NotLoopback { address: *address });
            }
        }
        tries -= 1;
        match open(port) {
            Ok(sockets) => return Ok((topology, sockets)),
            Err(source) if tries == 0 => return Err(StartError::Bind { port, source }),
            Err(_) => {}
        }
    }
}

fn free_port() -> io::Result<u16> {
    Ok(UdpSocket::bind("127.0.0.1:0")?.local_addr()?.port())
}
