//! How the operators that look back along a series take their arguments.

use super::column::{Column, Variable};
use super::evaluate::Run;
use super::shifts::c_int;
use super::windows::{Past, Prediction, Trend};
use super::{Node, Operator, RpnError};
use crate::UNKNOWN;

/// The most rows that the windows of one expression look at, all together.
const LOOKS_MAX: u64 = 1 << 38;

/// The most values that the windows of one row hold together.
const PAST_MAX: usize = 1 << 24;

impl<'a> Run<'a> {
    /// `x,seconds,TREND`: the word two places before the operator must be a series.
    pub(super) fn trend(
        &mut self,
        nodes: &[Node],
        at: usize,
        time_seconds: i64,
    ) -> Result<f64, RpnError> {
        let window_seconds = self.stack.pop()?;
        self.stack.pop()?;
        let column = match at.checked_sub(2).map(|place| nodes[place]) {
            Some(Node::Variable(variable)) => self.column(variable),
            _ => None,
        };
        let column = column.ok_or(RpnError::MalformedTrend)?;
        // With an unknown window rrdtool reads memory that is not the series'.
        if !window_seconds.is_finite() {
            return Ok(UNKNOWN);
        }
        let rows = column.rows_of(window_seconds).max(1.0);
        if rows > self.output.len() as f64 + 1.0 {
            return Ok(UNKNOWN);
        }
        let rows = rows as usize;
        self.look_at(rows as u64)?;
        let same_window = match nodes[at - 1] {
            Node::Number(_) | Node::Call(Operator::StepWidth) => true,
            Node::Variable(variable) => self.column(variable).is_none(),
            _ => false,
        };
        let moves_on = same_window && column.step_seconds == self.grid.step_seconds;
        let end = column.window_end(time_seconds);
        let known = self.trends.iter().position(|trend| trend.node == at);
        let nth = known.unwrap_or_else(|| {
            let known_only = nodes[at] == Node::Call(Operator::TrendKnown);
            self.trends.push(Trend::new(at, known_only));
            self.trends.len() - 1
        });
        Ok(self.trends[nth].mean(&column, end, rows, moves_on))
    }

    /// `shift,…,count,seconds,x,PREDICT`, with a percentage before `x` for PREDICTPERC. The word
    /// before the operator must be a series.
    pub(super) fn predict(
        &mut self,
        nodes: &[Node],
        at: usize,
        time_seconds: i64,
    ) -> Result<f64, RpnError> {
        self.stack.pop()?;
        let prediction = match nodes[at] {
            Node::Call(Operator::PredictPercentile) => {
                Prediction::Percentile(percentage(self.stack.pop()?)?)
            }
            Node::Call(Operator::PredictDeviation) => Prediction::Deviation,
            _ => Prediction::Mean,
        };
        let window_seconds = c_int(self.stack.pop()?);
        let count = c_int(self.stack.pop()?);
        self.pop_shifts(count)?;
        let column = match at.checked_sub(1).map(|place| nodes[place]) {
            Some(Node::Variable(variable) | Node::PreviousOf(variable)) => self.column(variable),
            _ => None,
        };
        // rrdtool reads memory that is not there.
        let column = column.ok_or(RpnError::MalformedPrediction)?;
        let rows = column.rows_of(f64::from(window_seconds)) as i64;
        let mut values = std::mem::take(&mut self.past);
        values.clear();
        let shifts = std::mem::take(&mut self.shifts);
        let mut past = Past {
            column: &column,
            end: column.window_end(time_seconds),
            rows_max: self.output.len() as i64,
            values: &mut values,
        };
        let gathered = shifts.each(|shift_seconds| {
            let shift = column.rows_of(f64::from(shift_seconds)) as i64;
            let looked_at = past.add(shift, rows);
            self.look_at(looked_at + 1)?;
            if past.values.len() > PAST_MAX { Err(RpnError::TooManyLooks) } else { Ok(()) }
        });
        self.shifts = shifts;
        gathered?;
        let predicted = prediction.of(&mut values);
        self.past = values;
        Ok(predicted)
    }

    /// Takes `count` shifts, or one that is applied so many times if the count is below 0.
    fn pop_shifts(&mut self, count: i32) -> Result<(), RpnError> {
        self.shifts.seconds.clear();
        self.shifts.times = count.min(0).unsigned_abs();
        let taken = if count < 0 { 1 } else { count.unsigned_abs() as usize };
        self.stack.take(taken, &mut self.shifts.seconds)
    }

    fn column(&self, variable: usize) -> Option<Column<'a>> {
        match self.variables.get(variable) {
            Some(Variable::Series(column)) => Some(*column),
            _ => None,
        }
    }

    fn look_at(&mut self, rows: u64) -> Result<(), RpnError> {
        self.looks += rows;
        if self.looks > LOOKS_MAX { Err(RpnError::TooManyLooks) } else { Ok(()) }
    }
}

fn percentage(percent: f64) -> Result<f64, RpnError> {
    match percent {
        percent if (-100.0..=100.0).contains(&percent) => Ok(percent),
        other => Err(RpnError::UnsupportedPercentile(other)),
    }
}
