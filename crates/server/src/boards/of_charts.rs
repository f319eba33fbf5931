//! Charts of targets and databases, with the rows that `/api/charts` reads for them.

use super::asking::{Asking, Unshown};
use super::board::Panel;
use super::curve::{
    Chart, Curve, Numbers, Point, Unit, VALUES_MAX, Window, rows_per_point, thinned,
};
use crate::charts::{self, Asked, ChartLine, Databases, Subject};
use crate::span::Span;

/// So many targets or databases are read at once: their rows are in memory at the same time.
const READ_AT_ONCE: usize = 16;

/// Targets or databases, and where their rows are.
pub(super) struct Subjects<'a> {
    pub(super) all: Vec<Subject>,
    pub(super) databases: &'a dyn Databases,
    /// Whether each has a page of its own.
    pub(super) have_pages: bool,
}

/// The charts of a panel. One that cannot be read is without points, unless that is so of all.
pub(super) fn charts(
    asking: &Asking<'_>,
    panel: &Panel,
    subjects: &Subjects<'_>,
) -> Result<Vec<Chart>, Unshown> {
    let mut read = Vec::new();
    for some in subjects.all.chunks(READ_AT_ONCE) {
        if !asking.goes_on() {
            return Err(Unshown::Late);
        }
        read.extend(read_some(subjects.databases, some, &asked(asking.window)));
    }
    check_some_is_there(panel, &read)?;
    let is_alone = panel.each || read.len() == 1;
    let naming = Naming { panel, window: asking.window, is_alone };
    let charts = read.iter().map(|read| naming.chart(read, subjects.have_pages)).collect();
    Ok(if is_alone { charts } else { vec![together(charts)] })
}

fn asked(window: Window) -> Asked {
    let Window { start_seconds, end_seconds } = window;
    Asked {
        targets: Vec::new(),
        databases: Vec::new(),
        span: Span { start_seconds, end_seconds },
        points: VALUES_MAX as u64,
        margin_seconds: 0,
        ghost_seconds: None,
    }
}

/// Reads these; where that is too much at once, in two halves.
fn read_some(databases: &dyn Databases, some: &[Subject], asked: &Asked) -> Vec<charts::Chart> {
    match (charts::charts(databases, some.to_vec(), asked), some) {
        (Ok(read), _) => read,
        (Err(refused), [alone]) => {
            vec![charts::Chart::empty(alone.clone(), Some(refused.to_string()))]
        }
        (Err(_), _) => {
            let (first, others) = some.split_at(some.len() / 2);
            let mut read = read_some(databases, first, asked);
            read.extend(read_some(databases, others, asked));
            read
        }
    }
}

/// Refuses a panel of which nothing could be read.
fn check_some_is_there(panel: &Panel, read: &[charts::Chart]) -> Result<(), Unshown> {
    let is_there = |chart: &charts::Chart| chart.problem.is_none() && !chart.lines.is_empty();
    if read.is_empty() || read.iter().any(is_there) {
        return Ok(());
    }
    match read.iter().find_map(|chart| chart.problem.clone()) {
        Some(problem) => Err(Unshown::Unread(problem)),
        None => Err(Unshown::Nothing(panel.subject.words())),
    }
}

/// How charts and curves of a panel are called.
struct Naming<'a> {
    panel: &'a Panel,
    window: Window,
    /// Whether each target or database has a chart to itself.
    is_alone: bool,
}

impl Naming<'_> {
    fn chart(&self, read: &charts::Chart, has_page: bool) -> Chart {
        let title = read.subject.title.clone();
        let page = has_page.then(|| read.subject.page.clone());
        let wanted = self.panel.source.as_deref();
        let is_shown = |line: &&ChartLine| wanted.is_none_or(|it| it == line.facts.source);
        let curve = |line: &ChartLine| self.curve(read, line, page.clone());
        let curves = match read.lines.is_empty() {
            true => vec![self.unread(&title, page.clone())],
            false => read.lines.iter().filter(is_shown).map(curve).collect(),
        };
        Chart { title, page, curves }
    }

    fn curve(&self, read: &charts::Chart, line: &ChartLine, page: Option<String>) -> Curve {
        let title = &read.subject.title;
        let rows = rows_of(read, line);
        let numbers = Numbers::of(&rows, read.step_seconds, self.window);
        let peaks = line.maximum_rows.iter().flatten().copied().filter(|it| it.is_finite());
        Curve {
            label: match (self.is_alone, &self.panel.source) {
                (true, _) => line.facts.label.clone(),
                (false, Some(_)) => title.clone(),
                (false, None) => format!("{title} {}", line.facts.label),
            },
            page,
            unit: self.unit(&line.facts.unit, line.facts.kilo),
            points: thinned(&rows),
            step_seconds: read.step_seconds * rows_per_point(rows.len()) as f64,
            numbers: Numbers {
                last: numbers.last.and(line.last),
                maximum: peaks.chain(numbers.maximum).reduce(f64::max),
                ..numbers
            },
        }
    }

    /// A database of which not even the data sources are known.
    fn unread(&self, title: &str, page: Option<String>) -> Curve {
        Curve {
            label: title.to_owned(),
            page,
            unit: self.unit("", 1000.0),
            points: Vec::new(),
            step_seconds: 1.0,
            numbers: Numbers::default(),
        }
    }

    fn unit(&self, own: &str, kilo: f64) -> Unit {
        let name = self.panel.unit.clone().unwrap_or_else(|| own.to_owned());
        Unit { name, kilo }
    }
}

fn rows_of(read: &charts::Chart, line: &ChartLine) -> Vec<Point> {
    let at = |row: usize| read.first_seconds + row as f64 * read.step_seconds;
    let rows = line.average.iter().enumerate();
    rows.map(|(row, value)| Point { at_seconds: at(row), value: *value }).collect()
}

/// All curves in one chart.
fn together(charts: Vec<Chart>) -> Chart {
    let curves = charts.into_iter().flat_map(|chart| chart.curves).collect();
    Chart { title: String::new(), page: None, curves }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use rrd::fetch::Query;
    use rrd::{
        Archive, ConsolidationFunction, DataSource, Definition, SourceKind, Stretch, Tick,
        Timestamp,
    };
    use store::Outline;

    use super::{asked, read_some};
    use crate::boards::curve::Window;
    use crate::charts::{Databases, Subject, Unread};

    /// Databases of one archive with so many rows of a second; how many queries each reading has.
    struct Large {
        rows: u64,
        readings: RefCell<Vec<usize>>,
    }

    const END: i64 = 100_000_000;

    impl Databases for Large {
        fn outline(&self, _: &str) -> Result<Outline, Unread> {
            let source = DataSource {
                name: "a".into(),
                kind: SourceKind::Gauge,
                heartbeat_seconds: 600,
                minimum: f64::NAN,
                maximum: f64::NAN,
            };
            let archive = Archive::plain(ConsolidationFunction::Average, self.rows, 1, 0.5);
            let definition = Definition {
                tick: Tick::SECOND,
                step_seconds: 1,
                sources: vec![source],
                archives: vec![archive],
            };
            Ok(Outline { definition, last_update: Timestamp::from_seconds(END) })
        }

        fn fetch_all(&self, wanted: &[(&str, Query)]) -> Vec<Result<Stretch, Unread>> {
            self.readings.borrow_mut().push(wanted.len());
            wanted.iter().map(|_| Err(Unread::Missing)).collect()
        }
    }

    #[test]
    fn what_is_too_much_at_once_is_read_in_parts() {
        let read = |rows, count| {
            let databases = Large { rows, readings: RefCell::default() };
            let window = Window { start_seconds: END - 20_000_000, end_seconds: END };
            let some: Vec<_> = (0..count).map(|_| Subject::of_database("a")).collect();
            let charts = read_some(&databases, &some, &asked(window));
            let problems = charts.iter().filter(|chart| chart.problem.is_some()).count();
            (charts.len(), problems, databases.readings.into_inner())
        };
        assert_eq!(read(1000, 16), (16, 0, vec![16]));
        assert_eq!(read(3_000_000, 4), (4, 0, vec![2, 2]));
        // One alone that is too large is told, and not read.
        assert_eq!(read(9_000_000, 2), (2, 2, Vec::new()));
    }
}
