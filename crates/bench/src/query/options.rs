//! The options of the benchmark.

use std::path::PathBuf;

use serde::Serialize;

use ::options::{OwnRow, checked, option, switch};

use crate::options::{choose, fill};

/// The parts, in the order in which they are measured.
pub(super) const PARTS: [&str; 7] =
    ["render", "range", "sum", "names", "influx", "remote-write", "encrypted"];

/// The values of the options.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Options {
    pub(super) directory: PathBuf,
    /// Series of one request of Graphite's.
    pub(super) rendered: u64,
    /// Series of a range query over a day.
    pub(super) ranged: u64,
    /// Series that are added up.
    pub(super) summed: u64,
    /// Series among which some are found.
    pub(super) named: u64,
    /// Series of which agents send samples.
    pub(super) sent: u64,
    /// Databases that are updated over TLS.
    pub(super) updated: u64,
    /// Requests of each kind.
    pub(super) rounds: usize,
    pub(super) parts: Vec<&'static str>,
    pub(super) peer: bool,
    pub(super) json: bool,
}

impl crate::options::Options for Options {
    const NAME: &'static str = "query";
    const ABOUT: &'static str = "PromQL and Graphite over HTTP, beside VictoriaMetrics";
    const PARTS: &'static [&'static str] = &PARTS;
    const TABLE: &'static [OwnRow<Self>] = &[
        option("--directory", "D", "where, on a real file system with 4 GB free (.)", |o, it| {
            o.directory = it.path()
        }),
        checked("--rendered", "N", "series of a request of Graphite's (100)", |o, it| {
            fill(&mut o.rendered, &it)
        }),
        checked("--ranged", "N", "series whose day is asked for (1000)", |o, it| {
            fill(&mut o.ranged, &it)
        }),
        checked("--summed", "N", "series that are added up (100000)", |o, it| {
            fill(&mut o.summed, &it)
        }),
        checked("--named", "N", "series among which some are found (1000000)", |o, it| {
            fill(&mut o.named, &it)
        }),
        checked("--sent", "N", "series of which agents send samples (1000000)", |o, it| {
            fill(&mut o.sent, &it)
        }),
        checked("--updated", "N", "databases that are updated over TLS (100000)", |o, it| {
            fill(&mut o.updated, &it)
        }),
        checked("--rounds", "N", "requests of each kind, the two taking turns (7)", |o, it| {
            fill(&mut o.rounds, &it)
        }),
        checked("--only", "P,...", "some of", |o, it| choose(&mut o.parts, &PARTS, &it)),
        switch("--no-peer", "without VictoriaMetrics", |o| o.peer = false),
        switch("--json", "the figures as JSON", |o| o.json = true),
    ];

    fn full() -> Self {
        Self {
            directory: PathBuf::from("."),
            rendered: 100,
            ranged: 1000,
            summed: 100_000,
            named: 1_000_000,
            sent: 1_000_000,
            updated: 100_000,
            rounds: 7,
            parts: PARTS.into(),
            peer: true,
            json: false,
        }
    }

    fn quick() -> Option<Self> {
        Some(Self {
            ranged: 100,
            summed: 2000,
            named: 10_000,
            sent: 20_000,
            updated: 2000,
            rounds: 3,
            ..Self::full()
        })
    }
}
