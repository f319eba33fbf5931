//! How the operators that look back along a series take their arguments.

use super::column::{Column, Variable};
use super::evaluate::Run;
use super::moving::{Asked, Moving, Statistic};
use super::shifts::{c_int, whole_ticks};
use super::windows::{Past, Prediction, Trend, WindowEnd};
use super::{Node, Operator, RpnError};
use crate::UNKNOWN;

/// The most rows that the windows of one expression look at, all together.
const LOOKS_MAX: u64 = 1 << 38;

/// The most values that the windows of one row hold together.
const PAST_MAX: usize = 1 << 24;

impl<'a> Run<'a> {
    /// `x,seconds,TREND`, and its like: a word of the place before them must be a series.
    pub(super) fn trend(
        &mut self,
        nodes: &[Node],
        at: usize,
        time_seconds: i64,
    ) -> Result<f64, RpnError> {
        let Node::Call(operator) = nodes[at] else { return Err(RpnError::MalformedTrend) };
        let window_seconds = self.stack.pop()?;
        let statistic = self.statistic(operator)?;
        self.stack.pop()?;
        let words_back = operator.series_of_trend().unwrap_or(2);
        let column = match at.checked_sub(words_back).map(|place| nodes[place]) {
            Some(Node::Variable(variable)) => self.column(variable),
            _ => None,
        };
        let column = column.ok_or(RpnError::MalformedTrend)?;
        // With an unknown window rrdtool reads memory that is not the series'.
        if !window_seconds.is_finite() {
            return Ok(UNKNOWN);
        }
        let end = column.window_end(time_seconds);
        let window_ticks = self.clock.tick.nearest_to(window_seconds);
        let rows = column.rows_of(window_ticks).max(1.0);
        if rows > self.rows_up_to(end) as f64 {
            return Ok(UNKNOWN);
        }
        let rows = rows as usize;
        let moves_on = (1..words_back).all(|words| self.is_constant(nodes[at - words]));
        match statistic {
            Some(statistic) => self.moving(at, &column, Asked { statistic, end, rows, moves_on }),
            None => {
                self.look_at(rows as u64)?;
                let moves_on = moves_on && column.step_seconds == self.grid.step_seconds;
                let known_only = operator == Operator::TrendKnown;
                Ok(self.trend_at(at, known_only).mean(&column, end, rows, moves_on))
            }
        }
    }

    /// How many rows a window that ends there may have.
    fn rows_up_to(&self, end: WindowEnd) -> i64 {
        if self.sees_all_rows { end.0 } else { self.output.len() as i64 + 1 }
    }

    /// What the operator makes of its windows; nothing of TREND and TRENDNAN, whose means are summed
    /// as rrdtool does. Takes the percentage of TREND.PERCENT.
    fn statistic(&mut self, operator: Operator) -> Result<Option<Statistic>, RpnError> {
        Ok(match operator {
            Operator::TrendSmallest => Some(Statistic::Smallest),
            Operator::TrendLargest => Some(Statistic::Largest),
            Operator::TrendDeviation => Some(Statistic::Deviation),
            Operator::TrendMedian => Some(Statistic::Median),
            Operator::TrendPercentile => match self.stack.pop()? {
                percent if (0.0..=100.0).contains(&percent) => Some(Statistic::Percentile(percent)),
                _ => return Err(RpnError::Percent),
            },
            _ => None,
        })
    }

    /// Whether a word stands for the same number at each row.
    fn is_constant(&self, node: Node) -> bool {
        match node {
            Node::Number(_) | Node::Call(Operator::StepWidth) => true,
            Node::Variable(variable) => self.column(variable).is_none(),
            _ => false,
        }
    }

    fn moving(&mut self, at: usize, column: &Column<'_>, asked: Asked) -> Result<f64, RpnError> {
        let known = self.moving.iter().position(|moving| moving.node == at);
        let nth = known.unwrap_or_else(|| {
            self.moving.push(Moving::new(at));
            self.moving.len() - 1
        });
        if let Some(answer) = self.moving[nth].known(asked) {
            return Ok(answer);
        }
        self.look_at(asked.rows as u64)?;
        Ok(self.moving[nth].calculate(column, asked))
    }

    fn trend_at(&mut self, at: usize, known_only: bool) -> &mut Trend {
        let known = self.trends.iter().position(|trend| trend.node == at);
        let nth = known.unwrap_or_else(|| {
            self.trends.push(Trend::new(at, known_only));
            self.trends.len() - 1
        });
        &mut self.trends[nth]
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
        let window_ticks = whole_ticks(self.clock.tick, self.stack.pop()?);
        let count = c_int(self.stack.pop()?);
        self.pop_shifts(count)?;
        let column = match at.checked_sub(1).map(|place| nodes[place]) {
            Some(Node::Variable(variable) | Node::PreviousOf(variable)) => self.column(variable),
            _ => None,
        };
        // rrdtool reads memory that is not there.
        let column = column.ok_or(RpnError::MalformedPrediction)?;
        let rows = column.rows_of(window_ticks) as i64;
        let mut values = std::mem::take(&mut self.past);
        values.clear();
        let shifts = std::mem::take(&mut self.shifts);
        let end = column.window_end(time_seconds);
        let mut past = Past {
            column: &column,
            end,
            rows_max: self.rows_up_to(end) - i64::from(!self.sees_all_rows),
            values: &mut values,
        };
        let gathered = shifts.each(self.clock.tick, |shift_ticks| {
            let shift = column.rows_of(shift_ticks) as i64;
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
