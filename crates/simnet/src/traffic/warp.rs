//! Noise that can be integrated in closed form: time runs a little faster, then a little slower.
//!
//! Time is divided into blocks. Within a block it deviates by a few waves of random height, which
//! begin and end at zero, so a block does not depend on earlier ones. Blocks of several lengths are
//! superimposed.
//!
//! ```text
//! warp(t)  = t + sum of  length * height * (1 - cos(2 pi waves x)) / (2 pi waves)
//! warp'(t) = 1 + sum of           height * sin(2 pi waves x)             x: place in the block
//! ```

use crate::lots::Chance;
use std::f64::consts::TAU;

/// Lengths of blocks in milliseconds, and the largest height of their waves.
const SCALES: [(u64, f64); 5] =
    [(40_000, 0.10), (370_000, 0.14), (2_700_000, 0.14), (17_900_000, 0.12), (151_000_000, 0.10)];
/// The highest speed of time; the lowest is 2 minus this.
pub(super) const SPEED_MAX: f64 = 1.6;
const WAVES_MAX: u64 = 3;

#[derive(Debug, Clone, Copy)]
pub(super) struct Warp(pub(super) Chance);

/// The waves of a block, at one place in it.
struct Wave {
    length_seconds: f64,
    waves: f64,
    height: f64,
    /// The place within the waves, in radians.
    angle: f64,
}

impl Warp {
    /// The seconds to add to the time.
    pub(super) fn ahead_seconds(self, time_ms: u64) -> f64 {
        let ahead = |wave: Wave| {
            let Wave { length_seconds, waves, height, angle } = wave;
            length_seconds * height * (1.0 - angle.cos()) / (TAU * waves)
        };
        self.waves(time_ms).map(ahead).sum()
    }

    /// The speed of time, which is the factor of the rate.
    pub(super) fn speed(self, time_ms: u64) -> f64 {
        1.0 + self.waves(time_ms).map(|wave| wave.height * wave.angle.sin()).sum::<f64>()
    }

    /// One for each scale.
    fn waves(self, time_ms: u64) -> impl Iterator<Item = Wave> {
        SCALES.into_iter().enumerate().map(move |(scale, (length_ms, height_max))| {
            let chance = self.0.child(scale as u64);
            // The blocks of each port begin at another time: otherwise all ports would pause at
            // once.
            let shifted_ms = time_ms + chance.below(length_ms);
            let (block, place_ms) = (shifted_ms / length_ms, shifted_ms % length_ms);
            let lot = chance.child(block);
            let waves = (1 + lot.child(1).below(WAVES_MAX)) as f64;
            Wave {
                length_seconds: length_ms as f64 / 1000.0,
                waves,
                height: lot.between(-height_max, height_max),
                angle: TAU * waves * place_ms as f64 / length_ms as f64,
            }
        })
    }
}
