//! Samples that were taken though their client was told that they may be lost.
//!
//! Where the log fails, it is not known what of it is on the disk, so the samples stay in memory
//! and are written with the next commit. A client that was told so repeats them. Such a repetition
//! waits for that commit and is acknowledged by it: it must not be refused for its time, which is
//! that of the sample that is there already.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use rrd::Sample;

/// So many samples of a member are remembered, or all that came with its last batch.
const SAMPLES_MAX: usize = 16;

/// A number that only the same sample has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SampleDigest(u64);

impl SampleDigest {
    pub(crate) fn new(sample: &Sample<'_>) -> Self {
        let Sample { time, readings } = sample;
        let mut hasher = DefaultHasher::new();
        (time.seconds, time.micros, readings).hash(&mut hasher);
        Self(hasher.finish())
    }
}

/// The samples of each member, oldest first.
#[derive(Debug, Default)]
pub(crate) struct InDoubt {
    members: HashMap<u16, Vec<SampleDigest>>,
}

impl InDoubt {
    /// Most often there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Remembers samples that came together.
    pub(crate) fn add(&mut self, member: u16, samples: &[SampleDigest]) {
        if samples.is_empty() {
            return;
        }
        let known = self.members.entry(member).or_default();
        known.retain(|sample| !samples.contains(sample));
        known.extend(samples);
        let kept = samples.len().max(SAMPLES_MAX);
        known.drain(..known.len().saturating_sub(kept));
    }

    /// Those of a member.
    pub(crate) fn of(&self, member: u16) -> Vec<SampleDigest> {
        self.members.get(&member).cloned().unwrap_or_default()
    }

    /// Whether a sample is one of these. It counts as acknowledged from then on.
    pub(crate) fn repeats(&mut self, member: u16, sample: SampleDigest) -> bool {
        let Some(known) = self.members.get_mut(&member) else { return false };
        let Some(at) = known.iter().position(|known| *known == sample) else { return false };
        known.remove(at);
        if known.is_empty() {
            self.members.remove(&member);
        }
        true
    }

    /// The member is gone.
    pub(crate) fn forget(&mut self, member: u16) {
        self.members.remove(&member);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(seconds: i64) -> SampleDigest {
        let time = rrd::Timestamp::from_seconds(seconds);
        SampleDigest::new(&Sample { time, readings: &[rrd::Reading::Unsigned(1)] })
    }

    #[test]
    fn what_is_remembered_of_a_member_is_bounded() {
        let mut doubt = InDoubt::default();
        let many: Vec<SampleDigest> = (0..50).map(sample).collect();
        doubt.add(1, &many);
        assert!(doubt.repeats(1, sample(0)) && !doubt.repeats(1, sample(0)));
        assert!(!doubt.repeats(2, sample(1)));
        doubt.add(1, &[sample(50)]);
        assert!(!doubt.repeats(1, sample(34)));
        (35..=50).for_each(|second| assert!(doubt.repeats(1, sample(second)), "{second}"));
        assert!(doubt.is_empty());
    }
}
