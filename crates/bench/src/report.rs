//! The table of figures: target, figure, and the peers' figures as ratios.

use std::fmt::Write as _;

use serde_json::{Value, json};

/// The required value of a figure.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Target {
    AtMost(f64),
    AtLeast(f64),
}

/// One line of the table.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    what: String,
    unit: &'static str,
    target: Option<Target>,
    figure: Option<f64>,
    peers: Vec<(&'static str, f64)>,
    notes: Vec<String>,
}

impl Row {
    pub(crate) fn new(what: impl Into<String>, unit: &'static str, figure: f64) -> Self {
        Self {
            what: what.into(),
            unit,
            target: None,
            figure: Some(figure).filter(|figure| figure.is_finite()),
            peers: Vec::new(),
            notes: Vec::new(),
        }
    }

    pub(crate) fn at_most(mut self, most: f64) -> Self {
        self.target = Some(Target::AtMost(most));
        self
    }

    pub(crate) fn at_least(mut self, least: f64) -> Self {
        self.target = Some(Target::AtLeast(least));
        self
    }

    /// Adds the peers' figures.
    pub(crate) fn beside(mut self, peers: impl IntoIterator<Item = (&'static str, f64)>) -> Self {
        self.peers = peers.into_iter().collect();
        self
    }

    pub(crate) fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    pub(crate) fn notes(mut self, notes: &[String]) -> Self {
        self.notes.extend_from_slice(notes);
        self
    }

    /// Whether the target is met; `None` if there is no target or no figure.
    fn met(&self) -> Option<bool> {
        let figure = self.figure?;
        Some(match self.target? {
            Target::AtMost(most) => figure <= most,
            Target::AtLeast(least) => figure >= least,
        })
    }

    fn json(&self) -> Value {
        let peers: serde_json::Map<_, _> =
            self.peers.iter().map(|(name, figure)| ((*name).to_owned(), json!(figure))).collect();
        let (most, least) = match self.target {
            Some(Target::AtMost(most)) => (Some(most), None),
            Some(Target::AtLeast(least)) => (None, Some(least)),
            None => (None, None),
        };
        json!({
            "what": self.what, "unit": self.unit,
            "target_at_most": most, "target_at_least": least,
            "gyre": self.figure, "met": self.met(), "peers": peers, "notes": self.notes,
        })
    }

    fn text(&self) -> String {
        let shown = |figure: Option<f64>| figure.map_or_else(|| "-".to_owned(), significant);
        let met = match self.met() {
            Some(true) => "met",
            Some(false) => "MISSED",
            None => "",
        };
        let target = match self.target {
            Some(Target::AtMost(most)) => format!("<= {}", significant(most)),
            Some(Target::AtLeast(least)) => format!(">= {}", significant(least)),
            None => String::new(),
        };
        let mut line = format!(
            "  {:58} {:>10} {:8} {target:>9} {met:6}",
            self.what,
            shown(self.figure),
            self.unit
        );
        for (name, peer) in &self.peers {
            let ratio = self.figure.filter(|figure| *figure > 0.0).map(|figure| peer / figure);
            let ratio = ratio.map_or_else(String::new, |it| format!(" ({}x)", significant(it)));
            let _ = write!(line, "  {name} {}{ratio}", shown(Some(*peer))); // a String takes it
        }
        for note in &self.notes {
            let _ = write!(line, "\n        {note}");
        }
        line
    }
}

/// Three significant digits.
fn significant(figure: f64) -> String {
    match figure.abs() {
        0.0 => "0".to_owned(),
        size if size >= 100.0 => format!("{figure:.0}"),
        size if size >= 10.0 => format!("{figure:.1}"),
        size if size >= 1.0 => format!("{figure:.2}"),
        _ => format!("{figure:.3}"),
    }
}

/// All measurements, and errors.
#[derive(Debug, Default)]
pub(crate) struct Report {
    rows: Vec<Row>,
    failures: Vec<String>,
    raw: serde_json::Map<String, Value>,
}

impl Report {
    pub(crate) fn row(&mut self, row: Row) {
        eprintln!("{}", row.text());
        self.rows.push(row);
    }

    /// Adds data that is not in the table.
    pub(crate) fn raw(&mut self, name: &str, value: Value) {
        self.raw.insert(name.to_owned(), value);
    }

    /// The result of a part; an error is recorded and does not end the run.
    pub(crate) fn attempt<T>(&mut self, part: &str, outcome: Result<T, String>) -> Option<T> {
        let failed = |message| {
            eprintln!("  {part}: {message}");
            self.failures.push(format!("{part}: {message}"));
        };
        outcome.map_err(failed).ok()
    }

    /// Prints the report.
    ///
    /// # Errors
    ///
    /// A part failed.
    pub(crate) fn print(&self, benchmark: &str, as_json: bool) -> Result<(), String> {
        if as_json {
            let rows: Vec<Value> = self.rows.iter().map(Row::json).collect();
            let all = json!({
                "benchmark": benchmark, "rows": rows, "raw": self.raw, "failures": self.failures,
            });
            println!("{all}");
        } else {
            for name in ["machine", "parameters", "result_hash"] {
                println!("{name}: {}", self.raw.get(name).unwrap_or(&Value::Null));
            }
            println!("\nPeers stand beside the figure, in brackets as multiples of it.\n");
            self.rows.iter().for_each(|row| println!("{}", row.text()));
        }
        if self.failures.is_empty() { Ok(()) } else { Err(self.failures.join("\n")) }
    }
}

#[cfg(test)]
mod tests {
    use super::{Row, significant};

    #[test]
    fn a_row_tells_whether_its_target_is_met() {
        let row = Row::new("seconds of a cycle", "s", 1.5);
        assert_eq!(row.met(), None);
        assert_eq!(row.clone().at_most(2.0).met(), Some(true));
        assert_eq!(row.clone().at_most(1.0).met(), Some(false));
        assert_eq!(row.clone().at_least(1.5).met(), Some(true));
        assert_eq!(row.at_least(2.0).met(), Some(false));
        assert_eq!(Row::new("nothing", "s", f64::NAN).at_most(1.0).met(), None);
    }

    #[test]
    fn figures_have_three_digits_that_count() {
        let figures = [1234.5, 12.345, 1.2345, 0.12345, 0.0].map(significant);
        assert_eq!(figures, ["1234", "12.3", "1.23", "0.123", "0"]);
    }
}
