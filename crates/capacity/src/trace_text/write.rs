//! Writes traces.

use std::fmt::{self, Write as _};

use super::{FIRST_LINE, Files, Line, Run};
use crate::trace::{Access, Touch};

/// The first lines of a trace, with a newline at the end.
#[must_use]
pub fn heading(files: &Files) -> String {
    let mut text = format!("{FIRST_LINE}\n");
    for group in files.groups() {
        let (files, data, metadata) = (group.files, group.data_pages, group.metadata_pages);
        let _ = writeln!(text, "files {files} data {data} metadata {metadata}"); // a String takes everything
    }
    text
}

/// The line without its newline.
impl fmt::Display for Line<'_> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => Ok(()),
            Self::Cycle(at_seconds) => write!(to, "at {at_seconds}"),
            Self::Count => to.write_str("count"),
            Self::Update { file, runs } => {
                write!(to, "{file}")?;
                runs.iter().try_for_each(|run| write!(to, " {run}"))
            }
        }
    }
}

impl fmt::Display for Run {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = if self.access == Access::Read { 'r' } else { 'w' };
        write!(to, "{letter}{}", self.first_page)?;
        if self.last_page > self.first_page {
            write!(to, "-{}", self.last_page)?;
        }
        Ok(())
    }
}

/// Gathers the pages of one update into runs.
#[derive(Clone, Debug, Default)]
pub struct Runs(Vec<Run>);

impl Runs {
    /// Clears the runs.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Adds a page behind the others.
    pub fn push(&mut self, Touch { page, access }: Touch) {
        match self.0.last_mut() {
            Some(run) if run.access == access && run.last_page + 1 == page => run.last_page = page,
            _ => self.0.push(Run { access, first_page: page, last_page: page }),
        }
    }

    /// What was gathered.
    #[must_use]
    pub fn as_slice(&self) -> &[Run] {
        &self.0
    }
}
