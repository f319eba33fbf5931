//! The I/O scheduler of a device, set for a measurement.

use std::path::PathBuf;

use crate::{Device, read, write};

/// Restores a device's scheduler when dropped.
#[derive(Debug)]
pub struct Scheduler {
    path: PathBuf,
    before: String,
}

impl Scheduler {
    /// Sets the scheduler of a device until the value is dropped. If the program is killed, the
    /// scheduler stays as it is.
    ///
    /// # Errors
    ///
    /// The kernel does not permit it for this user, or has no scheduler of that name.
    pub fn set(device: &Device, name: &str) -> Result<Self, String> {
        let path = setting(device);
        let before = chosen(&read(&path)?).to_owned();
        write(&path, name)?;
        Ok(Self { path, before })
    }

    /// The schedulers that the kernel offers for a device without loading a module.
    ///
    /// # Errors
    ///
    /// The kernel does not tell: the device has no queue of its own.
    pub fn offered(device: &Device) -> Result<Vec<String>, String> {
        let text = read(&setting(device))?;
        Ok(text.split_whitespace().map(|name| bare(name).to_owned()).collect())
    }

    /// The present scheduler of a device.
    ///
    /// # Errors
    ///
    /// The kernel does not tell.
    pub fn of(device: &Device) -> Result<String, String> {
        read(&setting(device)).map(|text| chosen(&text).to_owned())
    }
}

impl Drop for Scheduler {
    fn drop(&mut self) {
        if let Err(error) = write(&self.path, &self.before) {
            eprintln!("the scheduler was {} and is not put back: {error}", self.before);
        }
    }
}

fn setting(device: &Device) -> PathBuf {
    format!("/sys/dev/block/{}/queue/scheduler", device.number()).into()
}

/// The name in brackets; if there is only one scheduler, the kernel omits the brackets.
fn chosen(text: &str) -> &str {
    let mut names = text.split_whitespace();
    bare(names.find(|name| name.starts_with('[')).unwrap_or(text.trim()))
}

fn bare(name: &str) -> &str {
    name.trim_start_matches('[').trim_end_matches(']')
}

#[cfg(test)]
mod tests {
    use super::chosen;

    #[test]
    fn the_one_in_brackets_is_chosen() {
        assert_eq!(chosen("none [mq-deadline] kyber bfq\n"), "mq-deadline");
        assert_eq!(chosen("none\n"), "none");
    }
}
