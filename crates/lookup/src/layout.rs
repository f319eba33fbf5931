//! Which series a database of a layout has.

use rrd::{ConsolidationFunction as Cf, DataSource, Definition, SourceKind};
use senders::VALUE;
use series::{Kind, Preferred};

/// The series of databases of one layout.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Layout {
    /// A column for each series.
    pub(crate) columns: Vec<Column>,
    /// The finest step, microseconds.
    pub(crate) step_micros: i64,
    /// The consolidation functions of the archives.
    functions: Vec<Cf>,
}

/// A data source under a consolidation function.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Column {
    /// The data source's name.
    pub(crate) source: String,
    pub(crate) kind: Kind,
    pub(crate) cf: Cf,
    /// What follows the data source's name in that of the series: nothing for the function that is
    /// meant where none is named, else as `:max`.
    pub(crate) suffix: String,
}

/// The consolidation functions from the one that is meant where none is named.
const IN_ORDER: [Cf; 4] = [Cf::Average, Cf::Last, Cf::Max, Cf::Min];

impl Layout {
    pub(crate) fn of(definition: &Definition) -> Self {
        let mut functions = Vec::new();
        for archive in &definition.archives {
            // The rows of a season are no rows of time.
            let is_season = matches!(archive.cf, Cf::Seasonal | Cf::DevSeasonal);
            if !is_season && !functions.contains(&archive.cf) {
                functions.push(archive.cf);
            }
        }
        let plain = IN_ORDER.into_iter().find(|cf| functions.contains(cf));
        let plain = plain.or_else(|| functions.first().copied());
        let columns = definition.sources.iter().flat_map(|source| {
            functions.iter().map(move |&cf| Column {
                source: source.name.clone(),
                kind: kind(source),
                cf,
                suffix: if Some(cf) == plain { String::new() } else { suffix(cf) },
            })
        });
        let micros = 1_000_000 / u64::from(definition.tick.per_second());
        let finest =
            definition.archives.iter().map(|archive| archive.row_seconds(definition.step_seconds));
        Self {
            columns: columns.collect(),
            step_micros: (finest.min().unwrap_or(definition.step_seconds) * micros) as i64,
            functions,
        }
    }

    /// Whether the only source is called [`VALUE`]: its series goes by the database's own path.
    pub(crate) fn is_one_value(&self) -> bool {
        self.columns.iter().all(|column| column.source == VALUE)
    }

    /// The column of the function that is meant where none is named.
    pub(crate) fn plain_column(&self) -> Option<u32> {
        self.columns.iter().zip(0..).find(|(column, _)| column.suffix.is_empty()).map(|(_, at)| at)
    }

    /// The function to read for a column where the question prefers one.
    pub(crate) fn function(&self, column: &Column, preferred: Preferred) -> Cf {
        let wished = match preferred {
            Preferred::Named => return column.cf,
            Preferred::Average => Cf::Average,
            Preferred::Minimum => Cf::Min,
            Preferred::Maximum => Cf::Max,
            Preferred::Last => Cf::Last,
        };
        let is_open = column.suffix.is_empty() && self.functions.contains(&wished);
        if is_open { wished } else { column.cf }
    }
}

fn kind(source: &DataSource) -> Kind {
    match source.kind {
        SourceKind::Gauge | SourceKind::Compute(_) => Kind::Gauge,
        SourceKind::Counter
        | SourceKind::Derive
        | SourceKind::Dcounter
        | SourceKind::Dderive
        | SourceKind::Absolute => Kind::Rate,
    }
}

/// `:max`, `:percentile_95`, `:percentile_99_9`.
fn suffix(cf: Cf) -> String {
    let name = cf.name().to_ascii_lowercase();
    match cf {
        Cf::Percentile(Some(percent)) => {
            format!(":{name}_{}", percent.to_string().replace('.', "_"))
        }
        _ => format!(":{name}"),
    }
}
