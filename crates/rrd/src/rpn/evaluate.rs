//! Running a program over columns of values.

use jiff::{Timestamp, tz::TimeZone};

use crate::{Tick, UNKNOWN};

use super::column::Variable;
use super::moving::Moving;
use super::operator::Effect;
use super::shifts::Shifts;
use super::stack::Stack;
use super::windows::Trend;
use super::{Node, Operator, Program, RpnError, arithmetic};

/// The most values that one expression may give.
const ROWS_MAX: i64 = 1 << 26;

/// What NOW, LTIME and NEWDAY refer to.
#[derive(Clone, Copy, Debug)]
pub struct Clock<'a> {
    /// What the times of the series are counted in: where it is no second, "seconds" are ticks.
    /// Those of expressions are seconds all the same.
    pub tick: Tick,
    /// The time of NOW, in seconds whatever the tick.
    pub now_seconds: i64,
    /// The zone of local times.
    pub zone: &'a TimeZone,
}

/// What an expression gives, in the ticks of its series.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The start of the stretch, seconds: the latest start among the series.
    pub start_seconds: i64,
    /// Seconds between two values: the greatest common divisor of the series' steps.
    pub step_seconds: u64,
    /// The values, up to the earliest end among the series.
    pub values: Vec<f64>,
}

impl Program {
    /// Evaluates the program for each step of the grid that its series have in common.
    ///
    /// `variables` is indexed as the lookup of [`Program::parse`] did.
    ///
    /// # Errors
    /// [`RpnError::NoSeries`] if no variable is a series; [`RpnError::Underflow`] and
    /// [`RpnError::Leftover`] where a count was not constant.
    pub fn evaluate(
        &self,
        variables: &[Variable<'_>],
        clock: Clock<'_>,
    ) -> Result<Answer, RpnError> {
        self.run(variables, clock, None)
    }

    /// The same from a time on, or from the first step after it that all series have. Windows reach
    /// back to all rows of their series, also to those before that time.
    ///
    /// # Errors
    /// As [`Program::evaluate`].
    pub fn evaluate_from(
        &self,
        from_seconds: i64,
        variables: &[Variable<'_>],
        clock: Clock<'_>,
    ) -> Result<Answer, RpnError> {
        self.run(variables, clock, Some(from_seconds))
    }

    fn run(
        &self,
        variables: &[Variable<'_>],
        clock: Clock<'_>,
        from_seconds: Option<i64>,
    ) -> Result<Answer, RpnError> {
        let mut grid = self.grid(variables).ok_or(RpnError::NoSeries)?;
        if let Some(from_seconds) = from_seconds {
            grid.begin_at(from_seconds);
        }
        let step = grid.step_seconds as i64;
        let rows = (grid.end_seconds.saturating_sub(grid.start_seconds) / step).max(0);
        if rows > ROWS_MAX {
            let (tick, step_seconds) = (clock.tick, grid.step_seconds);
            return Err(RpnError::TooManyRows { rows, tick, step_seconds });
        }
        let mut run = Run {
            variables,
            clock,
            grid,
            sees_all_rows: from_seconds.is_some(),
            output: Vec::with_capacity(rows as usize),
            stack: Stack::default(),
            trends: Vec::new(),
            moving: Vec::new(),
            shifts: Shifts::default(),
            past: Vec::new(),
            looks: 0,
        };
        for row in 1..=rows {
            let value = run.row(&self.nodes, run.grid.start_seconds + row * step)?;
            run.output.push(value);
        }
        Ok(Answer {
            start_seconds: run.grid.start_seconds,
            step_seconds: run.grid.step_seconds,
            values: run.output,
        })
    }

    fn grid(&self, variables: &[Variable<'_>]) -> Option<Grid> {
        let mut grid: Option<Grid> = None;
        for index in self.variables() {
            let Some(Variable::Series(column)) = variables.get(index) else {
                continue;
            };
            let own = Grid {
                start_seconds: column.start_seconds,
                end_seconds: column.start_seconds
                    + column.values.len() as i64 * column.step_seconds as i64,
                step_seconds: column.step_seconds.max(1),
            };
            grid = Some(grid.map_or(own, |common| common.meet(own)));
        }
        grid
    }
}

#[derive(Clone, Copy)]
pub(super) struct Grid {
    start_seconds: i64,
    end_seconds: i64,
    pub(super) step_seconds: u64,
}

impl Grid {
    /// Leaves out the steps that begin before a time.
    fn begin_at(&mut self, from_seconds: i64) {
        let step = self.step_seconds as i64;
        let late_seconds = from_seconds.saturating_sub(self.start_seconds);
        if late_seconds > 0 {
            let steps = late_seconds / step + i64::from(late_seconds % step != 0);
            self.start_seconds = self.start_seconds.saturating_add(steps.saturating_mul(step));
        }
    }

    fn meet(self, other: Self) -> Self {
        Self {
            start_seconds: self.start_seconds.max(other.start_seconds),
            end_seconds: self.end_seconds.min(other.end_seconds),
            step_seconds: common_divisor(self.step_seconds, other.step_seconds),
        }
    }
}

fn common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// One evaluation.
pub(super) struct Run<'a> {
    pub(super) variables: &'a [Variable<'a>],
    pub(super) clock: Clock<'a>,
    pub(super) grid: Grid,
    /// Whether windows reach back to rows before the first one that is calculated.
    pub(super) sees_all_rows: bool,
    /// The values so far.
    pub(super) output: Vec<f64>,
    pub(super) stack: Stack,
    /// The windows of each TREND.
    pub(super) trends: Vec<Trend>,
    /// The windows of each TREND.MIN and the like.
    pub(super) moving: Vec<Moving>,
    /// Of the PREDICT that is being calculated.
    pub(super) shifts: Shifts,
    /// The values in the windows of the PREDICT that is being calculated.
    pub(super) past: Vec<f64>,
    /// How many rows were looked at in windows.
    pub(super) looks: u64,
}

impl Run<'_> {
    fn row(&mut self, nodes: &[Node], time_seconds: i64) -> Result<f64, RpnError> {
        self.stack.clear();
        for (at, node) in nodes.iter().enumerate() {
            match *node {
                Node::Number(number) => self.stack.push(number),
                Node::Variable(index) => {
                    let value = self.read(index, time_seconds, 0);
                    self.stack.push(value);
                }
                Node::PreviousOf(index) => {
                    // The first row has none before it, wherever the series begins.
                    let is_first = self.output.is_empty();
                    let value = match is_first {
                        true => UNKNOWN,
                        false => self.read(index, time_seconds, 1),
                    };
                    self.stack.push(value);
                }
                Node::Call(operator) if operator.series_of_trend().is_some() => {
                    let value = self.trend(nodes, at, time_seconds)?;
                    self.stack.push(value);
                }
                Node::Call(operator) if operator.effect() == Effect::Predicts => {
                    let value = self.predict(nodes, at, time_seconds)?;
                    self.stack.push(value);
                }
                Node::Call(operator) => self.call(operator, time_seconds)?,
            }
        }
        self.stack.answer()
    }

    /// The value of a variable in the step that covers a time, or `back` of its steps earlier.
    fn read(&self, variable: usize, time_seconds: i64, back: i64) -> f64 {
        match self.variables.get(variable) {
            Some(Variable::Constant(number)) => *number,
            Some(Variable::Series(column)) => {
                let step = column.step_seconds.max(1) as i64;
                let steps_in = (time_seconds - 1).div_euclid(step)
                    - column.start_seconds.div_euclid(step)
                    - back;
                usize::try_from(steps_in)
                    .ok()
                    .and_then(|index| column.values.get(index).copied())
                    .unwrap_or(UNKNOWN)
            }
            None => UNKNOWN,
        }
    }

    fn call(&mut self, operator: Operator, time_seconds: i64) -> Result<(), RpnError> {
        use Operator as Op;
        match operator {
            Op::Previous => self.stack.push(self.output.last().copied().unwrap_or(UNKNOWN)),
            Op::Count => self.stack.push(self.output.len() as f64 + 1.0),
            Op::StepWidth => {
                self.stack.push(self.clock.tick.seconds_of(self.grid.step_seconds));
            }
            Op::Now
            | Op::Time
            | Op::LocalTime
            | Op::NewDay
            | Op::NewWeek
            | Op::NewMonth
            | Op::NewYear => {
                let value = self.clock_value(operator, time_seconds);
                self.stack.push(value);
            }
            _ => arithmetic::apply(operator, &mut self.stack)?,
        }
        Ok(())
    }

    fn clock_value(&self, operator: Operator, time_seconds: i64) -> f64 {
        let tick = self.clock.tick;
        let local = |time: i64| {
            let seconds = time.div_euclid(tick.per_second().into());
            let moment = Timestamp::from_second(seconds).unwrap_or(Timestamp::UNIX_EPOCH);
            moment.to_zoned(self.clock.zone.clone())
        };
        let changed = |part: fn(&jiff::Zoned) -> i16| {
            let before = local(time_seconds - self.grid.step_seconds as i64);
            f64::from(u8::from(part(&local(time_seconds)) != part(&before)))
        };
        match operator {
            Operator::Now => self.clock.now_seconds as f64,
            Operator::LocalTime => {
                let offset_seconds = local(time_seconds).offset().seconds();
                let offset_ticks = i64::from(offset_seconds) * i64::from(tick.per_second());
                tick.seconds_at(time_seconds + offset_ticks)
            }
            Operator::NewDay => changed(|zoned| i16::from(zoned.day())),
            Operator::NewMonth => changed(|zoned| i16::from(zoned.month())),
            Operator::NewYear => changed(jiff::Zoned::year),
            Operator::NewWeek => {
                let sunday = local(time_seconds).weekday() == jiff::civil::Weekday::Sunday;
                let new_day = changed(|zoned| i16::from(zoned.day()));
                if sunday { new_day } else { 0.0 }
            }
            _ => tick.seconds_at(time_seconds),
        }
    }
}
