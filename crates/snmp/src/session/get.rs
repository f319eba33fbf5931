//! A GET of many instances: it is split into datagrams, and the answers are merged, even if the
//! agent refuses some instances.

use super::config::Learned;
use super::event::{Failure, RequestError};
use super::step::{Answered, Step};
use crate::oid::Oid;
use crate::pdu::{ErrorStatus, VarBind};
use crate::value::Value;
use std::collections::VecDeque;

#[derive(Debug)]
pub(super) struct GetJob {
    oids: Vec<Oid>,
    results: Vec<Option<Result<Value, Failure>>>,
    unasked: VecDeque<usize>,
    flights: usize,
    /// Reduced while a refused binding is being searched.
    places_max: usize,
    /// The last timeout, for the case that no answer comes.
    error: Option<RequestError>,
}

impl GetJob {
    pub(super) fn new(oids: Vec<Oid>) -> GetJob {
        GetJob {
            results: vec![None; oids.len()],
            unasked: (0..oids.len()).collect(),
            oids,
            flights: 0,
            places_max: usize::MAX,
            error: None,
        }
    }

    /// Takes the positions for the next datagram.
    pub(super) fn next_places(&mut self, learned: &Learned) -> Option<Vec<usize>> {
        if self.unasked.is_empty() {
            return None;
        }
        let count = learned.bindings_max.min(self.places_max).min(self.unasked.len());
        self.flights += 1;
        Some(self.unasked.drain(..count).collect())
    }

    pub(super) fn has_unasked(&self) -> bool {
        !self.unasked.is_empty()
    }

    pub(super) fn bindings(&self, places: &[usize]) -> Vec<VarBind> {
        let oids = places.iter().filter_map(|place| self.oids.get(*place));
        oids.cloned().map(VarBind::asking).collect()
    }

    pub(super) fn answer(&mut self, places: &[usize], bindings: Vec<VarBind>) -> Step {
        self.flights -= 1;
        let mut answers: Vec<Option<VarBind>> = bindings.into_iter().map(Some).collect();
        let mut missing = Vec::new();
        for (position, place) in places.iter().enumerate() {
            match self.oids.get(*place).and_then(|oid| take(&mut answers, position, oid)) {
                Some(value) => self.settle(*place, Ok(value)),
                None => missing.push(*place),
            }
        }
        if missing.len() == places.len() {
            for place in missing {
                self.settle(place, Err(Failure::LeftOut));
            }
        } else {
            // Some agents stop when their buffer is full: ask for the rest.
            self.ask_again(missing);
        }
        self.step()
    }

    pub(super) fn refuse(
        &mut self,
        places: &[usize],
        status: ErrorStatus,
        error_index: u32,
        learned: &mut Learned,
    ) -> Step {
        self.flights -= 1;
        let culprit = match places {
            [only] => Some(*only),
            _ if status == ErrorStatus::TooBig => None,
            _ => (error_index as usize).checked_sub(1).and_then(|i| places.get(i)).copied(),
        };
        if let Some(culprit) = culprit {
            let nothing = status == ErrorStatus::NoSuchName;
            let result =
                if nothing { Ok(Value::NoSuchInstance) } else { Err(Failure::Refused(status)) };
            self.settle(culprit, result);
        } else if status == ErrorStatus::TooBig {
            learned.bindings_max = learned.bindings_max.min((places.len() / 2).max(1));
        } else {
            // The agent does not tell which binding it refuses: halve the list until the binding is
            // alone.
            self.places_max = (places.len() / 2).max(1);
        }
        self.ask_again(places.iter().copied().filter(|place| Some(*place) != culprit).collect());
        self.step()
    }

    /// A device that has stopped answering is not asked for the rest of the list.
    pub(super) fn time_out(&mut self, places: &[usize], error: RequestError) -> Step {
        self.flights -= 1;
        self.error = Some(error);
        let silent: Vec<usize> = self.unasked.drain(..).chain(places.iter().copied()).collect();
        for place in silent {
            self.settle(place, Err(Failure::TimedOut));
        }
        self.step()
    }

    pub(super) fn step(&mut self) -> Step {
        if !self.unasked.is_empty() {
            return Step::Ready;
        }
        if self.flights > 0 {
            return Step::Wait;
        }
        let mut answered = Answered::default();
        for (oid, result) in self.oids.drain(..).zip(self.results.drain(..)) {
            match result {
                Some(Ok(value)) => answered.bindings.push(VarBind { oid, value }),
                Some(Err(failure)) => answered.failed.push((oid, failure)),
                None => answered.failed.push((oid, Failure::LeftOut)),
            }
        }
        match self.error.take() {
            Some(error) if answered.bindings.is_empty() => Step::Done(Err(error)),
            _ => Step::Done(Ok(answered)),
        }
    }

    fn settle(&mut self, place: usize, result: Result<Value, Failure>) {
        if let Some(slot) = self.results.get_mut(place) {
            *slot = Some(result);
        }
    }

    fn ask_again(&mut self, places: Vec<usize>) {
        for place in places.into_iter().rev() {
            self.unasked.push_front(place);
        }
    }
}

/// The value of `oid` in the answers: at its own position, or anywhere else.
fn take(answers: &mut [Option<VarBind>], position: usize, oid: &Oid) -> Option<Value> {
    let is_it = |answer: &Option<VarBind>| answer.as_ref().is_some_and(|it| it.oid == *oid);
    if let Some(answer) = answers.get_mut(position).filter(|answer| is_it(answer)) {
        return answer.take().map(|binding| binding.value);
    }
    let answer = answers.iter_mut().find(|answer| is_it(answer))?;
    answer.take().map(|binding| binding.value)
}
