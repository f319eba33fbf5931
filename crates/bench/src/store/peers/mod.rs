//! Debian's rrdtool, librrd and rrdcached with the same work on files of the same layout. Their
//! number is an option; the table scales their figures to the store's number of RRDs.

mod direct;
mod rrdcached;
mod fetch;

use std::path::Path;

use serde::Serialize;
use testbed::Device;

use super::options::Options;
use crate::rrd_files::Files;
use crate::workload::THREADS;

/// The costs of a peer; a figure is missing if the peer cannot do the work.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(crate) struct PeerFigures {
    /// Seconds for each update of a cycle, with resident files and both cores in use.
    pub(crate) update_seconds: Option<f64>,
    pub(crate) written_bytes_per_update: Option<f64>,
    /// The same within its share of the limit of memory.
    pub(crate) limited_update_seconds: Option<f64>,
    pub(crate) limited_pages_per_update: Option<f64>,
    pub(crate) memory_bytes_per_rrd: Option<f64>,
    /// Seconds for each RRD until it serves again after `kill -9`.
    pub(crate) restart_seconds: Option<f64>,
    pub(crate) fetch_cold_seconds: Option<f64>,
    pub(crate) fetch_hot_seconds: Option<f64>,
}

/// All peers.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Peers {
    rrds: u64,
    rrdtool: PeerFigures,
    librrd: PeerFigures,
    rrdcached: PeerFigures,
    notes: Vec<String>,
}

impl Peers {
    /// A figure of each peer that has it.
    pub(crate) fn figures(
        &self,
        figure: impl Fn(&PeerFigures) -> Option<f64>,
    ) -> Vec<(&'static str, f64)> {
        let all =
            [("rrdtool", &self.rrdtool), ("librrd", &self.librrd), ("rrdcached", &self.rrdcached)];
        all.into_iter().filter_map(|(name, it)| Some((name, figure(it)?))).collect()
    }

    /// Remarks on their figures.
    pub(crate) fn notes(&self) -> &[String] {
        &self.notes
    }
}

/// The inputs of a peer's measurement.
pub(crate) struct PeerBench<'a> {
    options: &'a Options,
    device: &'a Device,
    files: &'a Files,
    /// The peers' share of the limit of memory.
    memory_bytes_max: u64,
}

/// Measures the installed peers.
pub(crate) fn measure(options: &Options, device: &Device, inside: &Path) -> Result<Peers, String> {
    let program = |name| oracle::program(name, "the benchmark's column of that name");
    let mut peers = Peers { rrds: options.peer_rrds, ..Peers::default() };
    let Some(rrdtool) = program("rrdtool") else { return Ok(peers) };
    let files = Files::create(&rrdtool, inside.join("peers"), options.peer_rrds)?;
    let share = options.memory_bytes_max * options.peer_rrds / options.rrds;
    // The programs themselves do not run with less.
    let memory_bytes_max = share.max(24 << 20);
    let bench = PeerBench { options, device, files: &files, memory_bytes_max };
    peers.notes.push(format!(
        "peers: {} files, {THREADS} processes or connections at once, scaled by their number; \
         their limit of memory {} MiB",
        options.peer_rrds,
        memory_bytes_max >> 20
    ));

    peers.rrdtool = direct::measure(&bench, &direct::pipe(&rrdtool), &mut peers.notes)?;
    let (cold, hot) = fetch::measure(&bench, &rrdtool)?;
    (peers.rrdtool.fetch_cold_seconds, peers.rrdtool.fetch_hot_seconds) = (cold, Some(hot));
    if let Some(perl) = program("perl").filter(|perl| direct::has_rrds(perl)) {
        peers.librrd = direct::measure(&bench, &direct::perl(&perl), &mut peers.notes)?;
    } else {
        peers.notes.push("librrd: perl's RRDs is missing".to_owned());
    }
    if let Some(rrdcached) = program("rrdcached") {
        peers.rrdcached = rrdcached::measure(&bench, &rrdcached, &mut peers.notes)?;
    }
    Ok(peers)
}
