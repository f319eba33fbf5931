//! The readahead window of a device, set for a measurement.

use std::path::PathBuf;

use crate::{Device, read, write};

/// Restores a device's readahead window when dropped.
#[derive(Debug)]
pub struct Readahead {
    path: PathBuf,
    before: String,
}

impl Readahead {
    /// The usual window in KiB.
    pub const USUAL_KIB: u64 = 128;

    /// Sets the window of a device until the value is dropped. If the program is killed, the window
    /// stays as it is.
    ///
    /// # Errors
    ///
    /// The kernel does not permit it for this user.
    pub fn set(device: &Device, window_kib: u64) -> Result<Self, String> {
        let path = setting(device);
        let before = read(&path)?;
        write(&path, &window_kib.to_string())?;
        Ok(Self { path, before })
    }

    /// The present window of a device, in KiB.
    ///
    /// # Errors
    ///
    /// The kernel does not tell.
    pub fn window_kib(device: &Device) -> Result<u64, String> {
        let path = setting(device);
        let text = read(&path)?;
        text.trim().parse().map_err(|_| format!("{}: {text:?} is no number", path.display()))
    }

    /// Checks whether this process may change it.
    ///
    /// # Errors
    ///
    /// It may not.
    pub fn is_permitted(device: &Device) -> Result<(), String> {
        Self::set(device, Self::window_kib(device)?).map(drop)
    }
}

impl Drop for Readahead {
    fn drop(&mut self) {
        if let Err(error) = write(&self.path, self.before.trim()) {
            let before = self.before.trim();
            eprintln!("the readahead window was {before} KiB and is not put back: {error}");
        }
    }
}

/// The setting of its backing device, which file systems use; a partition has that of its disk.
fn setting(device: &Device) -> PathBuf {
    let number = device.number();
    let own = PathBuf::from(format!("/sys/class/bdi/{number}/read_ahead_kb"));
    match own.exists() {
        true => own,
        false => format!("/sys/dev/block/{number}/../bdi/read_ahead_kb").into(),
    }
}
