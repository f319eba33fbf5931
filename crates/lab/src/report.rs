//! The result of an experiment as text, as JSON and as files.

use std::path::Path;

use serde_json::{Value, json};

use crate::written::write;
use crate::{Experiment, Outcome};

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
