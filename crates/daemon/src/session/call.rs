//! CALL: a store's own calls, as bytes.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use remote::{Answer, Call, Kind, MANY_VALUES, Name, images_at_once, serve};
use ring::READ_AT_ONCE;
use rrd::fetch::{Query, window, window_of_any_length, window_since};
use rrd::refill::RowChange;
use rrd::tune::TuneOption;
use rrdcached::server::answer;
use store::{Outline, Store};

use super::Stop;
use super::permissions::Permissions;
use super::replies::send;
use super::whole::{hold_values, values_after, values_of};
use crate::limits::Share;
use crate::output::Output;
use crate::service::Service;
use crate::shelf::Failure;

/// Bytes of memory that a byte of a call takes at most, once it is read.
const READ_BYTES_PER_BYTE: usize = 128;
/// The same of whole databases: the file, its values, and these again where they are made.
const WHOLE_BYTES_PER_BYTE: usize = 3;
/// Copies of values that an answer takes: those of the store, and the answer's own.
const COPIES: u64 = 2;
/// Values that a store has read when there are enough for one answer, at most, but for one answer.
const MANY_AT_ONCE: u64 = (MANY_VALUES + READ_AT_ONCE) as u64;
/// How often a client is told how far its call is.
const PROGRESS_EVERY: Duration = Duration::from_millis(100);

/// The refusal of a call for which there is no room.
const TOO_MANY: &str = "too many large calls at once, ask again";

/// A call whose bytes come next.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Called {
    kind: Kind,
    /// How many they are.
    pub(crate) size_bytes: usize,
    is_allowed: bool,
}

impl Called {
    /// Makes a share hold what so many bytes of it take; false where there is no room, or need.
    pub(crate) fn hold(&self, share: &mut Share<'_>, size_bytes: usize) -> bool {
        let memory = match self.kind {
            Kind::Restore | Kind::Create => WHOLE_BYTES_PER_BYTE,
            _ => READ_BYTES_PER_BYTE,
        };
        self.is_allowed && share.resize(size_bytes.saturating_mul(memory))
    }
}

/// Refuses a call whose bytes are not read: what follows is no line.
pub(super) fn refuse(words: &[u8], out: &mut Output<'_>) -> Result<(), Stop> {
    answer::error(out.buffer(), words);
    Err(Stop::Quit)
}

/// Begins a call, whose bytes come next.
///
/// # Errors
/// It is refused, and the client is told so.
pub(super) fn begin(
    kind: &[u8],
    size_bytes: u64,
    permissions: Permissions,
    out: &mut Output<'_>,
) -> Result<Called, Stop> {
    let Some(kind) = Kind::find(kind) else {
        refuse(&[b"Unknown kind of call: ", kind].concat(), out)?;
        return Err(Stop::Quit);
    };
    let limit = kind.size_bytes_max();
    let size_bytes = usize::try_from(size_bytes).ok().filter(|size| *size <= limit);
    let Some(size_bytes) = size_bytes else {
        refuse(format!("The call has more than {limit} bytes.").as_bytes(), out)?;
        return Err(Stop::Quit);
    };
    Ok(Called { kind, size_bytes, is_allowed: permissions.allow_call(kind) })
}

/// Answers a call; its bytes are gone where there was no room for them. The share holds what it
/// takes of memory.
pub(super) fn perform(
    service: &Service,
    called: Called,
    bytes: Option<&[u8]>,
    mut share: Share<'_>,
    out: &mut Output<'_>,
) -> Result<(), Stop> {
    let answer = match bytes {
        _ if !called.is_allowed => Answer::refused("Permission denied."),
        None => Answer::refused(TOO_MANY),
        Some(bytes) => answer_of(service, called.kind, bytes, &mut share, out),
    };
    let bytes = answer.encode();
    drop(answer);
    out.begin_reply(&share);
    let what = if service.shelf.syncs() { "durable" } else { "answer" };
    answer::status(out.buffer(), 0, format!("{} {what}", bytes.len()).as_bytes());
    send(&bytes, out)
}

fn answer_of(
    service: &Service,
    kind: Kind,
    bytes: &[u8],
    share: &mut Share<'_>,
    out: &mut Output<'_>,
) -> Answer<'static> {
    let Some(store) = service.shelf.ring() else {
        return Answer::refused("CALL is for ring stores: files are read where they lie");
    };
    let call = match Call::decode(bytes) {
        Ok(call) if call.kind() == kind => call,
        Ok(call) => {
            let (found, expected) = (call.kind().name(), kind.name());
            return Answer::refused(&format!("expected a call of {expected}, found {found}"));
        }
        Err(malformed) => return Answer::refused(&malformed.to_string()),
    };
    let held_bytes = share.size_bytes();
    let values = held_bytes as u64 / size_of::<f64>() as u64 + values(store, &call);
    if let Err(Failure::Rrd(words)) = hold_values(share, values) {
        return Answer::refused(&words);
    }
    let _turn = matches!(call, Call::Names { .. }).then(|| service.turn_to_list());
    let stream = out.stream();
    let goes_on = || !service.is_ending.load(Ordering::Relaxed) && !stream.is_lost();
    let mut told = Instant::now();
    let mut progress = |done, total| {
        if told.elapsed() >= PROGRESS_EVERY || done == total {
            told = Instant::now();
            out.send_if_room(&progress(done, total));
        }
    };
    let answer = serve(store, &call, &goes_on, &mut progress);
    let synced = if kind.changes() { service.shelf.synced() } else { Ok(()) };
    match synced {
        Err(Failure::Rrd(words)) => Answer::refused(&words),
        _ => answer,
    }
}

fn progress(done: u64, total: u64) -> Vec<u8> {
    let bytes = Answer::Progress(done, total).encode();
    let mut frame = format!("0 {} progress\n", bytes.len()).into_bytes();
    frame.extend(bytes);
    frame
}

/// Values that a call has in memory on its way, besides its own. The store tells what is wrong with
/// it.
fn values(store: &dyn Store, call: &Call<'_>) -> u64 {
    let of = |name: &Name<'_>| store.outline(&name.0).ok();
    let values = match call {
        Call::Image(name) | Call::Snapshot(name) => {
            of(name).map(|outline| COPIES.saturating_mul(values_of(&outline.definition)))
        }
        Call::Tune { name, options, structure, .. } => of(name).map(|outline| {
            let step =
                options.iter().any(|(option, _)| *option == TuneOption::Step).then_some("--step");
            let words: Vec<&str> = structure.iter().copied().chain(step).collect();
            values_after(&outline.definition, &words)
        }),
        Call::Resize { name, change, .. } => of(name).map(|outline| {
            let (RowChange::Grow(rows) | RowChange::Shrink(rows) | RowChange::To(rows)) = *change;
            let sources = outline.definition.sources.len() as u64;
            values_of(&outline.definition).saturating_add(rows.saturating_mul(sources))
        }),
        Call::Fetch(name, query) => of(name).and_then(|outline| {
            let last_seconds = outline.last_update.seconds;
            let window = window(&outline.definition, last_seconds, query).ok()?;
            Some(COPIES * window.rows.saturating_mul(outline.definition.sources.len() as u64))
        }),
        Call::FetchStretch(name, query) => of(name).and_then(|outline| {
            let (definition, last_seconds) = (&outline.definition, outline.last_update.seconds);
            let window = window_of_any_length(definition, last_seconds, query).ok()?;
            let held = window.held_by(definition.archives[window.archive].rows);
            Some(COPIES * held.count.saturating_mul(definition.sources.len() as u64))
        }),
        Call::Images(names) => Some(COPIES.saturating_mul(images_at_once(store, names).1)),
        Call::FetchMany(wanted) => Some(values_of_many(store, wanted)),
        Call::RowsSince(name, mark_seconds) => {
            of(name).map(|outline| COPIES.saturating_mul(values_since(&outline, *mark_seconds)))
        }
        _ => None,
    };
    values.unwrap_or(0)
}

/// Values of the rows that became final after a mark.
fn values_since(outline: &Outline, mark_seconds: i64) -> u64 {
    let Outline { definition, last_update } = outline;
    let rows = definition.archives.iter().enumerate().map(|(nth, archive)| {
        let window = window_since(definition, nth, last_update.seconds, mark_seconds);
        window.held_by(archive.rows).count
    });
    rows.sum::<u64>().saturating_mul(definition.sources.len() as u64)
}

/// Values of the rows that answer many queries, which stop where there are enough for one answer.
fn values_of_many(store: &dyn Store, wanted: &[(Name<'_>, Query)]) -> u64 {
    let one = |(name, query): &(Name<'_>, Query)| {
        values(store, &Call::FetchStretch(name.clone(), *query))
    };
    let (mut all, mut largest) = (0, 0);
    for values in wanted.iter().map(one) {
        all = values.saturating_add(all);
        largest = values.max(largest);
    }
    all.min(COPIES * MANY_AT_ONCE + largest)
}
