//! The encoding of updates.

use std::borrow::Cow;

use rrd::sample::SampleError;
use rrd::{Reading, Sample, Timestamp};
use serde::{Deserialize, Serialize};
use store::{Arguments, Locking, Resolved, Samples, Update};

use super::bytes::Name;

/// The encoding of an [`Update`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Batch<'a> {
    #[serde(borrow)]
    pub(super) name: Name<'a>,
    #[serde(borrow)]
    samples: Form<'a>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Form<'a> {
    Read(#[serde(borrow)] Vec<(Timestamp, Cow<'a, [Reading<'a>]>)>),
    Numbered(#[serde(borrow)] Vec<&'a str>),
    Resolved {
        template: Option<&'a str>,
        skip_past: bool,
        locking: Locking,
        #[serde(borrow)]
        words: Vec<&'a str>,
        moments: Vec<Option<Result<Timestamp, SampleError>>>,
    },
}

impl<'a> Batch<'a> {
    pub(super) fn of(update: &Update<'a>) -> Self {
        let samples = match update.samples {
            Samples::Read(samples) => {
                let pair = |sample: &Sample<'a>| (sample.time, Cow::Borrowed(sample.readings));
                Form::Read(samples.iter().map(pair).collect())
            }
            Samples::Numbered(values) => Form::Numbered(values.to_vec()),
            Samples::Arguments(arguments) => {
                let &Arguments { template, skip_past, locking, words, .. } = arguments;
                let moments = arguments.moments();
                Form::Resolved { template, skip_past, locking, words: words.to_vec(), moments }
            }
            Samples::Resolved(&Resolved { template, skip_past, locking, words, moments }) => {
                let (words, moments) = (words.to_vec(), moments.to_vec());
                Form::Resolved { template, skip_past, locking, words, moments }
            }
        };
        Self { name: Name::of(update.name), samples }
    }

    /// The samples that are given by value.
    fn by_value(&self) -> impl ExactSizeIterator<Item = Sample<'_>> {
        let samples = match &self.samples {
            Form::Read(samples) => samples.as_slice(),
            Form::Numbered(_) | Form::Resolved { .. } => &[],
        };
        samples.iter().map(|(time, readings)| Sample { time: *time, readings })
    }

    /// The samples that are given as arguments of a command line.
    fn resolved(&self) -> Option<Resolved<'_>> {
        let Form::Resolved { template, skip_past, locking, words, moments } = &self.samples else {
            return None;
        };
        let (template, skip_past, locking) = (*template, *skip_past, *locking);
        Some(Resolved { template, skip_past, locking, words, moments })
    }

    /// Passes the decoded updates to `work`.
    pub(super) fn with_all<T>(batches: &[Self], work: impl FnOnce(&[Update<'_>]) -> T) -> T {
        // The samples of all batches are in one vector, so that a batch needs no allocation of its
        // own.
        let by_value: Vec<_> = batches.iter().flat_map(Batch::by_value).collect();
        let resolved: Vec<_> = batches.iter().map(Batch::resolved).collect();
        let mut rest = by_value.as_slice();
        let updates = batches.iter().zip(&resolved).map(|(batch, resolved)| {
            let samples = match (&batch.samples, resolved) {
                (Form::Numbered(values), _) => Samples::Numbered(values),
                (_, Some(resolved)) => Samples::Resolved(resolved),
                _ => {
                    let (own, others) = rest.split_at(batch.by_value().len());
                    rest = others;
                    Samples::Read(own)
                }
            };
            Update { name: &batch.name.0, samples }
        });
        work(&updates.collect::<Vec<_>>())
    }

    /// A reading whose text is not valid: it would end the reading, or its line.
    pub(super) fn odd_text(&self) -> Option<&str> {
        let Form::Read(samples) = &self.samples else { return None };
        let mut readings = samples.iter().flat_map(|(_, readings)| readings.iter());
        readings.find_map(|reading| match reading {
            Reading::Text(text) if text.contains([':', '@', '\n', '\0']) => Some(*text),
            _ => None,
        })
    }
}
