//! Puts the parts of a walk together.

use super::segment::{Segment, State};

/// What the parts are, once all are over.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Joined {
    /// Each begins with the row at which the one before ended: all of them are the walk.
    Whole,
    /// One had to be walked on over the bounds of those behind it, which are gone.
    Continued,
}

/// Compares each part with the next one. Where the table has changed meanwhile, or the agent does
/// not answer what follows a name that it does not have, the earlier part goes on instead.
pub(super) fn join(segments: &mut Vec<Segment>) -> Joined {
    let mut nth = 0;
    while let [segment, next, ..] = segments.get_mut(nth..).unwrap_or_default() {
        let State::Past(row) = &segment.state else {
            // Nothing is behind the end of a walk.
            segments.truncate(nth + 1);
            return Joined::Whole;
        };
        if next.first_seen() != Some(row) {
            segment.bound = next.bound.take();
            segment.state = State::Ready;
            segments.remove(nth + 1);
            return Joined::Continued;
        }
        nth += 1;
    }
    Joined::Whole
}
