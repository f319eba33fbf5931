//! What is told at the end.

use std::time::Duration;

use rrdtool::Failure;
use serde_json::json;

use super::work::Outcome;

pub(super) struct Report<'r> {
    pub(super) outcome: &'r Outcome,
    pub(super) index_files: usize,
    /// Why the index is not written, if so.
    pub(super) index_problem: Option<String>,
    pub(super) took: Duration,
}

impl Report<'_> {
    /// One line with counts and speed.
    pub(super) fn text(&self) -> Vec<u8> {
        let Outcome { written, unchanged, failed, .. } = self.outcome;
        let mut line = format!("{} written", figures::some(*written as u64, "page", "pages"));
        for (count, word) in [(*unchanged, "unchanged"), (*failed, "not written")] {
            if count > 0 {
                line.push_str(&format!(", {} {word}", figures::count(count as u64)));
            }
        }
        if self.index_files > 0 {
            line.push_str(&format!(
                ", {} of the index",
                figures::some(self.index_files as u64, "file", "files")
            ));
        }
        let took = figures::duration(self.took.as_secs_f64());
        line.push_str(&format!(" in {took} ({:.1} pages/s)\n", self.pages_per_second()));
        line.into_bytes()
    }

    pub(super) fn json(&self) -> Vec<u8> {
        let Outcome { written, unchanged, failed, problems } = self.outcome;
        let told = json!({
            "written": written,
            "unchanged": unchanged,
            "failed": failed,
            "problems": problems,
            "index_files": self.index_files,
            "index_problem": self.index_problem,
            "seconds": self.took.as_secs_f64(),
            "pages_per_second": self.pages_per_second(),
        });
        format!("{told:#}\n").into_bytes()
    }

    fn pages_per_second(&self) -> f64 {
        self.outcome.written as f64 / self.took.as_secs_f64().max(f64::MIN_POSITIVE)
    }

    /// Prints the problems; fails if there are any.
    pub(super) fn verdict(&self) -> Result<(), Failure> {
        let Outcome { failed, problems, .. } = self.outcome;
        problems.iter().for_each(|problem| rrdtool::complain!("{problem}"));
        self.index_problem.iter().for_each(|problem| rrdtool::complain!("the index: {problem}"));
        match failed {
            0 if self.index_problem.is_some() => Err(Failure::misuse("the index is not written")),
            0 => Ok(()),
            failed => {
                let pages = figures::some(*failed as u64, "page", "pages");
                Err(Failure::misuse(format!("{pages} not written")))
            }
        }
    }
}
