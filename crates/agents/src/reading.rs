//! Bytes into a batch.

use std::net::SocketAddr;

use intake::{Batch, Protocol};
use senders::influx::{self, Precision};
use senders::{Lines, collectd, graphite, pickle};

use crate::collectd::Collectd;
use crate::gathered::Gathered;
use crate::notice::Wrong;

/// What could not be read.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Misread {
    pub(crate) count: u64,
    pub(crate) first: Option<WhoseWrong>,
}

/// A place that could not be read, and whose it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WhoseWrong {
    pub(crate) from: SocketAddr,
    pub(crate) wrong: Wrong,
}

impl Misread {
    /// A single wrong thing of a sender.
    pub(crate) fn one(from: SocketAddr, wrong: Wrong) -> Self {
        Self { count: 1, first: Some(WhoseWrong { from, wrong }) }
    }

    pub(crate) fn add_lines(&mut self, from: SocketAddr, lines: &Lines) {
        self.add(lines.wrong, from, lines.first.map(Wrong::Line));
    }

    fn add(&mut self, count: u64, from: SocketAddr, first: Option<Wrong>) {
        self.count += count;
        self.first = self.first.or(first.map(|wrong| WhoseWrong { from, wrong }));
    }
}

/// Puts what was gathered into a batch. StatsD's lines have no samples yet, and remote write comes by
/// HTTP: neither is read here.
pub(crate) fn read(
    protocol: Protocol,
    gathered: &Gathered,
    of_collectd: &Collectd,
    batch: &mut Batch<'_>,
) -> Misread {
    let mut misread = Misread::default();
    for (from, bytes) in gathered.parts() {
        let add = &mut |sent: &senders::Sent<'_>| batch.add(sent);
        match protocol {
            Protocol::Graphite => misread.add_lines(from, &graphite::read(bytes, add)),
            Protocol::Influx => {
                misread.add_lines(from, &influx::read(bytes, Precision::Nanoseconds, add));
            }
            Protocol::Pickle => {
                let frames = pickle::read(bytes, add);
                misread.add(frames.wrong, from, frames.first.map(Wrong::Pickle));
            }
            Protocol::Collectd => {
                let Collectd { security, types } = of_collectd;
                if let Err(wrong) = collectd::read(bytes, security, types, add) {
                    misread.add(1, from, Some(Wrong::Packet(wrong)));
                }
            }
            Protocol::Statsd | Protocol::RemoteWrite => unreachable!("{protocol} is not read here"),
        }
    }
    misread
}
