//! The readahead that a device is set to: a file takes it over when it is opened.

use std::path::PathBuf;

use crate::kernel::{Device, read, write};

/// What most machines have, KiB.
pub(super) const USUAL_KB: u64 = 128;

/// The setting of a device (`read_ahead_kb`).
pub(super) struct Setting {
    path: PathBuf,
}

impl Setting {
    pub(super) fn of(device: &Device) -> Result<Self, String> {
        let path = PathBuf::from(format!("/sys/class/bdi/{}/read_ahead_kb", device.number()));
        let this = Self { path };
        this.kilobytes().map(|_| this)
    }

    pub(super) fn kilobytes(&self) -> Result<u64, String> {
        let text = read(&self.path)?;
        text.trim().parse().map_err(|_| format!("{}: {text:?} is no number", self.path.display()))
    }

    /// An error where this process may not change it.
    pub(super) fn is_permitted(&self) -> Result<(), String> {
        write(&self.path, &self.kilobytes()?.to_string())
    }

    /// Does something while the device is set to another value.
    pub(super) fn during<T>(
        &self,
        kilobytes: u64,
        what: impl FnOnce() -> Result<T, String>,
    ) -> Result<T, String> {
        let back = PutBack { setting: self, kilobytes: self.kilobytes()? };
        write(&self.path, &kilobytes.to_string())?;
        let done = what();
        drop(back);
        done
    }
}

/// Restores the setting, whatever happened.
struct PutBack<'a> {
    setting: &'a Setting,
    kilobytes: u64,
}

impl Drop for PutBack<'_> {
    fn drop(&mut self) {
        if let Err(error) = write(&self.setting.path, &self.kilobytes.to_string()) {
            eprintln!(
                "the device's readahead was {} KiB and is not put back: {error}",
                self.kilobytes
            );
        }
    }
}
