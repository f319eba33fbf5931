//! A part of a walk: the names behind one up to another.

use crate::oid::Oid;
use crate::pdu::VarBind;
use std::ops::Range;

/// A part of a walk.
#[derive(Debug)]
pub(super) struct Segment {
    /// Its number in the walk.
    pub(super) id: u32,
    /// It has the names behind this one.
    start: Oid,
    /// The last name in it; `None` if it goes on to the end of the walk.
    pub(super) bound: Option<Oid>,
    /// The last name seen.
    pub(super) after: Oid,
    pub(super) rows: Vec<VarBind>,
    pub(super) answers: u32,
    pub(super) state: State,
}

/// How far a part is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Its next request may be sent.
    Ready,
    /// A request is on its way.
    Asked,
    /// This row, the first one behind its bound, was seen.
    Past(Oid),
    /// The walk ends in it.
    Ended,
    /// The agent does not answer what follows a name that it does not have.
    Failed,
}

impl Segment {
    /// The names behind one.
    pub(super) fn behind(start: Oid, bound: Option<Oid>, id: u32) -> Segment {
        let (after, rows) = (start.clone(), Vec::new());
        Segment { id, start, bound, after, rows, answers: 0, state: State::Ready }
    }

    pub(super) fn is_over(&self) -> bool {
        !matches!(self.state, State::Ready | State::Asked)
    }

    /// Whether it has no row yet that the agent named.
    pub(super) fn is_fresh(&self) -> bool {
        self.rows.is_empty()
    }

    /// Whether a row is behind its bound.
    pub(super) fn is_past(&self, oid: &Oid) -> bool {
        self.bound.as_ref().is_some_and(|bound| oid > bound) && *oid > self.after
    }

    /// The first row that was seen behind its start.
    pub(super) fn first_seen(&self) -> Option<&Oid> {
        match (self.rows.first(), &self.state) {
            (Some(row), _) => Some(&row.oid),
            (None, State::Past(row)) => Some(row),
            (None, _) => None,
        }
    }

    /// Divides what is still to be walked, and returns the later part, with the number `id`. `first`
    /// is the first row of the walk. A part without a bound is taken to go on for as far as the walk
    /// has come.
    pub(super) fn split(&mut self, first: &Oid, id: u32) -> Option<Segment> {
        let middle = match &self.bound {
            Some(bound) => self.middle_before(bound)?,
            None => self.as_far_again(first)?,
        };
        let bound = self.bound.replace(middle.clone());
        Some(Segment::behind(middle, bound, id))
    }

    /// A name as far behind the last one seen as that is behind the first one.
    fn as_far_again(&self, first: &Oid) -> Option<Oid> {
        let Fork { common, arcs } = fork(first, &self.after)?;
        let further = arcs.end.saturating_add(arcs.end - arcs.start);
        joined(common, further).filter(|middle| *middle > self.after)
    }

    /// A name in the middle of what is left, if that may take several requests.
    fn middle_before(&self, bound: &Oid) -> Option<Oid> {
        let Fork { common, arcs } = fork(&self.after, bound)?;
        // What an answer has brought so far, in the same arc.
        let gone = fork(&self.start, &self.after).filter(|gone| gone.common.len() == common.len());
        let gone = gone.map_or(1, |gone| gone.arcs.end - gone.arcs.start);
        let left = arcs.end - arcs.start;
        if u64::from(left) * u64::from(self.answers) < 4 * u64::from(gone) {
            return None;
        }
        let middle = joined(common, arcs.start + left / 2)?;
        (middle > self.after && middle < *bound).then_some(middle)
    }
}

/// Where two names part.
struct Fork {
    common: Vec<u32>,
    /// The arcs of the earlier name and the later one there.
    arcs: Range<u32>,
}

fn fork(earlier: &Oid, later: &Oid) -> Option<Fork> {
    let mut common = Vec::new();
    for (start, end) in earlier.arcs().zip(later.arcs()) {
        if start != end {
            return (start < end).then_some(Fork { common, arcs: start..end });
        }
        common.push(start);
    }
    None
}

fn joined(mut arcs: Vec<u32>, last: u32) -> Option<Oid> {
    arcs.push(last);
    Oid::from_arcs(&arcs).ok()
}
