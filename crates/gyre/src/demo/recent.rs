//! Makes very many databases with a past of one hour: each is updated with the samples that a
//! collector would have taken.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use rrd::{Definition, Reading, Sample, Timestamp};
use simnet::{Health, Traffic};
use store::{Error, Making, NewDatabase, Store, Update};

use super::destination::RingPlace;
use super::entry::Entry;
use crate::on_every_core::on_every_core;

/// The past of a database.
const PAST_SECONDS: i64 = 3600;
/// Databases that are made and updated with one call each: half of a group of the ring store.
const BATCH: usize = 2016;

/// Makes the databases of targets that poll the simulated network. Returns how many. Ends early if
/// told to `stop`.
pub(super) fn fill(
    entries: &[Entry<'_>],
    traffic: &Traffic,
    now_seconds: i64,
    stop: &AtomicBool,
    place: &RingPlace<'_>,
) -> Result<usize, Error> {
    let failure = Mutex::new(None);
    let batches: Vec<&[Entry<'_>]> = entries.chunks(BATCH).collect();
    let queue = on_every_core("the last hour", entries.len(), |queue| {
        while let Some(batch) = queue.next().and_then(|nth| batches.get(nth)) {
            if stop.load(Ordering::Relaxed) {
                return;
            }
            let all = batch.iter().map(|entry| Past::of(entry, traffic, now_seconds, place));
            if let Err(error) = write(&all.collect::<Vec<_>>(), place.store) {
                queue.give_up();
                *failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                return;
            }
            queue.did(batch.len());
        }
    });
    match failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(error),
        None => Ok(queue.done()),
    }
}

/// A database, and the answers of its device in the last hour.
struct Past {
    name: String,
    definition: Definition,
    start: Timestamp,
    polls: Vec<Answer>,
}

/// What a device answered to a poll.
struct Answer {
    time: Timestamp,
    counters: [String; 2],
}

impl Past {
    fn of(entry: &Entry<'_>, traffic: &Traffic, now_seconds: i64, place: &RingPlace<'_>) -> Self {
        let definition = entry.target.settings.definition();
        let step_seconds = definition.step_seconds as i64;
        let end_seconds = now_seconds - now_seconds % step_seconds;
        let first_seconds = end_seconds - PAST_SECONDS;
        let before_start = entry.octets_at_start(traffic, end_seconds);
        let answer = |moment_seconds: i64| {
            let octets = entry.octets(traffic, moment_seconds);
            // Before the device's last start its counter is as far below zero as it wraps.
            let shown = [0, 1].map(|way| octets[way].wrapping_sub(before_start[way]).to_string());
            Answer { time: Timestamp::from_seconds(moment_seconds), counters: shown }
        };
        let moments = (first_seconds..=end_seconds).step_by(step_seconds as usize);
        Self {
            name: place.name(entry.target),
            start: Timestamp::from_seconds(first_seconds - step_seconds),
            definition,
            polls: match entry.device.health {
                Health::Dead => Vec::new(),
                _ => moments.map(answer).collect(),
            },
        }
    }
}

fn write(all: &[Past], store: &dyn Store) -> Result<(), Error> {
    let new = all.iter().map(|Past { name, definition, start, .. }| {
        Making::new(NewDatabase { name: Path::new(name), definition, start: *start })
    });
    let failures = store.make(&new.collect::<Vec<_>>(), &|| true);
    if let Some((_, error)) = failures.into_iter().next() {
        return Err(error);
    }
    let polls = all.iter().flat_map(|past| &past.polls);
    let readings: Vec<[Reading<'_>; 2]> =
        polls.clone().map(|poll| poll.counters.each_ref().map(|text| Reading::of(text))).collect();
    let samples: Vec<Sample<'_>> =
        polls.zip(&readings).map(|(poll, readings)| Sample { time: poll.time, readings }).collect();
    let mut rest = &samples[..];
    let updates = all.iter().filter(|past| !past.polls.is_empty()).map(|past| {
        let own;
        (own, rest) = rest.split_at(past.polls.len());
        Update::of(&past.name, own)
    });
    let refused = store.update(&updates.collect::<Vec<_>>());
    refused.into_iter().next().map_or(Ok(()), |(_, refused)| Err(refused.error))
}
