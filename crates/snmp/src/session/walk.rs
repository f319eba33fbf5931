//! A walk below one name: by GETBULK if the device supports it, otherwise by GETNEXT.

use super::config::Config;
use super::event::RequestError;
use super::learned::{Bulk, Learned};
use super::step::{Answered, Step};
use crate::oid::Oid;
use crate::pdu::{ErrorStatus, Operation, VarBind};

#[derive(Debug)]
pub(super) struct WalkJob {
    root: Oid,
    /// The last name seen.
    after: Oid,
    rows: Vec<VarBind>,
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
        let bulk = learned.may_bulk();
        WalkJob {
            after: root.clone(),
            root,
            rows: Vec::new(),
            rows_wanted: usize::MAX,
            is_free: false,
            rows_max: config.walk_rows_max,
            rows_bytes: 0,
            bytes_max: config.walk_bytes_max,
            repetitions: bulk.then_some(learned.repetitions_max),
            is_probe: false,
            has_fallen_back: false,
        }
    }

    /// The same, but only its first rows.
    pub(super) fn of_first(mut self, rows: usize) -> WalkJob {
        self.rows_wanted = rows;
        let fewer = u32::try_from(rows).unwrap_or(u32::MAX).max(1);
        self.repetitions = self.repetitions.map(|repetitions| repetitions.min(fewer));
        self
    }

    /// One GETNEXT, whose answer may be anywhere.
    pub(super) fn of_next(mut self) -> WalkJob {
        self.rows_wanted = 1;
        self.is_free = true;
        self.repetitions = None;
        self
    }

    pub(super) fn next_step(&self) -> WalkStep {
        WalkStep {
            after: self.after.clone(),
            repetitions: self.repetitions,
            is_probe: self.is_probe,
        }
    }

    pub(super) fn answer(
        &mut self,
        step: &WalkStep,
        bindings: Vec<VarBind>,
        learned: &mut Learned,
    ) -> Step {
        if bindings.is_empty() {
            return match step.repetitions {
                Some(_) => self.fall_back(),
                None => fail(RequestError::Empty { after: self.after.clone() }),
            };
        }
        self.learn(step, learned);
        for binding in bindings {
            let is_inside = self.is_free || binding.oid.starts_with(&self.root);
            let is_end = binding.value.is_exception() || !is_inside;
            if is_end && binding.oid >= self.after {
                return self.done();
            }
            if let Err(error) = self.take(binding) {
                return fail(error);
            }
            if self.rows.len() >= self.rows_wanted {
                return self.done();
            }
        }
        Step::Ready
    }

    pub(super) fn refuse(
        &mut self,
        step: &WalkStep,
        status: ErrorStatus,
        learned: &mut Learned,
    ) -> Step {
        match (status, step.repetitions) {
            // In v1 this means that nothing follows. As an answer to GETBULK, it means that the
            // agent does not support GETBULK properly.
            (ErrorStatus::NoSuchName, None) => self.done(),
            (ErrorStatus::TooBig, Some(repetitions @ 2..)) => {
                learned.repetitions_max = repetitions / 2;
                self.repetitions = Some(repetitions / 2);
                Step::Ready
            }
            (_, Some(_)) => self.fall_back(),
            (_, None) => fail(RequestError::Refused { status, after: self.after.clone() }),
        }
    }

    pub(super) fn time_out(
        &mut self,
        step: &WalkStep,
        error: RequestError,
        learned: &Learned,
    ) -> Step {
        let is_denied = matches!(error, RequestError::Denied { .. });
        if is_denied || step.repetitions.is_none() || learned.bulk != Bulk::Untried {
            return fail(error);
        }
        // The device may drop GETBULK silently: a GETNEXT tells it from a dead device.
        self.is_probe = true;
        self.fall_back()
    }

    fn fall_back(&mut self) -> Step {
        self.repetitions = None;
        self.has_fallen_back = true;
        Step::Ready
    }

    fn learn(&mut self, step: &WalkStep, learned: &mut Learned) {
        self.is_probe = false;
        match step.repetitions {
            Some(repetitions) => {
                learned.note_bulk();
                self.repetitions = Some(repetitions);
            }
            // GETBULK was tried before and failed, and GETNEXT works.
            None if learned.bulk == Bulk::Untried && self.has_fallen_back => {
                learned.note_broken_bulk();
            }
            None => {}
        }
    }

    fn take(&mut self, binding: VarBind) -> Result<(), RequestError> {
        if binding.oid <= self.after {
            let after = self.after.clone();
            return Err(RequestError::NotIncreasing { after, found: binding.oid });
        }
        if self.rows.len() >= self.rows_max {
            return Err(RequestError::TooManyRows { rows_max: self.rows_max });
        }
        self.rows_bytes += binding.encoded_length_bytes();
        if self.rows_bytes > self.bytes_max {
            return Err(RequestError::TooManyBytes { bytes_max: self.bytes_max });
        }
        self.after = binding.oid.clone();
        self.rows.push(binding);
        Ok(())
    }

    fn done(&mut self) -> Step {
        let bindings = std::mem::take(&mut self.rows);
        Step::Done(Ok(Answered { bindings, ..Answered::default() }))
    }
}

fn fail(error: RequestError) -> Step {
    Step::Done(Err(error))
}
