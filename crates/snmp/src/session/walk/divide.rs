//! When a walk is divided, and where.

use super::WalkJob;
use super::segment::{Segment, State};
use crate::session::learned::Learned;

/// A walk is divided after so many answers.
const DIVIDED_AFTER: u32 = 4;
/// So is a part of it that was begun later.
const PART_DIVIDED_AFTER: u32 = 2;

impl WalkJob {
    /// Whether a request can be sent. If there may be one more part, there is.
    pub(in crate::session) fn is_ready(&mut self, learned: &Learned) -> bool {
        let is_ready = |segment: &Segment| segment.state == State::Ready;
        self.segments.iter().any(is_ready) || (learned.may_divide && self.divide())
    }

    /// Divides a part, if fewer than the limit are walked.
    fn divide(&mut self) -> bool {
        let walked = self.segments.iter().filter(|segment| !segment.is_over()).count();
        let Some(first) = self.segments.first().and_then(Segment::first_seen).cloned() else {
            return false;
        };
        if walked >= self.parts_max {
            return false;
        }
        let is_alone = self.segments.len() == 1;
        let least = if is_alone { DIVIDED_AFTER } else { PART_DIVIDED_AFTER };
        // The last one first: most may be in it.
        for nth in (0..self.segments.len()).rev() {
            let Some(segment) = self.segments.get_mut(nth) else { break };
            if segment.is_over() || segment.answers < least {
                continue;
            }
            if let Some(later) = segment.split(&first, self.numbers) {
                self.numbers += 1;
                self.segments.insert(nth + 1, later);
                return true;
            }
        }
        false
    }
}
