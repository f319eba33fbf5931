//! What became of what agents sent, as metrics of Prometheus.

use std::sync::Arc;

use agents::Traffic;
use intake::{Outcomes, Protocol, Tallies};

use crate::exposition::{Exposition, Kind};

/// What became of what agents sent.
#[derive(Clone)]
pub struct Heard {
    /// Of samples.
    pub tallies: Arc<Tallies>,
    /// Of connections and datagrams; `None` where there is no socket for them.
    pub traffic: Option<Arc<Traffic>>,
}

/// The metric of a program's version.
pub(crate) fn build(out: &mut Exposition, program: &str) {
    let version = program.rsplit(' ').next().unwrap_or_default();
    let mut build = out.family(Kind::Gauge, "gyre_build_info", "The version of the program.");
    build.sample(&[("version", version)], 1);
}

/// All metrics of agents.
pub(crate) fn write(out: &mut Exposition, heard: &Heard) {
    let Heard { tallies, traffic } = heard;
    samples(out, tallies);
    let of_each = |it: fn(&intake::Counts) -> u64| {
        Protocol::ALL.map(|protocol| (protocol, it(tallies.of(protocol))))
    };
    let help = "Lines, packets and messages of agents that could not be read.";
    by_protocol(out, "gyre_agent_messages_wrong", help, of_each(intake::Counts::wrong));
    let help = "Databases made for series of agents.";
    by_protocol(out, "gyre_agent_databases_made", help, of_each(|it| it.outcomes().made));
    if let Some(traffic) = traffic {
        connections(out, traffic);
        let dropped = Protocol::ALL.map(|it| (it, traffic.datagrams_dropped(it)));
        let help = "Datagrams of agents that came faster than they were stored.";
        by_protocol(out, "gyre_agent_datagrams_dropped", help, dropped);
    }
}

fn samples(out: &mut Exposition, tallies: &Tallies) {
    let help = "Samples of agents by what became of them.";
    let mut family = out.family(Kind::Counter, "gyre_agent_samples", help);
    for protocol in Protocol::ALL {
        let Outcomes { taken, late, refused, unmade, dropped, forbidden, failed, made: _ } =
            tallies.of(protocol).outcomes();
        for (outcome, count) in [
            ("taken", taken),
            ("late", late),
            ("refused", refused),
            ("unmade", unmade),
            ("dropped", dropped),
            ("forbidden", forbidden),
            ("failed", failed),
        ] {
            family.sample(&[("protocol", protocol.name()), ("outcome", outcome)], count);
        }
    }
}

fn by_protocol(
    out: &mut Exposition,
    name: &str,
    help: &str,
    counts: [(Protocol, u64); Protocol::ALL.len()],
) {
    let mut family = out.family(Kind::Counter, name, help);
    for (protocol, count) in counts {
        family.sample(&[("protocol", protocol.name())], count);
    }
}

fn connections(out: &mut Exposition, traffic: &Traffic) {
    let help = "Connections of agents that are open.";
    out.single(Kind::Gauge, "gyre_agent_connections_open", help, traffic.connections_open());
    let help = "Connections of agents by what became of them.";
    let mut family = out.family(Kind::Counter, "gyre_agent_connections", help);
    for (outcome, count) in [
        ("accepted", traffic.connections_accepted()),
        ("turned_away", traffic.connections_turned_away()),
        ("cut", traffic.connections_cut()),
    ] {
        family.sample(&[("outcome", outcome)], count);
    }
}
