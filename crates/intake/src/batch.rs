//! Samples that came together.

use std::collections::HashMap;
use std::sync::{Arc, RwLockReadGuard};

use rrd::Reading;
use senders::{Form, Identity, Kind, Sent, Value};

use crate::counts::Outcomes;
use crate::known::{KeyHash, Known, Met, Table};

/// No sample is older: a smaller number is one of another unit. It is the year 1980, rrdtool's bound.
const EARLIEST_MICROS: i64 = 315_532_800 * 1_000_000;
/// No database has so long a name.
const KEY_BYTES_MAX: usize = 2048;
/// New series of a batch, and the bytes of their keys.
const FRESH_MAX: usize = 100_000;
const FRESH_BYTES_MAX: usize = 32 << 20;

/// Samples that are stored at once: what was read of a socket in one call, or a request's body.
#[derive(Debug)]
pub struct Batch<'i> {
    table: &'i Table,
    known: RwLockReadGuard<'i, Known>,
    key: Vec<u8>,
    fresh_places: HashMap<KeyHash, u32>,
    fresh_bytes: usize,
    collected: Collected,
}

/// What a batch holds.
#[derive(Debug, Default)]
pub(crate) struct Collected {
    pub(crate) samples: Vec<Sample>,
    pub(crate) values: Vec<Stored>,
    /// The texts of values, one after the other.
    pub(crate) texts: String,
    pub(crate) fresh: Vec<Fresh>,
    /// For each sample its series, if that was met before.
    pub(crate) met: Vec<Option<Arc<Met>>>,
    /// What became already of samples that are not among these.
    pub(crate) outcomes: Outcomes,
    /// How often all series had been forgotten when the batch began.
    pub(crate) epoch: u64,
}

/// A sample.
#[derive(Debug)]
pub(crate) struct Sample {
    pub(crate) of: Of,
    pub(crate) time_micros: Option<i64>,
    /// The position of its first value.
    pub(crate) first: u32,
    pub(crate) values: u32,
}

/// Whose a sample is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Of {
    /// The series in this slot.
    Met(u32),
    /// The fresh series at this position.
    Fresh(u32),
}

/// A value as readings have it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stored {
    Unsigned(u64),
    Negative(u64),
    Unknown,
    /// Where its text stands.
    Text {
        begin: u32,
        end: u32,
    },
}

/// A series that was not met before.
#[derive(Debug)]
pub(crate) struct Fresh {
    pub(crate) hash: KeyHash,
    pub(crate) identity: Identity,
    pub(crate) form: Form,
    pub(crate) sources: Vec<(String, Kind)>,
    /// The time of its first sample in the batch.
    pub(crate) first_micros: Option<i64>,
}

impl<'i> Batch<'i> {
    pub(crate) fn new(table: &'i Table) -> Self {
        let known = table.read();
        Self {
            table,
            key: Vec::new(),
            fresh_places: HashMap::new(),
            fresh_bytes: 0,
            collected: Collected { epoch: known.epoch(), ..Collected::default() },
            known,
        }
    }

    /// Adds a sample. Of a series that was met before it takes no memory of its own.
    pub fn add(&mut self, sent: &Sent<'_>) {
        if sent.time_micros.is_some_and(|micros| micros < EARLIEST_MICROS) {
            self.collected.outcomes.refused += 1;
            return;
        }
        if sent.series.key_bytes() > KEY_BYTES_MAX {
            self.collected.outcomes.unmade += 1;
            return;
        }
        self.key.clear();
        sent.series.write_key(&mut self.key);
        let hash = self.table.hash(&self.key);
        let of = match self.known.slot(hash) {
            Some(slot) => Of::Met(slot),
            None => match self.fresh(hash, sent) {
                Some(place) => Of::Fresh(place),
                None => {
                    self.collected.outcomes.unmade += 1;
                    return;
                }
            },
        };
        let Collected { samples, values, texts, .. } = &mut self.collected;
        let first = values.len() as u32;
        values.extend(sent.values.iter().map(|(_, _, value)| stored(*value, texts)));
        let values = sent.values.len() as u32;
        samples.push(Sample { of, time_micros: sent.time_micros, first, values });
    }

    /// How many samples there are that may be stored.
    #[must_use]
    pub fn len(&self) -> usize {
        self.collected.samples.len()
    }

    /// Whether nothing was added.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.collected.samples.is_empty() && self.collected.outcomes == Outcomes::default()
    }

    /// What it holds. From now on new series can be remembered.
    pub(crate) fn finished(self) -> Collected {
        let Self { known, mut collected, .. } = self;
        let met = |sample: &Sample| match sample.of {
            Of::Met(slot) => known.at(slot),
            Of::Fresh(_) => None,
        };
        collected.met = collected.samples.iter().map(met).collect();
        collected
    }

    /// The place of a series that was not met before; `None` if there are too many.
    fn fresh(&mut self, hash: KeyHash, sent: &Sent<'_>) -> Option<u32> {
        let fresh = &mut self.collected.fresh;
        if let Some(&place) = self.fresh_places.get(&hash) {
            let known = &mut fresh[place as usize].first_micros;
            *known = match (*known, sent.time_micros) {
                (Some(one), Some(other)) => Some(one.min(other)),
                (one, other) => one.or(other),
            };
            return Some(place);
        }
        self.fresh_bytes += self.key.len();
        if fresh.len() >= FRESH_MAX || self.fresh_bytes > FRESH_BYTES_MAX {
            return None;
        }
        let place = fresh.len() as u32;
        let sources = sent.values.iter().map(|(name, kind, _)| ((*name).to_owned(), *kind));
        fresh.push(Fresh {
            hash,
            identity: sent.series.identity(),
            form: sent.series.form(),
            sources: sources.collect(),
            first_micros: sent.time_micros,
        });
        self.fresh_places.insert(hash, place);
        Some(place)
    }
}

/// A whole number beyond this may have lost digits.
const EXACT_MAX: f64 = 9_007_199_254_740_992.0;

fn stored(value: Value<'_>, texts: &mut String) -> Stored {
    let mut text = |text: &str| {
        let begin = texts.len() as u32;
        texts.push_str(text);
        Stored::Text { begin, end: texts.len() as u32 }
    };
    match value {
        Value::Unsigned(number) => Stored::Unsigned(number),
        Value::Signed(0) => Stored::Unsigned(0),
        Value::Signed(number) if number < 0 => Stored::Negative(number.unsigned_abs()),
        Value::Signed(number) => Stored::Unsigned(number.unsigned_abs()),
        Value::Float(number) if number.is_nan() => Stored::Unknown,
        // A counter takes whole numbers without a point.
        Value::Float(number) if number.fract() == 0.0 && number.abs() < EXACT_MAX => {
            match number as i64 {
                0 if number.is_sign_negative() => text("-0"),
                whole if whole < 0 => Stored::Negative(whole.unsigned_abs()),
                whole => Stored::Unsigned(whole.unsigned_abs()),
            }
        }
        Value::Float(number) if number.is_infinite() => {
            text(if number > 0.0 { "inf" } else { "-inf" })
        }
        Value::Float(number) => text(zmij::Buffer::new().format(number)),
        Value::Text(number) => match Reading::of(number) {
            Reading::Unsigned(number) => Stored::Unsigned(number),
            Reading::Negative(number) => Stored::Negative(number),
            _ => text(number),
        },
    }
}

impl Stored {
    pub(crate) fn reading(self, texts: &str) -> Reading<'_> {
        match self {
            Self::Unsigned(number) => Reading::Unsigned(number),
            Self::Negative(number) => Reading::Negative(number),
            Self::Unknown => Reading::Unknown,
            Self::Text { begin, end } => Reading::Text(&texts[begin as usize..end as usize]),
        }
    }
}
