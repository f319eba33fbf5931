//! The traffic of one direction of a port.

use super::burst::Burst;
use super::direction::Direction;
use super::rhythm::{Profile, Profiles, WEEK_MS, WEEK_SECONDS};
use super::warp::{SPEED_MAX, Warp};
use crate::lots::Chance;
use crate::port::{Line, Role};

/// The largest share of its line that a port uses.
const SHARE_MAX: f64 = 0.95;

#[derive(Debug, Clone, Copy)]
pub(super) struct Flow {
    profile: Profile,
    /// Octets a second at the profile's peak, before noise.
    peak: f64,
    /// How much later this port's week begins.
    late_ms: u64,
    warp: Warp,
    burst: Option<Burst>,
}

/// Shares of the line: the peak of the rhythm in and out, and that of the burst.
struct Shares {
    profile: Profile,
    rhythm: [f64; 2],
    burst: [f64; 2],
}

impl Flow {
    /// One direction of a port.
    pub(super) fn new(chance: Chance, port: &Line, direction: Direction) -> Flow {
        let way = direction as usize;
        let line = port.speed_bits_per_second as f64 / 8.0;
        let shares = shares(chance.child(0), port.role);
        let (rhythm, burst) = (shares.rhythm[way], shares.burst[way]);
        assert!(rhythm * SPEED_MAX + burst <= SHARE_MAX, "{:?} outruns its line", port.role);
        let of_way = chance.child(10 + way as u64);
        Flow {
            profile: shares.profile,
            peak: rhythm * line,
            late_ms: chance.child(1).below(90 * 60_000),
            warp: Warp(of_way.child(0)),
            burst: (burst > 0.0).then(|| Burst::new(of_way.child(1), burst * line)),
        }
    }

    /// Work that goes on all the time, with this peak before noise.
    pub(super) fn steady(chance: Chance, peak: f64) -> Flow {
        let (profile, warp) = (Profile::Steady, Warp(chance.child(0)));
        Flow { profile, peak, late_ms: chance.child(1).below(90 * 60_000), warp, burst: None }
    }

    pub(super) fn octets(&self, profiles: &Profiles, time_ms: u64) -> u64 {
        let (week, second) = self.place(time_ms, self.warp.ahead_seconds(time_ms));
        // Weeks have whole octets, so that the end of a week is exactly the start of the next.
        let of_week = (self.peak * profiles.whole_week(self.profile)) as u64;
        let passed = (self.peak * profiles.passed(self.profile, second)) as u64;
        let burst = self.burst.map_or(0, |burst| burst.octets(time_ms));
        // A counter wraps at 2^64, like a real one; at full load that takes decades.
        week.wrapping_mul(of_week).wrapping_add(passed.min(of_week)).wrapping_add(burst)
    }

    pub(super) fn rate(&self, profiles: &Profiles, time_ms: u64) -> f64 {
        let (_, second) = self.place(time_ms, self.warp.ahead_seconds(time_ms));
        let level = profiles.level(self.profile, second);
        let rhythm = self.peak * level * self.warp.speed(time_ms);
        rhythm + self.burst.map_or(0.0, |burst| burst.rate(time_ms))
    }

    /// The week of this port, and the second in it.
    fn place(&self, time_ms: u64, ahead_seconds: f64) -> (u64, f64) {
        // One week is added, so that neither the delay nor the warp gives a negative time.
        let own_ms = time_ms + WEEK_MS - self.late_ms;
        let (week, second) = (own_ms / WEEK_MS, (own_ms % WEEK_MS) as f64 / 1000.0);
        let second = second + ahead_seconds;
        if second < 0.0 {
            (week - 1, second + WEEK_SECONDS)
        } else if second >= WEEK_SECONDS {
            (week + 1, second - WEEK_SECONDS)
        } else {
            (week, second)
        }
    }
}

fn shares(chance: Chance, role: Role) -> Shares {
    let draw = |number, low, high| chance.child(number).between(low, high);
    let steady = Profile::Steady;
    match role {
        Role::Uplink => Shares {
            profile: Profile::Campus,
            rhythm: [draw(0, 0.2, 0.52), draw(1, 0.06, 0.26)],
            burst: [0.0, 0.0],
        },
        Role::Access => {
            // Most desks need little, a few need much.
            let towards = 0.002 + 0.2 * chance.child(0).unit().powi(3);
            let profile = Profile::Office;
            Shares { profile, rhythm: [towards * draw(1, 0.05, 0.4), towards], burst: [0.0, 0.0] }
        }
        Role::Server => Shares {
            profile: steady,
            rhythm: [draw(0, 0.04, 0.2), draw(1, 0.02, 0.1)],
            burst: [draw(2, 0.2, 0.5), 0.005],
        },
        Role::Bursty => {
            Shares { profile: steady, rhythm: [0.0004, 0.0006], burst: [0.004, draw(0, 0.4, 0.85)] }
        }
        Role::Idle => {
            Shares { profile: steady, rhythm: [draw(0, 3e-7, 2e-6), 6e-7], burst: [0.0, 0.0] }
        }
        Role::Down => Shares { profile: steady, rhythm: [0.0, 0.0], burst: [0.0, 0.0] },
    }
}
