//! `xport`: the series of a plan as one table, instead of a picture.

use jiff::tz::TimeZone;
use rrd::rpn::Vocabulary;
use rrd::{Stretch, Tick, Timestamp, UNKNOWN};

use crate::Error;
use crate::arguments::{Element, Quantity, Rule, Settings, ShapeKind, TextKind};
use crate::calculate::Values;
use crate::calculated::Calculated;
use crate::format::Scale;
use crate::plan::Plan;
use crate::print::print;
use crate::row_length::RowLength;
use crate::time_window::TimeWindow;

/// The most values of a table.
const VALUES_MAX: u64 = 100_000_000;

/// The most values of a table that takes the place of an image, and is whole in memory as text.
const IMAGE_VALUES_MAX: u64 = 10_000_000;

/// Of which stretch of time a table is to be, and how fine.
#[derive(Clone, Copy, Debug)]
pub struct ExportWindow<'a> {
    /// `--start`.
    pub start: Option<&'a str>,
    /// `--end`.
    pub end: Option<&'a str>,
    /// `--maxrows`: rows are consolidated to about this many.
    pub rows_max: u64,
    /// `--step`: rows are at least this long.
    pub row_length: RowLength,
    /// `--daemon`: for what says nothing else.
    pub daemon: Option<&'a str>,
    /// The words of CDEF expressions.
    pub vocabulary: Vocabulary,
}

/// A table: a column for each XPORT, a row for each step that all columns share.
#[derive(Clone, Debug)]
pub struct Export {
    /// What its times are counted in: where it is no second, "seconds" are ticks.
    pub tick: Tick,
    /// Where the first row begins, seconds.
    pub start_seconds: i64,
    /// Where the last row ends, seconds.
    pub end_seconds: i64,
    /// The length of a row.
    pub step_seconds: u64,
    /// What the columns are called, as the elements give it.
    pub legends: Vec<String>,
    /// The values, row after row.
    pub values: Vec<f64>,
    /// What other elements say: those of a graph, which have no place in a table.
    pub notes: Vec<Note>,
}

/// What an element says besides the columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    /// Which of the lists it stands in.
    pub kind: NoteKind,
    /// What it is: `print`, `gprint`, `comment`, `line` ...
    pub tag: &'static str,
    /// Its text.
    pub text: String,
}

/// The lists of [`Note`]s, in the order in which they are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoteKind {
    /// PRINT.
    Print,
    /// GPRINT, COMMENT, TEXTALIGN, and the legends of what a graph would draw.
    Legend,
    /// HRULE and VRULE.
    Rule,
}

impl Plan {
    /// Reads the elements of an `xport`.
    ///
    /// # Errors
    /// One [`Error`] with rrdtool's words where it has them.
    pub fn for_export(
        window: &ExportWindow<'_>,
        elements: &[&str],
        now: Timestamp,
        zone: &TimeZone,
    ) -> Result<Self, Error> {
        let settings = Settings {
            start: window.start.map(str::to_owned),
            end: window.end.map(str::to_owned),
            row_length: window.row_length,
            daemon: window.daemon.map(str::to_owned),
            vocabulary: window.vocabulary,
            ..Settings::default()
        };
        let plan = Self::of(settings, window.rows_max, elements, now, zone)?;
        if plan.script.definitions.is_empty() && plan.script.elements.is_empty() {
            return Err(Error::Element("can't make an xport without contents".into()));
        }
        Ok(plan)
    }

    /// Calculates the table from the answers to the plan's requests, one for each, in order.
    ///
    /// # Errors
    /// As with [`Plan::draw`]; or there is no column.
    pub fn export(&self, fetched: &[Stretch]) -> Result<Export, Error> {
        if fetched.len() != self.requests().len() {
            return Err(Error::Fetch("a request was not answered".into()));
        }
        let values = Values::calculate(self, fetched)?;
        let elements = self.script.elements.iter();
        let columns = elements.filter_map(|element| match element {
            Element::Column(column) => {
                Some(TableColumn { value: Quantity::Of(column.of), legend: &column.legend })
            }
            _ => None,
        });
        self.table(&values, &columns.collect::<Vec<_>>(), VALUES_MAX)
    }

    /// What a graph would draw, as a table: a column for each XPORT, LINE, AREA and STACK.
    pub(crate) fn drawn_table(&self, values: &Values) -> Result<Export, Error> {
        let elements = self.script.elements.iter();
        let columns = elements.filter_map(|element| match element {
            Element::Column(column) => {
                Some(TableColumn { value: Quantity::Of(column.of), legend: &column.legend })
            }
            Element::Shape(shape) if !matches!(shape.kind, ShapeKind::Tick { .. }) => {
                Some(TableColumn { value: shape.value, legend: &shape.ink.legend })
            }
            _ => None,
        });
        self.table(values, &columns.collect::<Vec<_>>(), IMAGE_VALUES_MAX)
    }

    fn table(
        &self,
        calculated: &Values,
        columns: &[TableColumn<'_>],
        values_max: u64,
    ) -> Result<Export, Error> {
        let cells: Vec<Cells<'_>> = columns.iter().map(|column| column.cells(calculated)).collect();
        let steps = cells.iter().filter_map(|cells| match cells {
            Cells::Of(series) => Some(series.step_seconds),
            Cells::Always(_) => None,
        });
        let Some(step_seconds) = steps.reduce(common_step) else {
            return Err(Error::Element("no XPORT found, nothing to do".into()));
        };
        let step = i64::try_from(step_seconds).unwrap_or(i64::MAX);
        let TimeWindow { tick, start_seconds, end_seconds } = calculated.window;
        let start_seconds = start_seconds - start_seconds % step;
        let end_seconds = match end_seconds % step {
            0 => end_seconds,
            beyond => (end_seconds - beyond).saturating_add(step),
        };
        let rows = (end_seconds - start_seconds) / step;
        if (rows as u64).saturating_mul(columns.len() as u64) > values_max {
            let columns = columns.len();
            return Err(Error::Element(format!(
                "a table of {rows} rows and {columns} columns is too large"
            )));
        }
        let mut values = Vec::with_capacity(rows as usize * cells.len());
        for row in 0..rows {
            let seconds = start_seconds + row * step;
            values.extend(cells.iter().map(|cells| cells.at(seconds)));
        }
        Ok(Export {
            tick,
            start_seconds,
            end_seconds,
            step_seconds,
            legends: columns.iter().map(|column| column.legend.to_owned()).collect(),
            notes: self.notes(calculated)?,
            values,
        })
    }

    fn notes(&self, values: &Values) -> Result<Vec<Note>, Error> {
        let mut scale = Scale::default();
        let elements = self.script.elements.iter();
        elements.filter_map(|element| self.note(element, values, &mut scale).transpose()).collect()
    }

    fn note(
        &self,
        element: &Element,
        values: &Values,
        scale: &mut Scale,
    ) -> Result<Option<Note>, Error> {
        let note = |kind, tag, text| Ok(Some(Note { kind, tag, text }));
        let legend = |tag, text: &str| note(NoteKind::Legend, tag, text.into());
        match element {
            Element::Print(what) => {
                note(NoteKind::Print, "print", print(what, self, values, scale)?)
            }
            Element::Text(TextKind::Gprint(what)) => {
                legend("gprint", &print(what, self, values, scale)?)
            }
            Element::Text(TextKind::Comment(text)) => legend("comment", text),
            Element::Shape(shape) => match shape.kind {
                ShapeKind::Line { .. } => legend("line", shape.ink.legend.trim_start()),
                ShapeKind::Area { .. } if shape.ink.legend.is_empty() => legend("area", ""),
                ShapeKind::Area { .. } => legend("area", &format!("  {}", shape.ink.legend)),
                ShapeKind::Tick { .. } => Ok(None),
            },
            Element::Align(letter) => legend("align", align_word(*letter)),
            Element::Rule(rule) => Ok(rule_note(rule, values)),
            Element::Column(_) => Ok(None),
        }
    }
}

/// Where a rule is.
fn rule_note(rule: &Rule, values: &Values) -> Option<Note> {
    let number = |number| rrd::cformat::FloatFormat::exponent(10).text(number);
    let (tag, text) = match (rule.vertical, rule.at) {
        (true, Quantity::Number(seconds)) => ("vrule", format!("{}", seconds as i64)),
        (false, Quantity::Number(value)) => ("hrule", number(value)),
        (true, Quantity::Of(position)) => {
            let time = values.fact(position)?.when_seconds.unwrap_or(0);
            ("vrule", values.window.tick.told(time).to_string())
        }
        (false, Quantity::Of(position)) => ("hrule", number(values.fact(position)?.value)),
    };
    Some(Note { kind: NoteKind::Rule, tag, text })
}

fn align_word(letter: char) -> &'static str {
    match letter {
        'l' => "left",
        'r' => "right",
        'c' => "center",
        _ => "justified",
    }
}

/// What stands in a column.
struct TableColumn<'a> {
    value: Quantity,
    legend: &'a str,
}

enum Cells<'a> {
    Of(&'a Calculated),
    /// A number, or what a VDEF gives.
    Always(f64),
}

impl TableColumn<'_> {
    fn cells<'v>(&self, values: &'v Values) -> Cells<'v> {
        match self.value {
            Quantity::Number(number) => Cells::Always(number),
            Quantity::Of(position) => match values.series(position) {
                Some(series) => Cells::Of(series),
                None => Cells::Always(values.fact(position).map_or(UNKNOWN, |fact| fact.value)),
            },
        }
    }
}

impl Cells<'_> {
    /// The value of the row that begins at a moment or covers it.
    fn at(&self, seconds: i64) -> f64 {
        let series = match self {
            Self::Always(number) => return *number,
            Self::Of(series) => series,
        };
        let step = i64::try_from(series.step_seconds).unwrap_or(i64::MAX);
        let row = seconds.saturating_sub(series.start_seconds).div_euclid(step.max(1));
        usize::try_from(row).ok().and_then(|row| series.values.get(row).copied()).unwrap_or(UNKNOWN)
    }
}

/// The longest step of which both are multiples: rows of a column that has longer ones repeat.
fn common_step(a: u64, b: u64) -> u64 {
    let (mut divisor, mut rest) = (a, b);
    while rest != 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    divisor.max(1)
}

#[cfg(test)]
mod tests {
    use super::common_step;

    #[test]
    fn steps_meet() {
        assert_eq!(common_step(300, 300), 300);
        assert_eq!(common_step(600, 900), 300);
        assert_eq!(common_step(1800, 600), 600);
        assert_eq!(common_step(0, 0), 1);
    }
}
