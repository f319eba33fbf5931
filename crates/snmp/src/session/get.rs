//! A GET of many instances: it is split into datagrams, and the answers are merged, even if the
//! agent refuses some instances. Cells of a table are asked for by GETBULK where the device
//! answers that.

use super::bulk::BulkAsk;
use super::config::Config;
use super::event::{Failure, RequestError};
use super::learned::{Bulk, Learned};
use super::names::Names;
use super::step::{Answered, Step};
use crate::oid::Oid;
use crate::pdu::{ErrorStatus, Operation, VarBind};
use crate::value::Value;
use std::collections::VecDeque;
use std::sync::Arc;

#[derive(Debug)]
pub(super) struct GetJob {
    names: Arc<Names>,
    /// Whether the result is one value for each name.
    wants_values: bool,
    results: Vec<Option<Result<Value, Failure>>>,
    unasked: VecDeque<usize>,
    flights: usize,
    /// Responses that have brought a value.
    responses: u32,
    /// Reduced while a refused binding is being searched.
    places_max: usize,
    /// Whether what is left is asked for by GET.
    without_bulk: bool,
    /// The limit before it was halved because an answer would have been too big.
    unhalved_max: Option<usize>,
    /// The limit before it was reduced because nothing came; it holds again if nothing comes at all.
    doubted_max: Option<usize>,
    /// The last timeout, for the case that no answer comes.
    error: Option<RequestError>,
}

/// A datagram of a GET.
#[derive(Debug)]
pub(super) struct GetAsk {
    /// The positions of the names that it is to bring the values of.
    places: Vec<usize>,
    /// How it asks, if not by GET.
    bulk: Option<BulkAsk>,
    /// Whether it tries what the device has not answered yet: it is sent once.
    pub(super) is_trial: bool,
}

impl GetAsk {
    pub(super) fn is_bulk(&self) -> bool {
        self.bulk.is_some()
    }
}

impl GetJob {
    /// A GET whose result is names with values.
    pub(super) fn of_names(oids: Vec<Oid>) -> GetJob {
        GetJob { wants_values: false, ..GetJob::of_values(Arc::new(Names::Each(oids.into()))) }
    }

    /// A GET whose result is a value for each name, in their order.
    pub(super) fn of_values(names: Arc<Names>) -> GetJob {
        let count = names.len();
        GetJob {
            names,
            wants_values: true,
            results: vec![None; count],
            unasked: (0..count).collect(),
            flights: 0,
            responses: 0,
            places_max: usize::MAX,
            without_bulk: false,
            unhalved_max: None,
            doubted_max: None,
            error: None,
        }
    }

    /// What the next datagram asks for.
    pub(super) fn next_ask(&mut self, learned: &Learned, config: &Config) -> Option<GetAsk> {
        if self.unasked.is_empty() {
            return None;
        }
        self.flights += 1;
        let count = learned.bindings_max.min(self.places_max).min(self.unasked.len());
        let is_new = learned.bulk == Bulk::Untried;
        let may_have_bulk = !is_new || learned.answered_max > 0;
        if !self.without_bulk && learned.may_bulk() && may_have_bulk {
            let next: Vec<usize> = self.unasked.iter().take(count).copied().collect();
            let rows = config.table_repetitions();
            if let Some(bulk) = BulkAsk::of(&self.names, &next, count, rows) {
                let covered = next.iter().take_while(|place| bulk.covers(&self.names, **place));
                let covered = covered.count();
                let places = self.unasked.drain(..covered).collect();
                return Some(GetAsk { places, bulk: Some(bulk), is_trial: is_new });
            }
        }
        let places = self.unasked.drain(..count).collect();
        Some(GetAsk { places, bulk: None, is_trial: self.doubted_max.is_some() })
    }

    pub(super) fn has_unasked(&self) -> bool {
        !self.unasked.is_empty()
    }

    pub(super) fn question(&self, ask: &GetAsk) -> Option<(Operation, Vec<VarBind>)> {
        if let Some(bulk) = &ask.bulk {
            return bulk.question(&self.names);
        }
        let names = ask.places.iter().filter_map(|place| self.names.get(*place));
        Some((Operation::Get, names.map(VarBind::asking).collect()))
    }

    pub(super) fn answer(
        &mut self,
        ask: &GetAsk,
        bindings: Vec<VarBind>,
        learned: &mut Learned,
    ) -> Step {
        self.flights -= 1;
        self.doubted_max = None;
        match &ask.bulk {
            Some(bulk) => self.take_cells(ask, bulk, bindings, learned),
            None => self.take_names(&ask.places, bindings),
        }
        self.step()
    }

    fn take_names(&mut self, places: &[usize], bindings: Vec<VarBind>) {
        self.responses += u32::from(!bindings.is_empty());
        let mut answers: Vec<Option<VarBind>> = bindings.into_iter().map(Some).collect();
        let mut missing = Vec::new();
        for (position, place) in places.iter().enumerate() {
            match self.names.get(*place).and_then(|oid| take(&mut answers, position, &oid)) {
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
    }

    fn take_cells(
        &mut self,
        ask: &GetAsk,
        bulk: &BulkAsk,
        bindings: Vec<VarBind>,
        learned: &mut Learned,
    ) {
        let found = bulk.read(&self.names, bindings);
        if found.is_nonsense {
            learned.note_broken_bulk();
            return self.ask_again(ask.places.clone());
        }
        if !found.values.is_empty() {
            learned.note_bulk();
            self.responses += 1;
        }
        let mut is_new = false;
        for (place, value) in found.values {
            is_new |= matches!(self.results.get(place), Some(None));
            self.settle(place, Ok(value));
        }
        // What it left out is asked for by name, lest a table with holes, or one whose rows do not
        // fit, be asked for over and over.
        self.without_bulk |= found.passed_any || !is_new;
        let is_missing = |place: &usize| matches!(self.results.get(*place), Some(None));
        self.ask_again(ask.places.iter().copied().filter(is_missing).collect());
    }

    pub(super) fn refuse(
        &mut self,
        ask: &GetAsk,
        (status, error_index): (ErrorStatus, u32),
        learned: &mut Learned,
    ) -> Step {
        self.flights -= 1;
        let places = &ask.places;
        if ask.bulk.is_some() && status != ErrorStatus::TooBig {
            learned.note_broken_bulk();
            self.ask_again(places.clone());
            return self.step();
        }
        let culprit = match &places[..] {
            [only] => Some(*only),
            _ if status == ErrorStatus::TooBig => None,
            _ => (error_index as usize).checked_sub(1).and_then(|i| places.get(i)).copied(),
        };
        if let Some(culprit) = culprit {
            if status == ErrorStatus::TooBig
                && let Some(before) = self.unhalved_max.take()
            {
                // One value was too big, not too many of them.
                learned.bindings_max = before;
            }
            let nothing = status == ErrorStatus::NoSuchName;
            let result =
                if nothing { Ok(Value::NoSuchInstance) } else { Err(Failure::Refused(status)) };
            self.settle(culprit, result);
        } else if status == ErrorStatus::TooBig {
            self.unhalved_max.get_or_insert(learned.bindings_max);
            learned.bindings_max = learned.bindings_max.min((places.len() / 2).max(1));
        } else {
            // The agent does not tell which binding it refuses: halve the list until the binding is
            // alone.
            self.places_max = (places.len() / 2).max(1);
        }
        self.ask_again(places.iter().copied().filter(|place| Some(*place) != culprit).collect());
        self.step()
    }

    /// A device that has stopped answering is not asked for the rest of the list. One that
    /// `was_heard` meanwhile does not answer this datagram: it is asked by GET, then for less.
    pub(super) fn time_out(
        &mut self,
        ask: &GetAsk,
        error: RequestError,
        learned: &mut Learned,
        was_heard: bool,
    ) -> Step {
        self.flights -= 1;
        if matches!(error, RequestError::TimedOut { .. }) {
            if ask.bulk.is_some() && (ask.is_trial || was_heard) {
                learned.note_silence_to_bulk();
                self.without_bulk = true;
                self.ask_again(ask.places.clone());
                return self.step();
            }
            // More than it ever answered at once may be more than it, or its path, can.
            if was_heard && ask.places.len() > learned.answered_max.max(1) {
                self.doubted_max.get_or_insert(learned.bindings_max);
                learned.bindings_max = ask.places.len() / 2;
                self.ask_again(ask.places.clone());
                return self.step();
            }
            if was_heard {
                // What it once answered may be more than it, or its path, can now.
                learned.answered_max = learned.answered_max.min(ask.places.len() / 2);
            }
        }
        if let Some(before) = self.doubted_max.take() {
            learned.bindings_max = before;
        }
        self.error = Some(error);
        let silent: Vec<usize> = self.unasked.drain(..).chain(ask.places.iter().copied()).collect();
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
        let results = std::mem::take(&mut self.results).into_iter();
        let results = results.map(|result| result.unwrap_or(Err(Failure::LeftOut)));
        let mut answered = Answered { responses: self.responses, ..Answered::default() };
        if self.wants_values {
            answered.values = results.collect();
        } else {
            for (place, result) in results.enumerate() {
                let Some(oid) = self.names.get(place) else { continue };
                match result {
                    Ok(value) => answered.bindings.push(VarBind { oid, value }),
                    Err(failure) => answered.failed.push((oid, failure)),
                }
            }
        }
        let is_empty = answered.bindings.is_empty() && !answered.values.iter().any(Result::is_ok);
        match self.error.take() {
            Some(error) if is_empty => Step::Done(Err(error)),
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
