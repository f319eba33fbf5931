//! The network: sockets, thread, and configuration.

use crate::config::Config;
use crate::server::Server;
use crate::topology::{Device, Topology};
use crate::traffic::Traffic;
use rustix::event::{EventfdFlags, eventfd};
use rustix::fd::OwnedFd;
use rustix::process::{Resource, getrlimit, setrlimit};
use snmp::Community;
use snmp::agent::{Authority, Responder};
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::net::{SocketAddrV4, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How many free ports are tried: another process may use a port on some of the addresses.
const PORT_TRIES: u32 = 20;

/// An estimate of the other open files of this process.
const DESCRIPTORS_ELSE: u64 = 512;

/// A running network; dropping it ends it.
#[derive(Debug)]
pub struct SimulatedNetwork {
    topology: Arc<Topology>,
    traffic: Traffic,
    stop: Arc<OwnedFd>,
    answered: Arc<AtomicU64>,
    thread: Option<JoinHandle<io::Result<()>>>,
}

/// Why a network cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The address of a device cannot be listened on.
    #[error("cannot listen on {address} for {device}: {}", disk::system_words(source))]
    Bind {
        /// The device's name.
        device: String,
        /// The address.
        address: SocketAddrV4,
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
        allow_descriptors(config.devices);
        let (topology, sockets) = bind(config)?;
        let topology = Arc::new(topology);
        let traffic = Traffic::new(config.seed, &topology);
        let stop = Arc::new(eventfd(0, EventfdFlags::CLOEXEC).map_err(io::Error::from)?);
        let answered = Arc::new(AtomicU64::new(0));
        let server = Server {
            topology: topology.clone(),
            traffic: traffic.clone(),
            sockets,
            authorities: authorities(config, &topology),
            responder: Responder {
                community: Community::new(&config.community),
                response_bytes_max: config.response_bytes_max,
            },
            clock: Arc::new(clock),
            stop: stop.clone(),
            answered: answered.clone(),
        };
        let name = "simulated network".to_owned();
        let thread = std::thread::Builder::new().name(name).spawn(move || server.run())?;
        Ok(SimulatedNetwork { topology, traffic, stop, answered, thread: Some(thread) })
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
        self.answered.load(Ordering::Relaxed)
    }

    /// The mrtg.cfg of this network; see [`crate::MrtgSettings`].
    pub fn mrtg_config(&self, settings: &crate::MrtgSettings) -> String {
        crate::mrtg_config::write(self.devices(), settings)
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

/// Raises this process's limit of open files as far as possible, if the devices' sockets need it.
/// If that is not enough, binding fails.
fn allow_descriptors(devices: u32) {
    let mut limit = getrlimit(Resource::Nofile);
    let needed = u64::from(devices) + DESCRIPTORS_ELSE;
    if limit.current.is_some_and(|current| current < needed) {
        limit.current = Some(limit.maximum.map_or(needed, |maximum| maximum.min(needed)));
        let _ = setrlimit(Resource::Nofile, limit);
    }
}

fn bind(config: &Config) -> Result<(Topology, Vec<UdpSocket>), StartError> {
    if config.udp_port != 0 {
        return bind_at(config, config.udp_port);
    }
    let mut result = bind_at(config, free_port()?);
    for _ in 1..PORT_TRIES {
        if !matches!(result, Err(StartError::Bind { .. })) {
            break;
        }
        result = bind_at(config, free_port()?);
    }
    result
}

fn bind_at(config: &Config, udp_port: u16) -> Result<(Topology, Vec<UdpSocket>), StartError> {
    let topology = Topology::new(config, udp_port);
    let mut sockets = Vec::with_capacity(topology.devices.len());
    for device in &topology.devices {
        let address = device.address;
        if !address.ip().is_loopback() {
            return Err(StartError::NotLoopback { address });
        }
        let socket = listen(address).map_err(|source| {
            let device = device.name.clone();
            StartError::Bind { device, address, source }
        })?;
        sockets.push(socket);
    }
    Ok((topology, sockets))
}

fn listen(address: SocketAddrV4) -> io::Result<UdpSocket> {
    let socket = UdpSocket::bind(address)?;
    socket.set_nonblocking(true)?;
    Ok(socket)
}

fn free_port() -> io::Result<u16> {
    Ok(UdpSocket::bind("127.0.0.1:0")?.local_addr()?.port())
}
