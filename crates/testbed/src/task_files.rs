//! Parses the files of processes and threads in `/proc`.

use std::path::Path;

use crate::read;

/// The fields of `stat` that are used here (`proc_pid_stat(5)`).
pub(crate) struct Stat {
    pub(crate) minor_faults: u64,
    pub(crate) major_faults: u64,
    pub(crate) user_seconds: f64,
    pub(crate) system_seconds: f64,
    /// Of children that have ended and were waited for.
    pub(crate) children_seconds: f64,
}

impl Stat {
    pub(crate) fn read(directory: &Path) -> Result<Self, String> {
        let text = read(&directory.join("stat"))?;
        // The name of the program may contain blanks; it ends with the last parenthesis.
        let after_name = text.rsplit_once(')').map_or("", |(_, rest)| rest);
        let fields: Vec<u64> =
            after_name.split_whitespace().map(|field| field.parse().unwrap_or(0)).collect();
        // Field 3 of the manual is the first after the name.
        let field = |nth: usize| fields.get(nth - 3).copied().unwrap_or(0);
        let ticks_a_second = rustix::param::clock_ticks_per_second() as f64;
        Ok(Self {
            minor_faults: field(10),
            major_faults: field(12),
            user_seconds: field(14) as f64 / ticks_a_second,
            system_seconds: field(15) as f64 / ticks_a_second,
            children_seconds: (field(16) + field(17)) as f64 / ticks_a_second,
        })
    }
}

/// A number of `io` (`proc_pid_io(5)`).
pub(crate) fn io_bytes(directory: &Path, label: &str) -> Result<u64, String> {
    let path = directory.join("io");
    let text = read(&path)?;
    labelled(&text, label).ok_or_else(|| format!("{}: no {label}", path.display()))
}

/// The number after a label at the start of a line.
pub(crate) fn labelled(text: &str, label: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(label))?;
    rest.split_whitespace().next()?.parse().ok()
}
