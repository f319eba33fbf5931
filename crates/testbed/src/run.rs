//! Names of the things that a run sets up, so that a later run can tell those of a dead run.
//!
//! ```text
//! gyre-testbed-PLACE-PID-START-N-LABEL
//! ```
//!
//! PLACE identifies where PID is valid: the boot of the machine, and the namespace of processes. A
//! container has its own namespace (`pid_namespaces(7)`), but may share directories and control
//! groups with others. START distinguishes two processes with the same number.

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};

/// The prefix of all names.
const PREFIX: &str = "gyre-testbed-";

/// The name of a thing that this process sets up.
#[must_use]
pub fn own_name(label: &str) -> String {
    static MADE: AtomicU32 = AtomicU32::new(0);
    let (process, nth) = (std::process::id(), MADE.fetch_add(1, Ordering::Relaxed));
    let place = place().unwrap_or_else(|| "unknown".into());
    let start = start_ticks(&process.to_string()).unwrap_or(0);
    format!("{PREFIX}{place}-{process}-{start}-{nth}-{label}")
}

/// Whether a name belongs to a run of this place that has ended. False for runs of other places,
/// about which nothing is known here.
#[must_use]
pub fn is_of_a_dead_run(name: &str) -> bool {
    let Some(rest) = name.strip_prefix(PREFIX) else { return false };
    let [at, process, start, ..] = rest.splitn(4, '-').collect::<Vec<_>>()[..] else {
        return false;
    };
    place().is_some_and(|here| at == here) && has_ended(process, start).unwrap_or(false)
}

/// The boot of the machine and the namespace; `None` if `/proc` shows the processes of another
/// namespace.
fn place() -> Option<String> {
    let shown = std::fs::read_link("/proc/self").ok()?;
    if shown != Path::new(&std::process::id().to_string()) {
        return None;
    }
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let namespace = std::fs::metadata("/proc/self/ns/pid").ok()?.ino();
    Some(format!("{}.{namespace}", boot.get(..8)?))
}

/// Whether a process has ended; `None` if the words are not numbers.
fn has_ended(process: &str, start: &str) -> Option<bool> {
    let number = Pid::from_raw(process.parse().ok()?)?;
    let start: u64 = start.parse().ok()?;
    Some(match start_ticks(process) {
        Some(found) => found != start,
        // The processes of other users may be hidden.
        None => test_kill_process(number) == Err(Errno::SRCH),
    })
}

/// The start of a process, in ticks since the machine's boot; `None` if it cannot be seen.
fn start_ticks(process: &str) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name of the program may contain blanks; field 3 of `proc_pid_stat(5)` is the first after
    // it.
    text.rsplit_once(')')?.1.split_whitespace().nth(22 - 3)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{is_of_a_dead_run, own_name};

    #[test]
    fn the_living_are_known_by_place_number_and_start() {
        let own = own_name("x-1");
        assert!(!is_of_a_dead_run(&own));
        let [_, _, place, process, start, ..] = own.split('-').collect::<Vec<_>>()[..] else {
            panic!("{own}")
        };
        let later: u64 = start.parse::<u64>().unwrap() + 1;
        assert!(is_of_a_dead_run(&format!("gyre-testbed-{place}-{process}-{later}-0-x")));
        assert!(is_of_a_dead_run(&format!("gyre-testbed-{place}-2000000000-1-0-x")));
        let (boot, namespace) = place.split_once('.').unwrap();
        for elsewhere in [format!("{boot}.1"), format!("00000000.{namespace}"), "unknown".into()] {
            assert!(!is_of_a_dead_run(&format!("gyre-testbed-{elsewhere}-2000000000-1-0-x")));
        }
        assert!(!is_of_a_dead_run(&format!("gyre-testbed-{place}-x")));
        assert!(!is_of_a_dead_run(&format!("gyre-testbed-{place}-1-x-0-x")));
        assert!(!is_of_a_dead_run("somebody"));
    }
}
