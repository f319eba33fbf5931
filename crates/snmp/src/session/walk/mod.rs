//! A walk below one name: by GETBULK if the device supports it, otherwise by GETNEXT. A long one is
//! divided into parts that are walked side by side.
//!
//! ```text
//!  root ──────────▶ after     a few answers: the walk may go on for as far as it has come
//!  root ────────────────▶ after     bound│ after ──▶        bound│ after ──▶
//!                                        └ a row behind its bound ends a part: it must be the first
//!                                          row of the next one
//! ```
//!
//! Where the table ends is not known before, so a bound may be behind it: that costs one request.

mod segment;
mod divide;
mod join;

use super::config::Config;
use super::event::RequestError;
use super::learned::{Bulk, Learned};
use super::step::{Answered, Step};
use crate::oid::Oid;
use crate::pdu::{ErrorStatus, Operation, VarBind};
use join::{Joined, join};
use segment::{Segment, State};

#[derive(Debug)]
pub(super) struct WalkJob {
    root: Oid,
    /// In the order of their names.
    segments: Vec<Segment>,
    /// How many there have been.
    numbers: u32,
    /// The most parts that are walked side by side.
    parts_max: usize,
    rows: usize,
    /// The walk is over when it has so many rows.
    rows_wanted: usize,
    /// Whether it may leave what is below its root.
    is_free: bool,
    rows_max: usize,
    rows_bytes: usize,
    bytes_max: usize,
    /// Repetitions of the next GETBULK; `None` is GETNEXT.
    repetitions: Option<u32>,
    /// Whether the next request only tests if GETNEXT is answered.
    is_probe: bool,
    /// Whether GETBULK failed.
    has_fallen_back: bool,
}

/// A request of a walk.
#[derive(Debug)]
pub(super) struct WalkStep {
    segment: u32,
    after: Oid,
    repetitions: Option<u32>,
    pub(super) is_probe: bool,
}

impl WalkStep {
    pub(super) fn question(&self) -> (Operation, Vec<VarBind>) {
        let operation = match self.repetitions {
            Some(max_repetitions) => Operation::GetBulk { non_repeaters: 0, max_repetitions },
            None => Operation::GetNext,
        };
        (operation, vec![VarBind::asking(self.after.clone())])
    }

    /// Asks for fewer rows: a slow device, or a path that loses large datagrams, may then answer.
    pub(super) fn shrink(&mut self) {
        self.repetitions = self.repetitions.map(|count| (count / 2).max(1));
    }
}

impl WalkJob {
    pub(super) fn new(root: Oid, config: &Config, learned: &Learned) -> WalkJob {
        WalkJob {
            segments: vec![Segment::behind(root.clone(), None, 0)],
            numbers: 1,
            root,
            parts_max: config.in_flight_max,
            rows: 0,
            rows_wanted: usize::MAX,
            is_free: false,
            rows_max: config.walk_rows_max,
            rows_bytes: 0,
            bytes_max: config.walk_bytes_max,
            repetitions: learned.may_bulk().then_some(learned.repetitions_max),
            is_probe: false,
            has_fallen_back: false,
        }
    }

    /// The same, but only its first rows.
    pub(super) fn of_first(mut self, rows: usize) -> WalkJob {
        self.rows_wanted = rows;
        self.parts_max = 1;
        let fewer = u32::try_from(rows).unwrap_or(u32::MAX).max(1);
        self.repetitions = self.repetitions.map(|repetitions| repetitions.min(fewer));
        self
    }

    /// One GETNEXT, whose answer may be anywhere.
    pub(super) fn of_next(mut self) -> WalkJob {
        self.rows_wanted = 1;
        self.parts_max = 1;
        self.is_free = true;
        self.repetitions = None;
        self
    }

    /// The next request, if one can be sent before others are answered.
    pub(super) fn next_step(&mut self, learned: &Learned) -> Option<WalkStep> {
        if !self.is_ready(learned) {
            return None;
        }
        let segment = self.segments.iter_mut().find(|segment| segment.state == State::Ready)?;
        segment.state = State::Asked;
        Some(WalkStep {
            segment: segment.id,
            after: segment.after.clone(),
            repetitions: self.repetitions,
            is_probe: self.is_probe,
        })
    }

    pub(super) fn answer(
        &mut self,
        step: &WalkStep,
        bindings: Vec<VarBind>,
        learned: &mut Learned,
    ) -> Step {
        let Some(place) = self.place_of(step) else { return Step::Wait };
        if bindings.is_empty() {
            return match step.repetitions {
                Some(_) => self.fall_back(place, learned),
                None => {
                    self.give_up(place, RequestError::Empty { after: step.after.clone() }, learned)
                }
            };
        }
        self.learn(step, learned);
        match self.take_all(place, bindings) {
            Ok(()) => self.go_on(learned),
            Err(error) => self.give_up(place, error, learned),
        }
    }

    fn take_all(&mut self, place: usize, bindings: Vec<VarBind>) -> Result<(), RequestError> {
        let Some(segment) = self.segments.get_mut(place) else { return Ok(()) };
        segment.state = State::Ready;
        segment.answers += 1;
        for binding in bindings {
            let is_inside = self.is_free || binding.oid.starts_with(&self.root);
            let is_end = binding.value.is_exception() || !is_inside;
            if is_end && binding.oid >= segment.after {
                segment.state = State::Ended;
                return Ok(());
            }
            if segment.is_past(&binding.oid) {
                segment.state = State::Past(binding.oid);
                return Ok(());
            }
            if binding.oid <= segment.after {
                let after = segment.after.clone();
                return Err(RequestError::NotIncreasing { after, found: binding.oid });
            }
            if self.rows >= self.rows_max {
                return Err(RequestError::TooManyRows { rows_max: self.rows_max });
            }
            self.rows += 1;
            self.rows_bytes += binding.encoded_length_bytes();
            if self.rows_bytes > self.bytes_max {
                return Err(RequestError::TooManyBytes { bytes_max: self.bytes_max });
            }
            segment.after = binding.oid.clone();
            segment.rows.push(binding);
            if segment.rows.len() >= self.rows_wanted {
                segment.state = State::Ended;
                return Ok(());
            }
        }
        Ok(())
    }

    pub(super) fn refuse(
        &mut self,
        step: &WalkStep,
        status: ErrorStatus,
        learned: &mut Learned,
    ) -> Step {
        let Some(place) = self.place_of(step) else { return Step::Wait };
        match (status, step.repetitions) {
            // In v1 this means that nothing follows. As an answer to GETBULK, it means that the
            // agent does not support GETBULK properly.
            (ErrorStatus::NoSuchName, None) => {
                self.set(place, State::Ended);
                self.go_on(learned)
            }
            (ErrorStatus::TooBig, Some(repetitions @ 2..)) => {
                learned.repetitions_max = repetitions / 2;
                self.repetitions = self.repetitions.map(|_| repetitions / 2);
                self.set(place, State::Ready);
                Step::Ready
            }
            (_, Some(_)) => self.fall_back(place, learned),
            (_, None) => {
                let after = step.after.clone();
                self.give_up(place, RequestError::Refused { status, after }, learned)
            }
        }
    }

    pub(super) fn time_out(
        &mut self,
        step: &WalkStep,
        error: RequestError,
        learned: &mut Learned,
    ) -> Step {
        let Some(place) = self.place_of(step) else { return Step::Wait };
        let is_denied = matches!(error, RequestError::Denied { .. });
        if is_denied || step.repetitions.is_none() || learned.bulk != Bulk::Untried {
            return self.give_up(place, error, learned);
        }
        // The device may drop GETBULK silently: a GETNEXT tells it from a dead device.
        self.is_probe = true;
        self.fall_back(place, learned)
    }

    /// The position of a request's part.
    fn place_of(&self, step: &WalkStep) -> Option<usize> {
        self.segments.iter().position(|segment| segment.id == step.segment)
    }

    fn set(&mut self, place: usize, state: State) {
        if let Some(segment) = self.segments.get_mut(place) {
            segment.state = state;
        }
    }

    /// GETBULK does not do.
    fn fall_back(&mut self, place: usize, learned: &mut Learned) -> Step {
        if self.is_begun_apart(place) {
            return self.fail_apart(place, learned);
        }
        self.repetitions = None;
        self.has_fallen_back = true;
        self.set(place, State::Ready);
        Step::Ready
    }

    /// Ends the walk with an error, unless the part may be walked from the one before it.
    fn give_up(&mut self, place: usize, error: RequestError, learned: &mut Learned) -> Step {
        let is_about_parts = !matches!(
            error,
            RequestError::TooManyRows { .. }
                | RequestError::TooManyBytes { .. }
                | RequestError::Denied { .. }
        );
        match is_about_parts && self.is_begun_apart(place) {
            true => self.fail_apart(place, learned),
            false => Step::Done(Err(error)),
        }
    }

    /// Whether nothing has come of a part that begins behind a name that the agent may not have.
    fn is_begun_apart(&self, place: usize) -> bool {
        place > 0 && self.segments.get(place).is_some_and(Segment::is_fresh)
    }

    fn fail_apart(&mut self, place: usize, learned: &mut Learned) -> Step {
        learned.may_divide = false;
        self.set(place, State::Failed);
        self.go_on(learned)
    }

    /// What is to be done after something has come of a request.
    fn go_on(&mut self, learned: &Learned) -> Step {
        if self.segments.iter().all(Segment::is_over) {
            return match join(&mut self.segments) {
                Joined::Whole => self.done(),
                Joined::Continued => {
                    // What was in doubt is walked as one.
                    self.parts_max = 1;
                    self.count();
                    Step::Ready
                }
            };
        }
        if self.is_ready(learned) { Step::Ready } else { Step::Wait }
    }

    /// Counts anew, as parts are gone.
    fn count(&mut self) {
        let rows = || self.segments.iter().flat_map(|segment| &segment.rows);
        (self.rows, self.rows_bytes) =
            (rows().count(), rows().map(VarBind::encoded_length_bytes).sum());
    }

    fn learn(&mut self, step: &WalkStep, learned: &mut Learned) {
        self.is_probe = false;
        match step.repetitions {
            Some(repetitions) => {
                learned.note_bulk();
                self.repetitions = self.repetitions.map(|_| repetitions);
            }
            // GETBULK was tried before and failed, and GETNEXT works.
            None if learned.bulk == Bulk::Untried && self.has_fallen_back => {
                learned.note_broken_bulk();
            }
            None => {}
        }
    }

    fn done(&mut self) -> Step {
        let segments = std::mem::take(&mut self.segments);
        let bindings = segments.into_iter().flat_map(|segment| segment.rows).collect();
        Step::Done(Ok(Answered { bindings, ..Answered::default() }))
    }
}
