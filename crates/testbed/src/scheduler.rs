//! The scheduler of a device's requests, set for a measurement.

use std::path::PathBuf;

use crate::{Device, read, write};

/// The scheduler that a device had before: dropping this restores it.
#[derive(Debug)]
pub struct Scheduler {
    path: PathBuf,
    before: String,
}

impl Scheduler {
    /// Sets the scheduler of a device until the value is dropped. A program that is killed leaves
    /// it as it is then.
    ///
    /// # Errors
    /// The kernel does not let this user, or has no scheduler of that name.
    pub fn set(device: &Device, name: &str) -> Result<Self, String> {
        let path = setting(device);
        let before = chosen(&read(&path)?).to_owned();
        write(&path, name)?;
        Ok(Self { path, before })
    }

    /// Those that the kernel offers for a device now, without loading a module.
    ///
    /// # Errors
    /// The kernel does not tell them: the device has no queue of its own.
    pub fn offered(device: &Device) -> Result<Vec<String>, String> {
        let text = read(&setting(device))?;
        Ok(text.split_whitespace().map(|name| bare(name).to_owned()).collect())
    }

    /// The one that a device has now.
    ///
    /// # Errors
    /// The kernel does not tell it.
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

/// The one in brackets; where there is no choice, the kernel leaves them out.
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
