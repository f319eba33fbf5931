//! The result of an experiment: figures, plots and verdicts, and their files.

use std::path::Path;

use serde_json::{Value, json};

use crate::Experiment;
use crate::plot::Plot;
use crate::verdict::Verdict;

/// The result of an experiment.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// The scale relative to the reference's site, in a line.
    pub scale: String,
    /// Every figure.
    pub table: Table,
    /// Plots, each with the suffix of its file's name (often empty).
    pub plots: Vec<(&'static str, Plot)>,
    /// The comparison with the reference's figures.
    pub verdicts: Vec<Verdict>,
    /// What was not measured here, and why.
    pub not_measured: Vec<String>,
}

/// Figures with their names.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// The columns.
    pub columns: Vec<&'static str>,
    /// The rows: words or figures.
    pub rows: Vec<Vec<Cell>>,
}

/// One entry of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// A word.
    Word(String),
    /// A figure.
    Figure(f64),
    /// No figure.
    None,
}

impl From<&str> for Cell {
    fn from(word: &str) -> Self {
        Self::Word(word.into())
    }
}

impl From<String> for Cell {
    fn from(word: String) -> Self {
        Self::Word(word)
    }
}

impl From<f64> for Cell {
    /// A NaN or infinity is no figure.
    fn from(figure: f64) -> Self {
        if figure.is_finite() { Self::Figure(figure) } else { Self::None }
    }
}

impl From<u64> for Cell {
    fn from(figure: u64) -> Self {
        Self::Figure(figure as f64)
    }
}

impl From<Option<f64>> for Cell {
    fn from(figure: Option<f64>) -> Self {
        figure.map_or(Self::None, Self::from)
    }
}

impl Table {
    pub(crate) fn new(columns: &[&'static str]) -> Self {
        Self { columns: columns.into(), rows: Vec::new() }
    }

    pub(crate) fn push(&mut self, row: Vec<Cell>) {
        assert!(row.len() == self.columns.len());
        self.rows.push(row);
    }

    /// As CSV; a word with a comma is quoted.
    #[must_use]
    pub fn csv(&self) -> String {
        let cell = |cell: &Cell| match cell {
            Cell::Word(word) if word.contains(',') => format!("\"{word}\""),
            Cell::Word(word) => word.clone(),
            Cell::Figure(figure) => format!("{}", (figure * 1e6).round() / 1e6),
            Cell::None => String::new(),
        };
        let row = |row: &Vec<Cell>| row.iter().map(cell).collect::<Vec<_>>().join(",");
        let heading = std::iter::once(self.columns.join(","));
        heading.chain(self.rows.iter().map(row)).map(|line| line + "\n").collect()
    }

    fn json(&self) -> Value {
        let cell = |cell: &Cell| match cell {
            Cell::Word(word) => json!(word),
            Cell::Figure(figure) => json!(figure),
            Cell::None => Value::Null,
        };
        let row = |row: &Vec<Cell>| {
            let named =
                self.columns.iter().zip(row).map(|(name, it)| ((*name).to_owned(), cell(it)));
            Value::Object(named.collect())
        };
        self.rows.iter().map(row).collect()
    }
}

pub(crate) fn write(path: &Path, text: &[u8]) -> Result<(), String> {
    std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

impl Outcome {
    /// Writes `NAME.csv`, the plots as `NAME*.svg`, and `NAME.txt` with the verdicts.
    ///
    /// # Errors
    /// A file cannot be written; with its name.
    pub fn write(&self, of: &Experiment, directory: &Path) -> Result<(), String> {
        let name = of.name;
        let mut files = vec![
            (format!("{name}.csv"), self.table.csv().into_bytes()),
            (format!("{name}.txt"), self.report(of).into_bytes()),
        ];
        let plots = self.plots.iter();
        files.extend(plots.map(|(end, plot)| (format!("{name}{end}.svg"), plot.svg())));
        files.iter().try_for_each(|(file, text)| write(&directory.join(file), text))
    }

    /// Question, scale and verdicts as text.
    #[must_use]
    pub fn report(&self, of: &Experiment) -> String {
        let mut lines = vec![
            format!("{}: {}", of.name, of.question),
            format!("  the reference: {}", of.reference),
            format!("  scale: {}", self.scale),
        ];
        lines.extend(self.verdicts.iter().map(|verdict| format!("  {}", verdict.line())));
        lines.extend(self.not_measured.iter().map(|what| format!("  not measured: {what}")));
        lines.join("\n") + "\n"
    }

    /// The whole result as JSON.
    #[must_use]
    pub fn json(&self, of: &Experiment) -> Value {
        json!({
            "experiment": of.name,
            "question": of.question,
            "reference": of.reference,
            "scale": self.scale,
            "verdicts": self.verdicts,
            "not_measured": self.not_measured,
            "figures": self.table.json(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Table;

    #[test]
    fn what_is_no_number_is_left_out() {
        let mut table = Table::new(&["a", "b", "c"]);
        table.push(vec![(1.0 / 0.0).into(), Some(f64::NAN).into(), 1.5.into()]);
        assert_eq!(table.csv(), "a,b,c\n,,1.5\n");
        assert_eq!(table.json().to_string(), r#"[{"a":null,"b":null,"c":1.5}]"#);
    }
}
