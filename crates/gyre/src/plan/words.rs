//! Figures for people.

use planner::{Load, Machine, Prediction, Resource};

use figures::{count, share, size, step};

/// `every minute`, `every 5 min`.
pub(super) fn every(seconds: f64) -> String {
    match seconds {
        60.0 => "every minute".into(),
        3600.0 => "every hour".into(),
        _ => format!("every {}", step(seconds)),
    }
}

/// A number, with three significant digits.
pub(super) fn figure(value: f64) -> String {
    match value {
        _ if value == 0.0 => "0".into(),
        _ if value < 0.0001 => "<0.0001".into(),
        _ if value < 0.1 => format!("{value:.4}"),
        _ if value < 10.0 => format!("{value:.2}"),
        _ if value < 100.0 => format!("{value:.1}"),
        _ => count(value.round() as u64),
    }
}

/// A duration.
pub(super) fn duration(seconds: f64) -> String {
    if seconds <= 0.0 { "none".into() } else { figures::duration(seconds) }
}

/// A size that is not a whole number of bytes.
pub(super) fn bytes(bytes: f64) -> String {
    size(bytes.round() as u64)
}

/// A limit found by search: three digits, rounded down.
pub(super) fn at_most(databases: u64) -> String {
    let unit = 10_u64.pow(databases.max(1).ilog10().saturating_sub(2));
    count(databases / unit * unit)
}

/// The name of a resource in JSON.
pub(super) fn name(resource: Resource) -> &'static str {
    match resource {
        Resource::Processor => "processor",
        Resource::Disk => "disk",
        Resource::Cycle => "cycle",
        Resource::Memory => "memory",
        Resource::DiskSpace => "disk space",
    }
}

/// How much of a resource is used, and of how much.
pub(super) fn used(load: Load, prediction: &Prediction, machine: &Machine) -> String {
    let of = |what: String, all: String| format!("{what} of {all}");
    match load.resource {
        Resource::Processor => {
            format!(
                "the processors are busy {} of the time",
                of(share(load.share), share(load.share_max))
            )
        }
        Resource::Disk => format!("the disk is busy {} of the time", share(load.share)),
        Resource::Cycle => {
            let cycle = &prediction.cycle;
            let longest = duration(cycle.seconds_max);
            format!("the longest cycle takes {}", of(longest, step(cycle.cadence_seconds)))
        }
        Resource::Memory => {
            let needed = bytes(prediction.memory.needed_bytes());
            format!("memory: {}", of(needed, size(machine.memory_bytes)))
        }
        Resource::DiskSpace => {
            format!("room on disk: {}", of(size(prediction.disk_bytes), size(machine.disk_bytes)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_short() {
        assert_eq!(
            [60.0, 300.0, 3600.0, 45.0].map(every),
            ["every minute", "every 5 min", "every hour", "every 45 s"]
        );
        let figures = [0.0, 0.00001, 0.0093, 3.11, 31.46, 1234.6].map(figure);
        assert_eq!(figures, ["0", "<0.0001", "0.0093", "3.11", "31.5", "1,235"]);
        assert_eq!([0.0, 3.5].map(duration), ["none", "3.5 s"]);
        assert_eq!(
            [0, 7, 999, 26_192, 10_280_960].map(at_most),
            ["0", "7", "999", "26,100", "10,200,000"]
        );
    }
}
