//! The two servers over the same series, and a question to both.

use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::time::Instant;

use lookup::{Lookup, Rules};
use serde_json::Value;
use server::{DataContext, Hosts, Limits, Running, data_router};
use store::Rooted;
use testbed::ProcessCounters;

use super::fleet::Fleet;
use crate::http::Connection;
use crate::report::Row;
use crate::series::Victoria;

/// What gyre's series are called, so that they are called as VictoriaMetrics calls its own.
const RULES: &str = "
[[series]]
database = \"{device}/{port}\"
metric = \"mrtg_{ds}\"
path = \"net.{device}.{port}\"
";

/// A fleet behind both servers.
pub(super) struct Site {
    pub(super) fleet: Fleet,
    /// What gyre's server looks series up in.
    pub(super) lookup: Lookup,
    ours: Connection,
    theirs: Option<Theirs>,
    _server: Running,
}

struct Theirs {
    server: Victoria,
    connection: Connection,
}

/// What a server answered, and what that took.
struct Asked {
    milliseconds: f64,
    processor_milliseconds: f64,
    body: Vec<u8>,
}

/// A question, in the words of each of the two.
pub(super) struct Question<'a> {
    pub(super) what: String,
    pub(super) ours: &'a str,
    pub(super) theirs: &'a str,
    /// What both have to answer: how many of what is counted, and the sum of all values.
    pub(super) count: fn(&Value) -> Counted,
    pub(super) count_expected: u64,
}

/// What an answer holds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counted {
    /// Series or names.
    pub(super) items: u64,
    pub(super) values: u64,
    pub(super) sum: f64,
}

impl Site {
    /// Fills a store and, if there is one, VictoriaMetrics, and serves them.
    pub(super) fn new(
        fleet: Fleet,
        directory: &Path,
        victoria: Option<&Path>,
    ) -> Result<Self, String> {
        let store = fleet.make(&directory.join("store"))?;
        let theirs = victoria.map(|program| Theirs::filled(&fleet, program, directory));
        let rules = Rules::of_text(RULES).map_err(|error| error.to_string())?;
        let data = DataContext::new(Rooted::new(store), rules, Box::new(|_| Vec::new()));
        let lookup = data.lookup.clone();
        let router = data_router(data, Hosts::of_this_machine());
        let listener = TcpListener::bind("127.0.0.1:0").map_err(|error| error.to_string())?;
        let server = server::start(listener, router, Limits::default());
        let server = server.map_err(|error| error.to_string())?;
        let ours = Connection::to(server.address())?;
        Ok(Self { fleet, lookup, ours, theirs: theirs.transpose()?, _server: server })
    }

    pub(super) fn address(&self) -> SocketAddr {
        self._server.address()
    }

    /// Asks both so many times, in turns, and holds the answers against each other.
    pub(super) fn measure(
        &mut self,
        question: &Question<'_>,
        rounds: usize,
    ) -> Result<Row, String> {
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        // The first answers fill caches of both.
        for _ in 0..=rounds {
            ours.push(self.ask_gyre(question.ours)?);
            if let Some(server) = &mut self.theirs {
                theirs.push(server.ask(question.theirs)?);
            }
        }
        check(question, &ours[0], theirs.first())?;
        let times = |all: &[Asked]| all[1..].iter().map(|it| it.milliseconds).collect::<Vec<_>>();
        let what = question.what.clone();
        let note = |name: &str, all: &[Asked]| {
            let processor: Vec<f64> = all[1..].iter().map(|it| it.processor_milliseconds).collect();
            let mean = processor.iter().sum::<f64>() / processor.len() as f64;
            let first = all[0].milliseconds;
            format!(
                "{name}: {mean:.1} ms of processor time a question; the first took {first:.1} ms"
            )
        };
        Ok(match theirs.is_empty() {
            true => Row::of_rounds(what, "ms", &times(&ours)),
            false => Row::of_turns(what, "ms", "victoria-metrics", &[times(&theirs), times(&ours)])
                .note(note("victoria-metrics", &theirs)),
        }
        .note(note("gyre", &ours)))
    }

    fn ask_gyre(&mut self, path: &str) -> Result<Asked, String> {
        asked(&mut self.ours, path, &ProcessCounters::own)
    }
}

impl Theirs {
    fn filled(fleet: &Fleet, program: &Path, directory: &Path) -> Result<Self, String> {
        let server = Victoria::start(program, &directory.join("victoria"))?;
        fleet.send(&server)?;
        let connection = Connection::to(server.address())?;
        Ok(Self { server, connection })
    }

    fn ask(&mut self, path: &str) -> Result<Asked, String> {
        asked(&mut self.connection, path, &|| self.server.counters())
    }
}

fn asked(
    connection: &mut Connection,
    path: &str,
    counters: &dyn Fn() -> Result<ProcessCounters, String>,
) -> Result<Asked, String> {
    let before = counters()?;
    let begun = Instant::now();
    let body = connection.get(path)?;
    let milliseconds = begun.elapsed().as_secs_f64() * 1e3;
    let used = counters()? - before;
    let processor_milliseconds = (used.user_seconds + used.system_seconds) * 1e3;
    Ok(Asked { milliseconds, processor_milliseconds, body })
}

/// Whether both answered the same, and as much as was expected.
fn check(question: &Question<'_>, ours: &Asked, theirs: Option<&Asked>) -> Result<(), String> {
    let count = |asked: &Asked| -> Result<Counted, String> {
        let value = serde_json::from_slice(&asked.body);
        Ok((question.count)(&value.map_err(|error| format!("{}: {error}", question.what))?))
    };
    let counted = count(ours)?;
    if counted.items != question.count_expected {
        let expected = question.count_expected;
        return Err(format!("{}: expected {expected}, found {counted:?}", question.what));
    }
    let Some(theirs) = theirs else { return Ok(()) };
    let other = count(theirs)?;
    let is_same = (counted.items, counted.values) == (other.items, other.values)
        && (counted.sum - other.sum).abs() <= counted.sum.abs() * 1e-9;
    match is_same {
        true => Ok(()),
        false => Err(format!("{}: gyre says {counted:?}, its peer {other:?}", question.what)),
    }
}

/// The series of an answer of Prometheus' API, and their values.
pub(super) fn of_matrix(answer: &Value) -> Counted {
    let mut counted = Counted::default();
    for series in answer["data"]["result"].as_array().into_iter().flatten() {
        counted.items += 1;
        for sample in series["values"].as_array().into_iter().flatten() {
            counted.values += 1;
            let text = sample[1].as_str().unwrap_or_default();
            counted.sum += text.parse().unwrap_or(f64::NAN);
        }
    }
    counted
}

/// The series of an answer of Graphite's API, and their values; those of Prometheus' beside it.
pub(super) fn of_render(answer: &Value) -> Counted {
    let Some(all) = answer.as_array() else { return of_matrix(answer) };
    let mut counted = Counted::default();
    for series in all {
        counted.items += 1;
        for point in series["datapoints"].as_array().into_iter().flatten() {
            if let Some(value) = point[0].as_f64() {
                counted.values += 1;
                counted.sum += value;
            }
        }
    }
    counted
}

/// The names of an answer of Prometheus' API.
pub(super) fn of_list(answer: &Value) -> Counted {
    let items = answer["data"].as_array().map_or(0, Vec::len) as u64;
    Counted { items, ..Counted::default() }
}
