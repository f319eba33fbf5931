//! What earlier runs measured: a file with a line of JSON for each run.
//!
//! ```text
//! {"format":1,"date":"2026-11-25T17:10:00Z","commit":"f70b35aa","size":"small",
//!  "machine":{...},"failures":[],"figures":[{"benchmark":"rrdtool","what":"create",...},...]}
//! ```

mod place;
mod compare;
mod options;

use std::collections::HashMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::report::Row;
pub(crate) use options::Options as CompareOptions;
pub(crate) use options::main as compare_main;

/// The form of the lines that this program writes.
const FORMAT: u32 = 1;

/// A run of all benchmarks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Run {
    format: u32,
    /// When it began, in UTC.
    pub(crate) date: String,
    /// The commit that was measured, with `+` if files differ from it.
    pub(crate) commit: String,
    /// How large the benchmarks were: `small` or `full`.
    pub(crate) size: String,
    pub(crate) machine: Value,
    pub(crate) failures: Vec<String>,
    pub(crate) figures: Vec<Figure>,
}

/// A figure of a benchmark.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Figure {
    pub(crate) benchmark: String,
    #[serde(flatten)]
    pub(crate) row: Row,
}

impl Run {
    /// A run that has measured nothing yet.
    pub(crate) fn begin(date: String, commit: String, size: &str, machine: Value) -> Self {
        let (failures, figures) = (Vec::new(), Vec::new());
        Self { format: FORMAT, date, commit, size: size.into(), machine, failures, figures }
    }

    /// The figures by names that stay the same from run to run. Of several figures of one name,
    /// the second is told apart by `#2`, and so on.
    fn by_name(&self) -> Vec<(String, &Row)> {
        let mut seen: HashMap<String, usize> = HashMap::new();
        let named = self.figures.iter().map(|Figure { benchmark, row }| {
            let name = format!("{benchmark}: {}", row.what);
            let count = seen.entry(name.clone()).or_default();
            *count += 1;
            (if *count > 1 { format!("{name} #{count}") } else { name }, row)
        });
        named.collect()
    }
}

/// The history below the directory that cargo builds in, where this program lies.
pub(crate) fn default_path() -> PathBuf {
    let own = std::env::current_exe().unwrap_or_default();
    let target = own.parent().and_then(Path::parent).unwrap_or(Path::new("target"));
    target.join("bench/history.jsonl")
}

/// Adds a run at the end of a history.
///
/// # Errors
///
/// Names the file.
pub(crate) fn append(path: &Path, run: &Run) -> Result<(), String> {
    let told = |error: std::io::Error| format!("{}: {error}", path.display());
    let mut line = serde_json::to_string(run).map_err(|error| error.to_string())?;
    line.push('\n');
    if let Some(directory) = path.parent().filter(|it| !it.as_os_str().is_empty()) {
        std::fs::create_dir_all(directory).map_err(told)?;
    }
    let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
    file.and_then(|mut file| file.write_all(line.as_bytes())).map_err(told)
}

/// All runs of a history, the oldest first.
///
/// # Errors
///
/// Names the file, and the line that is none of a run.
pub(crate) fn read(path: &Path) -> Result<Vec<Run>, String> {
    let text = std::fs::read_to_string(path);
    let text = text.map_err(|error| format!("{}: {error}", path.display()))?;
    let run = |(nth, line): (usize, &str)| {
        let wrong = |what: String| format!("{}, line {}: {what}", path.display(), nth + 1);
        let run: Run = serde_json::from_str(line).map_err(|error| wrong(error.to_string()))?;
        match run.format {
            FORMAT => Ok(run),
            other => Err(wrong(format!("expected format {FORMAT}, found {other}"))),
        }
    };
    text.lines().enumerate().map(run).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Figure, Run, append, read};
    use crate::report::Row;

    pub(super) fn run(date: &str, rows: Vec<Row>) -> Run {
        let mut run = Run::begin(date.into(), "f70b35aa".into(), "small", json!({"processors": 2}));
        let figure = |row| Figure { benchmark: "rrdtool".into(), row };
        run.figures = rows.into_iter().map(figure).collect();
        run
    }

    #[test]
    fn runs_are_kept_a_line_each() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("below/history.jsonl");
        let turns = [vec![10.0, 11.0], vec![20.0, 23.0]];
        let row = Row::of_turns("create", "/s", "rrdtool", &turns).times(1.5);
        let runs = [run("one", vec![row.clone(), row]), run("two", vec![])];
        runs.iter().for_each(|run| append(&path, run).unwrap());
        assert_eq!(read(&path).unwrap(), runs);
        assert_eq!(std::fs::read_to_string(&path).unwrap().lines().count(), 2);
        let names: Vec<String> = runs[0].by_name().into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["rrdtool: create", "rrdtool: create #2"]);
    }

    #[test]
    fn lines_keep_their_form() {
        let row = Row::new("create", "/s", 20.0).beside([("rrdtool", 10.0)]).times(1.5);
        let line = serde_json::to_value(run("2026-11-25T17:10:00Z", vec![row])).unwrap();
        let expected = json!({
            "format": 1, "date": "2026-11-25T17:10:00Z", "commit": "f70b35aa", "size": "small",
            "machine": {"processors": 2}, "failures": [],
            "figures": [{
                "benchmark": "rrdtool", "what": "create", "unit": "/s", "better": "higher",
                "target": {"times": 1.5}, "gyre": 20.0, "rival": "rrdtool",
                "peers": {"rrdtool": 10.0}, "ratio": 2.0, "spread": null, "met": true,
            }],
        });
        assert_eq!(line, expected);
    }

    #[test]
    fn a_line_that_is_no_run_is_named() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("history");
        append(&path, &run("one", vec![])).unwrap();
        let whole = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, whole.clone() + "{}\n").unwrap();
        assert!(read(&path).unwrap_err().contains("history, line 2: "));
        std::fs::write(&path, whole.replace("\"format\":1", "\"format\":9")).unwrap();
        assert!(read(&path).unwrap_err().ends_with("expected format 1, found 9"));
    }
}
