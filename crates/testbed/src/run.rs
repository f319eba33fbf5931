//! What a run calls its things, so that another can tell a running one's from a dead one's.

use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

/// All that a run sets up outside of its own memory begins so.
const PREFIX: &str = "gyre-testbed-";

/// The name of one thing that this process sets up: `gyre-testbed-PID-START-N-LABEL`, where START
/// tells two processes of one number apart.
pub(crate) fn own_name(label: &str) -> String {
    static MADE: AtomicU32 = AtomicU32::new(0);
    let (process, nth) = (std::process::id(), MADE.fetch_add(1, Ordering::Relaxed));
    format!("{PREFIX}{process}-{}-{nth}-{label}", start_ticks(process).unwrap_or(0))
}

/// Whether a name is of a run that has ended.
pub(crate) fn is_of_a_dead_run(name: &str) -> bool {
    let Some(rest) = name.strip_prefix(PREFIX) else { return false };
    let mut words = rest.splitn(3, '-');
    let process = words.next().and_then(|word| word.parse().ok());
    let start = words.next().and_then(|word| word.parse::<u64>().ok());
    match (process, start) {
        (Some(process), Some(start)) => start_ticks(process).is_none_or(|found| found != start),
        _ => false,
    }
}

/// When a process started, in ticks since the machine did; none if there is no such process.
fn start_ticks(process: u32) -> Option<u64> {
    let text = std::fs::read_to_string(Path::new(&format!("/proc/{process}/stat"))).ok()?;
    // The name of the program may hold blanks; field 3 of `proc_pid_stat(5)` is the first after it.
    text.rsplit_once(')')?.1.split_whitespace().nth(22 - 3)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{is_of_a_dead_run, own_name};

    #[test]
    fn the_living_are_known_by_number_and_start() {
        let own = own_name("x-1");
        assert!(!is_of_a_dead_run(&own));
        let [_, _, process, start, ..] = own.split('-').collect::<Vec<_>>()[..] else {
            panic!("{own}")
        };
        let later: u64 = start.parse::<u64>().unwrap() + 1;
        assert!(is_of_a_dead_run(&format!("gyre-testbed-{process}-{later}-x")));
        assert!(is_of_a_dead_run("gyre-testbed-4000000000-1-x"));
        assert!(!is_of_a_dead_run("gyre-testbed-x"));
        assert!(!is_of_a_dead_run("somebody"));
    }
}
