//! The options of the benchmark.

use std::path::PathBuf;

use serde::Serialize;

use ::options::{OwnRow, checked, option, switch};

use crate::options::{choose, fill};

/// The parts, in the order in which they are measured.
pub(super) const PARTS: [&str; 6] = ["load", "search", "device", "zoom", "top", "viewers"];

/// The values of the options.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Options {
    pub(super) directory: PathBuf,
    /// Targets of the site.
    pub(super) names: u64,
    /// Ports of each device.
    pub(super) ports: u64,
    /// Questions of each kind.
    pub(super) rounds: usize,
    /// Visitors at the same time.
    pub(super) viewers: usize,
    /// The time between two pages of a visitor.
    pub(super) pause_seconds: u64,
    /// How long they look.
    pub(super) seconds: u64,
    pub(super) parts: Vec<&'static str>,
    pub(super) json: bool,
}

impl crate::options::Options for Options {
    const NAME: &'static str = "page";
    const ABOUT: &'static str =
        "the pages of a demo of very many names, asked over HTTP and shown by Chromium";
    const PARTS: &'static [&'static str] = &PARTS;
    const TABLE: &'static [OwnRow<Self>] = &[
        option("--directory", "D", "where, on a real file system with 6 GB free (.)", |o, it| {
            o.directory = it.path()
        }),
        checked("--names", "N", "targets of the site (1000000)", |o, it| fill(&mut o.names, &it)),
        checked("--ports", "N", "ports of each device (48)", |o, it| fill(&mut o.ports, &it)),
        checked("--rounds", "N", "questions of each kind (20)", |o, it| fill(&mut o.rounds, &it)),
        checked("--viewers", "N", "visitors at the same time (200)", |o, it| {
            fill(&mut o.viewers, &it)
        }),
        checked("--pause-seconds", "S", "between two pages of a visitor (10)", |o, it| {
            fill(&mut o.pause_seconds, &it)
        }),
        checked("--seconds", "S", "how long they look (330)", |o, it| fill(&mut o.seconds, &it)),
        checked("--only", "P,...", "some of", |o, it| choose(&mut o.parts, &PARTS, &it)),
        switch("--json", "the figures as JSON", |o| o.json = true),
    ];

    fn full() -> Self {
        Self {
            directory: PathBuf::from("."),
            names: 1_000_000,
            ports: 48,
            rounds: 20,
            viewers: 200,
            pause_seconds: 10,
            // Every target is polled once in 300 s.
            seconds: 330,
            parts: PARTS.into(),
            json: false,
        }
    }

    fn quick() -> Option<Self> {
        Some(Self {
            names: 200,
            ports: 12,
            rounds: 3,
            viewers: 10,
            pause_seconds: 2,
            seconds: 12,
            ..Self::full()
        })
    }
}
