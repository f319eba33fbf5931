//! Environment variables that are secrets, and that programs which a run starts do not inherit.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Where systemd has the credentials of this process.
pub(super) const CREDENTIALS: &str = "CREDENTIALS_DIRECTORY";

/// The names of those that were read. The environment is the process's, and so is this.
static READ: Mutex<BTreeSet<OsString>> = Mutex::new(BTreeSet::new());

/// The value of a variable that is a secret.
pub(in super::super) fn secret_variable(name: &str) -> Option<OsString> {
    let value = std::env::var_os(name)?;
    read().insert(name.into());
    Some(value)
}

/// The variables that are to be taken from a program's environment, in the form that
/// [`programs::Program`] has them.
pub(in super::super) fn hidden_variables() -> Vec<(OsString, Option<OsString>)> {
    let names = read().iter().cloned().chain([CREDENTIALS.into()]).collect::<Vec<OsString>>();
    names.into_iter().map(|name| (name, None)).collect()
}

fn read() -> MutexGuard<'static, BTreeSet<OsString>> {
    READ.lock().unwrap_or_else(PoisonError::into_inner)
}
