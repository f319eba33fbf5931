//! What agents send: known series as Influx' lines and by remote write, beside VictoriaMetrics.
//!
//! Each cycle has a sample of every series. Two connections send it in requests of 10,000 samples,
//! each waiting for its answer. gyre's answers come when the samples are on the disk, its peer's
//! when they are in memory.
//!
//! Expected: 0.3 us a line to read it and find its series, 0.5 us to update a database of a ring
//! store, 0.2 us of system calls: 1 us on one core, 2 million a second on two, less what the load
//! itself takes.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use intake::{Intake, Limits, Settings, Tallies};
use ring::{RingOptions, RingStore};
use server::{Arrivals, DataContext, Hosts, Running, data_router};
use store::Rooted;
use testbed::ProcessCounters;

use super::Bench;
use crate::http::Connection;
use crate::report::{Report, Row};
use crate::series::Victoria;

/// Samples in a request: as many as vmagent puts into one.
const SAMPLES: usize = 10_000;
/// Connections that send.
const CONNECTIONS: usize = 2;
/// Both know all series after this many cycles.
const KNOWN_CYCLES: u64 = 2;
/// The step of the databases; the cycles are so far apart.
const STEP_SECONDS: u64 = 60;

/// Six hours of rows, so that a million databases have room on a small disk.
const LAYOUT: &str = "
http = true
[[layout]]
archives = [\"RRA:AVERAGE:0.5:1:360\"]
";

/// A protocol of agents.
#[derive(Clone, Copy, Debug)]
pub(super) enum Protocol {
    Influx,
    RemoteWrite,
}

impl Protocol {
    fn words(self) -> &'static str {
        match self {
            Self::Influx => "Influx' lines",
            Self::RemoteWrite => "samples by remote write",
        }
    }

    fn head(self) -> &'static str {
        match self {
            Self::Influx => "POST /write?precision=s HTTP/1.1\r\n",
            Self::RemoteWrite => {
                "POST /api/v1/write HTTP/1.1\r\nContent-Encoding: snappy\r\n\
                 Content-Type: application/x-protobuf\r\n\
                 X-Prometheus-Remote-Write-Version: 0.1.0\r\n"
            }
        }
    }

    /// The body of a request for some series.
    fn body(self, series: std::ops::Range<u64>, seconds: u64) -> Vec<u8> {
        match self {
            Self::Influx => lines(series, seconds),
            Self::RemoteWrite => message(series, seconds),
        }
    }
}

/// Measures a protocol.
pub(super) fn measure(
    bench: &Bench<'_>,
    protocol: Protocol,
    report: &mut Report,
) -> Result<(), String> {
    let directory = bench.inside.join(format!("intake-{protocol:?}"));
    let series = bench.options.sent;
    let ours = Ours::start(&directory.join("store"), series)?;
    let own = || ProcessCounters::own();
    let ours_taken = taken(bench, protocol, &ours.connect()?, &own)?;
    drop(ours);
    let _ = std::fs::remove_dir_all(&directory); // the space is needed
    let program = bench.victoria.as_deref();
    let theirs_taken = program.map(|program| -> Result<Taken, String> {
        let server = Victoria::start(program, &directory.join("victoria"))?;
        let connections = connections(server.address())?;
        taken(bench, protocol, &connections, &|| server.counters())
    });
    let _ = std::fs::remove_dir_all(&directory);
    report.row(row(protocol, series, &ours_taken, theirs_taken.transpose()?.as_ref()));
    Ok(())
}

fn row(protocol: Protocol, series: u64, ours: &Taken, theirs: Option<&Taken>) -> Row {
    let what = format!("{} of {} known series", protocol.words(), ::figures::count(series));
    let note = |name: &str, taken: &Taken| {
        format!("{name}: {:.2} us of processor time a sample", taken.processor_us)
    };
    match theirs {
        None => Row::of_rounds(what, "/s", &ours.rates).at_least(1.0e6),
        Some(theirs) => {
            let rates = [theirs.rates.clone(), ours.rates.clone()];
            Row::of_turns(what, "/s", "victoria-metrics", &rates)
                .at_least(1.0e6)
                .times(1.5)
                .note(note("victoria-metrics, not synced", theirs))
        }
    }
    .note(note("gyre with its load, synced", ours))
}

/// What a server took.
struct Taken {
    /// Samples a second in each cycle.
    rates: Vec<f64>,
    processor_us: f64,
}

fn taken(
    bench: &Bench<'_>,
    protocol: Protocol,
    connections: &[std::sync::Mutex<Connection>],
    counters: &dyn Fn() -> Result<ProcessCounters, String>,
) -> Result<Taken, String> {
    let (series, rounds) = (bench.options.sent, bench.options.rounds as u64);
    let since = SystemTime::now().duration_since(UNIX_EPOCH).map_err(|it| it.to_string())?;
    let first = since.as_secs() / STEP_SECONDS - KNOWN_CYCLES - rounds;
    let (mut rates, mut before) = (Vec::new(), counters()?);
    for cycle in 0..KNOWN_CYCLES + rounds {
        if cycle == KNOWN_CYCLES {
            (rates, before) = (Vec::new(), counters()?);
        }
        let begins = (0..series).step_by(SAMPLES);
        let seconds = (first + cycle) * STEP_SECONDS;
        let body = |begin| protocol.body(begin..series.min(begin + SAMPLES as u64), seconds);
        let bodies: Vec<Vec<u8>> = begins.map(body).collect();
        let begun = Instant::now();
        send(protocol, connections, &bodies)?;
        rates.push(series as f64 / begun.elapsed().as_secs_f64());
    }
    let used = counters()? - before;
    let seconds = used.user_seconds + used.system_seconds;
    let processor_us = seconds / (series * rounds) as f64 * 1e6;
    Ok(Taken { rates, processor_us })
}

/// Sends bodies over all connections, each its share.
fn send(
    protocol: Protocol,
    connections: &[std::sync::Mutex<Connection>],
    bodies: &[Vec<u8>],
) -> Result<(), String> {
    std::thread::scope(|scope| {
        let sending = connections.iter().enumerate().map(|(nth, connection)| {
            scope.spawn(move || {
                let mut connection = connection.lock().map_err(|error| error.to_string())?;
                let mut own = bodies.iter().skip(nth).step_by(CONNECTIONS);
                own.try_for_each(|body| connection.post(protocol.head(), body))
            })
        });
        let sending: Vec<_> = sending.collect();
        sending.into_iter().try_for_each(|it| it.join().expect("sending does not panic"))
    })
}

fn connections(address: std::net::SocketAddr) -> Result<Vec<std::sync::Mutex<Connection>>, String> {
    let connection = |_| Connection::to(address).map(std::sync::Mutex::new);
    (0..CONNECTIONS).map(connection).collect()
}

/// gyre's server over a ring store that syncs before it acknowledges.
struct Ours {
    server: Running,
}

impl Ours {
    fn start(directory: &Path, series: u64) -> Result<Self, String> {
        let told = |error: store::Error| error.to_string();
        let store = RingStore::open_or_create(directory, RingOptions::default()).map_err(told)?;
        let rooted = Rooted::new(Arc::new(store));
        let limits = Limits { databases_max: series, new_a_minute_max: series };
        let rules = Settings::of_text(LAYOUT).map_err(|error| error.to_string())?.rules;
        let intake = Intake::new(rooted.clone(), rules, limits, [1, 2]);
        let rules = lookup::Rules::default();
        let mut data = DataContext::new(rooted, rules, Box::new(|_| Vec::new()));
        data.arrivals = Some(Arrivals::new(Arc::new(intake), Arc::<Tallies>::default()));
        let router = data_router(data, Hosts::of_this_machine());
        let listener =
            std::net::TcpListener::bind("127.0.0.1:0").map_err(|error| error.to_string())?;
        let server = server::start(listener, router, server::Limits::default());
        Ok(Self { server: server.map_err(|error| error.to_string())? })
    }

    fn connect(&self) -> Result<Vec<std::sync::Mutex<Connection>>, String> {
        connections(self.server.address())
    }
}

/// The value of a series: other digits in each cycle.
fn value(series: u64, seconds: u64) -> f64 {
    let mixed = (series * 1_000_003 + seconds).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 44;
    mixed as f64 / 8.0
}

fn lines(series: std::ops::Range<u64>, seconds: u64) -> Vec<u8> {
    let mut text = String::new();
    for it in series {
        let (host, core, value) = (it / 100, it % 100, value(it, seconds));
        let _ = writeln!(
            text,
            "cpu,host=web-{host:05},core=core-{core:02},dc=east usage={value} {seconds}"
        );
    }
    text.into_bytes()
}

fn message(series: std::ops::Range<u64>, seconds: u64) -> Vec<u8> {
    let mut message = Vec::new();
    for it in series {
        let mut one = Vec::new();
        let (host, core) = (format!("web-{:05}", it / 100), format!("core-{:02}", it % 100));
        let labels = [("__name__", "cpu_usage"), ("core", &core), ("dc", "east"), ("host", &host)];
        for (name, value) in labels {
            let mut label = Vec::new();
            push_field(&mut label, 1, name.as_bytes());
            push_field(&mut label, 2, value.as_bytes());
            push_field(&mut one, 1, &label);
        }
        let mut sample = vec![1 << 3 | 1];
        sample.extend(value(it, seconds).to_le_bytes());
        sample.push(2 << 3);
        push_varint(&mut sample, seconds * 1000);
        push_field(&mut one, 2, &sample);
        push_field(&mut message, 1, &one);
    }
    snap::raw::Encoder::new().compress_vec(&message).expect("a message of a megabyte")
}

fn push_field(out: &mut Vec<u8>, number: u8, bytes: &[u8]) {
    out.push(number << 3 | 2);
    push_varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

fn push_varint(out: &mut Vec<u8>, mut rest: u64) {
    while rest > 127 {
        out.push(rest as u8 | 128);
        rest >>= 7;
    }
    out.push(rest as u8);
}
