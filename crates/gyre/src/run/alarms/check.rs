//! Whether what a configuration names for its thresholds is there, as MRTG demands when it starts.

use std::collections::HashSet;
use std::path::PathBuf;

use mrtg::{Configuration, Position};

/// What a configuration names and is not there.
#[derive(Debug, thiserror::Error)]
pub(crate) enum UnusableError {
    /// ThreshDir is no directory.
    #[error("{position}: ThreshDir: expected a directory, found none at {}", path.display())]
    Directory {
        /// The line that names it.
        position: Position,
        /// The directory.
        path: PathBuf,
    },
    /// A program is not there.
    #[error(
        "{position}: target {target}: expected a program for its thresholds, found none at {}",
        path.display()
    )]
    Program {
        /// The line that mentions the target first.
        position: Position,
        /// The target's name.
        target: String,
        /// The program.
        path: PathBuf,
    },
}

/// Checks that ThreshDir and all programs are there.
///
/// # Errors
///
/// [`UnusableError`].
pub(in super::super) fn check_usable(configuration: &Configuration) -> Result<(), UnusableError> {
    if let Some(directory) = &configuration.globals.thresholds.directory
        && !directory.path.is_dir()
    {
        let (position, path) = (directory.position.clone(), directory.path.clone());
        return Err(UnusableError::Directory { position, path });
    }
    let mut seen = HashSet::new();
    for target in &configuration.targets {
        let Some(thresholds) = &target.settings.thresholds else {
            continue;
        };
        let all = [&thresholds.rates, &thresholds.failures];
        for path in all.iter().flat_map(|limits| limits.all_programs()) {
            if seen.insert(path) && !path.exists() {
                return Err(UnusableError::Program {
                    position: target.position.clone(),
                    target: target.name.to_string(),
                    path: path.clone(),
                });
            }
        }
    }
    Ok(())
}
