//! What a chart is of: a target with the units of its configuration, or a bare database.

use rrd::Definition;

use crate::pages::path;
use crate::{Look, Target};

/// A target or a database, without its rows.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Subject {
    pub(crate) name: String,
    pub(crate) title: String,
    /// The address of its own page.
    pub(crate) page: String,
    /// The device of a target; empty for a database.
    pub(crate) device: String,
    /// The name of its database in the store.
    pub(crate) database: String,
    /// What is shown of it. `None`: every data source that the database has.
    pub(crate) lines: Option<Vec<SubjectLine>>,
    /// Whether an unknown value counts as zero.
    pub(crate) unknown_as_zero: bool,
}

/// One data source, and how its values are shown.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SubjectLine {
    /// The name of the data source.
    pub(crate) source: String,
    pub(crate) label: String,
    pub(crate) legend: String,
    pub(crate) unit: String,
    /// The meaning of `k`: 1000 or 1024.
    pub(crate) kilo: f64,
    /// From the unit of the database to the one that is shown.
    pub(crate) factor: f64,
    /// The expected maximum, in the unit that is shown.
    pub(crate) maximum: Option<f64>,
    pub(crate) limits: Vec<ShownLimit>,
}

/// A limit, in the unit that is shown.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ShownLimit {
    pub(crate) at: f64,
    pub(crate) words: String,
}

impl Subject {
    /// A target.
    pub(crate) fn of_target(target: &Target) -> Self {
        let look = target.present_look();
        Self {
            name: target.name.to_string(),
            title: target.title(),
            page: path::target(&target.name),
            device: target.device.to_string(),
            database: target.database.to_string(),
            lines: Some(SubjectLine::of_look(&look)),
            unknown_as_zero: look.unknown_as_zero,
        }
    }

    /// A database that no configuration names.
    pub(crate) fn of_database(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            title: name.to_owned(),
            page: format!("/db/{}", path::percent_encode(name)),
            device: String::new(),
            database: name.to_owned(),
            lines: None,
            unknown_as_zero: false,
        }
    }
}

impl SubjectLine {
    fn of_look(look: &Look) -> Vec<Self> {
        let lines = look.lines.iter().enumerate().filter(|(_, line)| line.shown);
        let line = |(nth, line): (usize, &crate::Line)| Self {
            source: format!("ds{nth}"),
            label: line.label.to_string(),
            legend: line.legend.to_string(),
            unit: look.unit.to_string(),
            kilo: look.kilo,
            factor: look.factor,
            maximum: finite(line.maximum * look.factor).filter(|most| *most > 0.0),
            limits: limits(line, look.factor),
        };
        lines.map(line).collect()
    }

    /// A line for each data source.
    pub(super) fn of_definition(definition: &Definition) -> Vec<Self> {
        let line = |source: &rrd::DataSource| Self {
            source: source.name.clone(),
            label: source.name.clone(),
            legend: format!("{} ({})", source.name, source.kind),
            unit: String::new(),
            kilo: 1000.0,
            factor: 1.0,
            maximum: finite(source.maximum),
            limits: Vec::new(),
        };
        definition.sources.iter().map(line).collect()
    }
}

fn limits(line: &crate::Line, factor: f64) -> Vec<ShownLimit> {
    let shown = |limit: &crate::Limit| {
        let at = finite(limit.value(line.maximum) * factor)?;
        Some(ShownLimit { at, words: limit.words.to_string() })
    };
    line.limits.iter().filter_map(shown).collect()
}

fn finite(number: f64) -> Option<f64> {
    number.is_finite().then_some(number)
}
