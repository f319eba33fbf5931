//! When a group writes its tiles: the boundary that its members pass.
//!
//! Boundaries lie on the group's own grid, every [`Geometry::tile_cycles`] PDPs. A group goes over
//! its boundary when all members that keep step have passed it, or most have and a further cycle
//! went by. One member whose clock is ahead of all others does not move the group.
//!
//! [`Geometry::tile_cycles`]: super::Geometry::tile_cycles

/// Where a group stands between two boundaries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Clock {
    /// The PDP that members are to pass next.
    pub(crate) boundary_pdp: i64,
    /// Members that have passed it.
    crossed: u32,
    /// Members that were updated since the boundary was set.
    stirred: u32,
    /// Members that are expected to pass it.
    pub(crate) in_step: u32,
    /// Updates in a row after which most of those that stirred had passed.
    majority_updates: u32,
}

impl Clock {
    /// The clock of a group that has passed no boundary yet; its first member has seen `pdp`.
    pub(crate) fn starting(pdp: i64, grid: Grid) -> Self {
        Self { boundary_pdp: grid.floor(pdp) + grid.cycles, ..Self::default() }
    }

    /// A member joins that has seen `pdp`.
    pub(crate) fn join(&mut self, pdp: i64, grid: Grid) {
        if pdp >= self.boundary_pdp {
            self.crossed += 1;
        }
        if pdp + grid.cycles >= self.boundary_pdp {
            self.in_step += 1;
        }
    }

    /// A member was updated; `first` says that it had not been since the boundary was set.
    pub(crate) fn moved(&mut self, from_pdp: i64, to_pdp: i64, first: bool) {
        self.stirred += u32::from(first);
        if from_pdp < self.boundary_pdp && self.boundary_pdp <= to_pdp {
            self.crossed += 1;
        }
        let most = 2 * u64::from(self.crossed) > u64::from(self.stirred);
        self.majority_updates = if most { self.majority_updates.saturating_add(1) } else { 0 };
    }

    /// Whether the group goes over its boundary now.
    pub(crate) fn is_due(&self) -> bool {
        self.crossed > 0
            && (self.crossed >= self.in_step.max(1)
                || self.majority_updates >= self.in_step.max(self.stirred))
    }

    /// Goes over the boundary. `stirred` are the last PDPs of the members that were updated, `all`
    /// those of every member. Returns the boundary that was reached, unless most have passed none.
    pub(crate) fn advance(&mut self, stirred: &mut [i64], all: &[i64], grid: Grid) -> Option<i64> {
        let middle = stirred.len() / 2;
        let reached = (!stirred.is_empty())
            .then(|| {
                let (_, median_pdp, _) = stirred.select_nth_unstable(middle);
                grid.floor(*median_pdp)
            })
            .filter(|reached| *reached >= self.boundary_pdp);
        let awake_after = reached.unwrap_or(i64::MIN);
        let in_step = stirred.iter().filter(|pdp| **pdp >= awake_after).count() as u32;
        let boundary_pdp = reached.map_or(self.boundary_pdp, |reached| reached + grid.cycles);
        let crossed = all.iter().filter(|pdp| **pdp >= boundary_pdp).count() as u32;
        *self = Self { boundary_pdp, crossed, in_step, ..Self::default() };
        reached
    }
}

/// The boundaries that a group can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Grid {
    /// PDPs between two boundaries.
    pub(crate) cycles: i64,
    pub(crate) phase_pdps: i64,
}

impl Grid {
    /// The last boundary at or before a PDP.
    pub(crate) fn floor(self, pdp: i64) -> i64 {
        (pdp + self.phase_pdps).div_euclid(self.cycles) * self.cycles - self.phase_pdps
    }
}

#[cfg(test)]
mod tests {
    use super::{Clock, Grid};

    const GRID: Grid = Grid { cycles: 18, phase_pdps: 5 };

    fn starting(members: u32) -> Clock {
        let mut clock = Clock::starting(1000, GRID);
        (0..members).for_each(|_| clock.join(1000, GRID));
        clock
    }

    #[test]
    fn it_is_due_when_all_in_step_have_passed() {
        let mut clock = starting(10);
        assert_eq!(clock.boundary_pdp, 1003);
        for member in 0..10 {
            assert!(!clock.is_due());
            clock.moved(1002, 1003, true);
            let _ = member;
        }
        assert!(clock.is_due());
        let reached = clock.advance(&mut [1003; 10], &[1003; 10], GRID);
        assert_eq!((reached, clock.boundary_pdp, clock.in_step), (Some(1003), 1021, 10));
        assert!(!clock.is_due());
    }

    #[test]
    fn a_member_far_ahead_moves_nobody() {
        let mut clock = starting(10);
        clock.moved(1000, 9_000_000, true);
        for pdp in 1000..1002 {
            (1..10).for_each(|_| clock.moved(pdp, pdp + 1, pdp == 1000));
        }
        assert!(!clock.is_due());
    }

    #[test]
    fn the_dead_are_waited_for_no_longer_than_a_cycle() {
        let mut clock = starting(10);
        for pdp in 1000..1010 {
            (0..3).for_each(|_| clock.moved(pdp, pdp + 1, pdp == 1000));
        }
        assert!(clock.is_due());
        let mut stirred = [1010; 3];
        let all: Vec<i64> = [1010; 3].into_iter().chain([1000; 7]).collect();
        assert_eq!(clock.advance(&mut stirred, &all, GRID), Some(1003));
        assert_eq!(clock.in_step, 3);
    }
}
