//! The result of an experiment: figures, plots and verdicts.

use serde_json::{Value, json};

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

    pub(crate) fn json(&self) -> Value {
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
