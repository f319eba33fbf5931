//! Points that are spread evenly over many dimensions. They are always the same, so that a model
//! always gives the same result.

use chance::Random;

/// Points of an additive recurrence: in each dimension, the n-th point is the fractional part of n
/// times the square root of a prime. Their means are more accurate than those of as many random
/// points.
#[derive(Clone, Debug)]
pub(super) struct Evenly {
    nth: u64,
    roots: Vec<u64>,
    random: Random,
}

impl Evenly {
    pub(super) fn new(dimensions: usize) -> Self {
        let is_prime = |n: &u32| (2..*n).take_while(|d| d * d <= *n).all(|d| !n.is_multiple_of(d));
        let primes = (2..).filter(is_prime).take(dimensions);
        let roots = primes.map(|prime| (f64::from(prime).sqrt().fract() * TWO_TO_64) as u64 | 1);
        Self { nth: 0, roots: roots.collect(), random: Random::new(0) }
    }

    /// Goes to the next point.
    pub(super) fn next(&mut self) -> &Self {
        self.nth += 1;
        self
    }

    /// The point's coordinate in a dimension, scaled to a number below a limit.
    pub(super) fn below(&self, dimension: usize, limit: u64) -> u64 {
        scaled(self.nth.wrapping_mul(self.roots[dimension]), limit)
    }

    /// A number in the nth of `count` equal parts of the range below a limit.
    pub(super) fn part_below(&self, nth: u32, count: u32, limit: u64) -> u64 {
        let within = (self.nth.wrapping_mul(self.roots[0]) >> 32) as f64 / TWO_TO_32;
        let part = (f64::from(nth) + within) / f64::from(count);
        ((part * limit as f64) as u64).min(limit - 1)
    }

    /// A random number below a limit.
    pub(super) fn by_chance(&mut self, limit: u64) -> u64 {
        scaled(self.random.number(), limit)
    }
}

const TWO_TO_32: f64 = 4_294_967_296.0;
const TWO_TO_64: f64 = TWO_TO_32 * TWO_TO_32;

fn scaled(fraction: u64, limit: u64) -> u64 {
    ((u128::from(fraction) * u128::from(limit)) >> 64) as u64
}
