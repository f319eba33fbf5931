//! What the file says, and those that it names.

use std::path::{Path, PathBuf};

use agents::Collectd;
use intake::{Protocol, Settings};
use senders::collectd::Level;

use super::error::IntakeError;

/// What the file says, and those that it names.
pub(crate) struct Prepared {
    pub(crate) settings: Settings,
    pub(super) collectd: Collectd,
}

impl Prepared {
    /// Reads the file.
    ///
    /// # Errors
    ///
    /// It cannot be read, or is wrong.
    pub(crate) fn read(file: &Path) -> Result<Self, IntakeError> {
        Self::of(file, settings(file)?)
    }

    /// Reads it again. What packets of collectd have to be is as it was: by this the socket may be
    /// where it is.
    ///
    /// # Errors
    ///
    /// It cannot be read, or is wrong.
    pub(super) fn read_again(file: &Path, level: Level) -> Result<Self, IntakeError> {
        Self::of(file, Settings { collectd_security: level, ..settings(file)? })
    }

    fn of(file: &Path, settings: Settings) -> Result<Self, IntakeError> {
        let collectd = collectd(file, &settings)?;
        Ok(Self { settings, collectd })
    }
}

fn settings(file: &Path) -> Result<Settings, IntakeError> {
    let unreadable = |cause| IntakeError::Unreadable { path: file.to_owned(), cause };
    let text = std::fs::read_to_string(file).map_err(unreadable)?;
    Settings::of_text(&text).map_err(|wrong| IntakeError::Wrong { path: file.to_owned(), wrong })
}

/// Paths are relative to the file that names them.
fn collectd(file: &Path, settings: &Settings) -> Result<Collectd, IntakeError> {
    if !settings.hears(Protocol::Collectd) {
        return Ok(Collectd::default());
    }
    let beside = |path: &PathBuf| file.parent().unwrap_or(Path::new("")).join(path);
    let usual = || {
        let path = PathBuf::from(Collectd::TYPES_FILE);
        if path.exists() { vec![path] } else { Vec::new() }
    };
    let types = settings.collectd_types.as_ref();
    let types = types.map_or_else(usual, |paths| paths.iter().map(beside).collect());
    let users = settings.collectd_users.as_ref().map(beside);
    Ok(Collectd::of_files(settings.collectd_security, users.as_deref(), &types)?)
}
