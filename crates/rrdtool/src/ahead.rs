//! Updates of neighbouring lines, which go to the server that has their store in one call: a sender
//! of many lines would else wait for the server, and its disk, at each.

use std::path::Path;
use std::sync::Arc;

use rrd::Timestamp;
use rrd::sample::SampleError;
use store::{Error, Locking, Refused, Resolved, Samples, Update};

use crate::databases::Place;
use crate::failure::Failure;
use crate::order::Order;
use crate::session::Session;

/// Bytes of updates that wait at most before they go.
const WAITING_BYTES_MAX: usize = 256 << 10;

/// Updates of one store that wait to go together, in the order of their lines.
#[derive(Default)]
pub(crate) struct Ahead {
    waiting: Vec<Waiting>,
    waiting_bytes: usize,
}

/// An update that waits.
pub(crate) struct Waiting {
    place: Place,
    file: String,
    template: Option<String>,
    skip_past: bool,
    locking: Locking,
    words: Vec<String>,
    moments: Vec<Option<Result<Timestamp, SampleError>>>,
}

impl Waiting {
    /// An update of a store at a server that was asked for that before; `None` for every other, and
    /// for one whose words are wrong. Times mean what they mean now.
    pub(crate) fn read(session: &mut Session, words: &[&str]) -> Option<Self> {
        let Session { databases, times, daemon, .. } = session;
        if daemon.is_some() || !databases.asks_servers() {
            return None;
        }
        let (order, daemon) = Order::of_update(words).ok()?;
        let place = databases.at_server(Path::new(order.file)).filter(|_| daemon.is_none())?;
        let moments = order.with_arguments(times, |arguments| arguments.moments());
        Some(Self {
            place,
            file: order.file.into(),
            template: order.template.map(str::to_owned),
            skip_past: order.skip_past,
            locking: order.locking,
            words: order.samples.iter().copied().map(str::to_owned).collect(),
            moments,
        })
    }

    fn size_bytes(&self) -> usize {
        self.file.len() + self.words.iter().map(String::len).sum::<usize>()
    }

    /// What becomes of it, as its line is told.
    fn told(&self, error: Error) -> Failure {
        let Place { name, path, .. } = &self.place;
        Failure::update(self.file.as_str(), error.called(name, path))
    }
}

impl Ahead {
    /// Whether an update can go with those that wait.
    pub(crate) fn has_room_for(&self, update: &Waiting) -> bool {
        let is_same = |other: &Waiting| Arc::ptr_eq(&other.place.store, &update.place.store);
        self.waiting.first().is_none_or(is_same)
            && self.waiting_bytes + update.size_bytes() <= WAITING_BYTES_MAX
    }

    pub(crate) fn push(&mut self, update: Waiting) {
        self.waiting_bytes += update.size_bytes();
        self.waiting.push(update);
    }

    /// Has all that wait taken, and tells what becomes of each in the order of their lines.
    pub(crate) fn settle(&mut self) -> impl Iterator<Item = Result<(), Failure>> + use<> {
        let waiting = std::mem::take(self).waiting;
        let words = waiting.iter().map(|update| update.words.iter().map(String::as_str).collect());
        let words: Vec<Vec<&str>> = words.collect();
        let resolved = |(update, words)| resolved(update, words);
        let resolved: Vec<Resolved<'_>> = waiting.iter().zip(&words).map(resolved).collect();
        let update = |(update, resolved)| as_update(update, resolved);
        let updates: Vec<Update<'_>> = waiting.iter().zip(&resolved).map(update).collect();
        let store = waiting.first().map(|update| Arc::clone(&update.place.store));
        let mut outcomes: Vec<Result<(), Failure>> = waiting.iter().map(|_| Ok(())).collect();
        for (nth, Refused { error, .. }) in store.map_or_else(Vec::new, |it| it.update(&updates)) {
            outcomes[nth] = Err(waiting[nth].told(error));
        }
        outcomes.into_iter()
    }
}

fn resolved<'a>(update: &'a Waiting, words: &'a Vec<&'a str>) -> Resolved<'a> {
    let Waiting { skip_past, locking, ref template, ref moments, .. } = *update;
    Resolved { template: template.as_deref(), skip_past, locking, words, moments }
}

fn as_update<'a>(update: &'a Waiting, resolved: &'a Resolved<'a>) -> Update<'a> {
    Update { name: &update.place.name, samples: Samples::Resolved(resolved) }
}
