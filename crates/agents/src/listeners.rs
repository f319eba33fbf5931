//! All sockets of agents, and the threads that read them.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread::JoinHandle;

use intake::{Intake, Protocol, Tallies};

use crate::bell::Bell;
use crate::collectd::Collectd;
use crate::desk::{Desk, now_micros};
use crate::options::Options;
use crate::sockets::{ListenError, Listening, Sockets};
use crate::statsd::Sums;
use crate::tcp::{Shared, TcpLoop};
use crate::traffic::Traffic;
use crate::udp::{Mailbox, UdpLoop};

/// All sockets of agents, and the threads that read them: one for connections, one for datagrams.
/// Dropping it stops them, too.
pub struct Listeners {
    addresses: Vec<Listening>,
    desk: Arc<Desk>,
    sums: Arc<Sums>,
    traffic: Arc<Traffic>,
    bell: Arc<Bell>,
    threads: Vec<JoinHandle<()>>,
}

impl Listeners {
    /// Makes the sockets, and takes into the store what comes. Nobody is asked who he is, but by
    /// collectd's packets: whether an address may be reached from elsewhere is for the caller to say.
    ///
    /// # Errors
    ///
    /// The first socket that the system refuses, by protocol and address; then nothing listens.
    pub fn open(
        all: &[Listening],
        intake: Arc<Intake>,
        tallies: Arc<Tallies>,
        options: Options,
    ) -> Result<Self, ListenError> {
        let sockets: Vec<Sockets> =
            all.iter().map(|at| Sockets::open(*at)).collect::<Result<_, _>>()?;
        let mut listeners = Self {
            addresses: sockets.iter().filter_map(Sockets::listening).collect(),
            desk: Arc::new(Desk::new(intake, tallies, &options)),
            sums: Arc::new(Sums::new(options.statsd_interval, now_micros())),
            traffic: Arc::default(),
            bell: Arc::new(Bell::new().map_err(ListenError::Thread)?),
            threads: Vec::new(),
        };
        listeners.start(sockets, &options).map_err(ListenError::Thread)?;
        Ok(listeners)
    }

    fn start(&mut self, sockets: Vec<Sockets>, options: &Options) -> io::Result<()> {
        let mut of_tcp: Vec<(Protocol, TcpListener)> = Vec::new();
        let mut mailboxes = Vec::new();
        for Sockets { protocol, tcp, udp } in sockets {
            of_tcp.extend(tcp.map(|socket| (protocol, socket)));
            mailboxes.extend(udp.map(|socket| Mailbox::new(protocol, socket)));
        }
        if !of_tcp.is_empty() {
            let tcp = TcpLoop::new(of_tcp, self.shared(options))?;
            self.spawn("agents-tcp", move || tcp.run())?;
        }
        if !mailboxes.is_empty() {
            let Self { desk, sums, traffic, bell, .. } = &*self;
            let udp = UdpLoop {
                mailboxes,
                desk: Arc::clone(desk),
                sums: Arc::clone(sums),
                traffic: Arc::clone(traffic),
                bell: Arc::clone(bell),
            };
            self.spawn("agents-udp", move || udp.run())?;
        }
        Ok(())
    }

    fn shared(&self, options: &Options) -> Shared {
        Shared {
            desk: Arc::clone(&self.desk),
            sums: Arc::clone(&self.sums),
            traffic: Arc::clone(&self.traffic),
            bell: Arc::clone(&self.bell),
            connections_max: options.connections_max,
            idle_max: options.idle_max,
        }
    }

    fn spawn(&mut self, name: &str, run: impl FnOnce() + Send + 'static) -> io::Result<()> {
        self.threads.push(std::thread::Builder::new().name(name.into()).spawn(run)?);
        Ok(())
    }

    /// Where it listens, with the ports that it got.
    #[must_use]
    pub fn addresses(&self) -> &[Listening] {
        &self.addresses
    }

    /// Where a protocol is listened for, with the port that it got.
    #[must_use]
    pub fn address(&self, protocol: Protocol) -> Option<SocketAddr> {
        let found = self.addresses.iter().find(|listening| listening.protocol == protocol);
        found.map(|listening| listening.address)
    }

    /// What became of connections and datagrams.
    #[must_use]
    pub fn traffic(&self) -> &Traffic {
        &self.traffic
    }

    /// The same, for a thread that shows it.
    #[must_use]
    pub fn shared_traffic(&self) -> Arc<Traffic> {
        Arc::clone(&self.traffic)
    }

    /// Takes packets of collectd as these say from now on.
    pub fn set_collectd(&self, collectd: Collectd) {
        self.desk.set_collectd(collectd);
    }

    /// Stores everything that was read and what waits in the kernel, and ends.
    pub fn stop(mut self) {
        self.end();
    }

    fn end(&mut self) {
        self.bell.ring();
        if self.threads.is_empty() {
            return;
        }
        for thread in self.threads.drain(..) {
            let _ = thread.join(); // a panic was told when it came
        }
        if self.address(Protocol::Statsd).is_some() {
            self.sums.store_rest(&self.desk, now_micros());
        }
    }
}

impl Drop for Listeners {
    fn drop(&mut self) {
        self.end();
    }
}
