//! Where a benchmark works.

use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::json;
use tempfile::TempDir;
use testbed::Device;

use crate::report::Report;

/// A directory of its own, which is removed in the end, and the device that it lies on.
#[derive(Debug)]
pub(crate) struct Room {
    /// Absolute, since daemons change their working directory to `/`.
    pub(crate) path: PathBuf,
    pub(crate) device: Device,
    _directory: TempDir,
}

impl Room {
    /// Makes one below a directory.
    pub(crate) fn within(directory: &Path) -> Result<Self, String> {
        let told = |error: std::io::Error| format!("{}: {error}", directory.display());
        let made = tempfile::tempdir_in(directory).map_err(told)?;
        let path = std::fs::canonicalize(made.path()).map_err(told)?;
        let device = Device::of(&path)?;
        Ok(Self { path, device, _directory: made })
    }

    /// A report that begins with the machine and the options.
    pub(crate) fn report(&self, options: &impl Serialize) -> Result<Report, String> {
        let mut report = Report::default();
        report.raw("machine", testbed::notes(&self.path, &self.device)?);
        report.raw("parameters", json!(options));
        Ok(report)
    }
}
