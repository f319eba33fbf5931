//! The I/O scheduler: deadline, which the reference chose, compared with the others.

use testbed::{DiskCounters, LoopDisk, Readahead, Scheduler};

use super::super::{HOUR_SECONDS, MIDNIGHT_SECONDS};
use super::part::median;
use super::{Part, bars};
use crate::Laboratory;
use crate::files::Files;
use crate::layouts::Layout;
use crate::ratio::{timed, too_short};
use crate::task::Task;
use crate::verdict::{Judged, Verdict, text};
use crate::ways::Way;

pub(super) const STEPS: usize = 1;

const QUESTION: &str = "the scheduler of requests";
/// The reference's choice.
const DEADLINE: &str = "mq-deadline";
/// The reference's statements about the others.
const OTHERS: [(&str, &str); 3] = [
    ("none", "deadline was chosen since it puts reads before writes, so others are slower"),
    ("kyber", "deadline was chosen since it puts reads before writes, so others are slower"),
    ("bfq", "CFQ, whose heir it is, may perform acceptably as well"),
];
/// Fewer pages than an update touches: most of its pages must be read.
const PAGES_A_FILE: u64 = 2;
/// A queue with a single request cannot be sorted, so several updaters are needed.
const UPDATERS: u32 = 8;
/// Times that differ by a smaller factor are considered equal, because the machine may have other
/// work.
const SAME: f64 = 1.3;

/// The counts with one scheduler.
struct Found {
    name: String,
    /// The median of a cycle, if all cycles together took long enough.
    seconds: Option<f64>,
    updates: f64,
    disk: DiskCounters,
}

pub(super) fn run(laboratory: &mut Laboratory<'_>) -> Result<Part, String> {
    let count = laboratory.choose(600, 40);
    let [rounds, cycles] = laboratory.choose([8, 4], [1, 1]);
    let disk = laboratory.disk(Files::disk_bytes(Layout::Mrtg, count))?;
    let _restored = Readahead::set(disk.device(), Readahead::USUAL_KIB)?;
    let start_seconds = MIDNIGHT_SECONDS + 6 * HOUR_SECONDS;
    let mut files = Files::make(&disk.path(), Layout::Mrtg, count, start_seconds)?;
    let offered = Scheduler::offered(disk.device())?;
    let mut counted: Vec<_> =
        offered.iter().map(|_| (Vec::new(), DiskCounters::default())).collect();
    // All schedulers in turn, several times, because the machine may have other work at times.
    for _ in 0..rounds {
        for (name, (seconds, counters)) in offered.iter().zip(&mut counted) {
            let (more, disk) = round(laboratory, &disk, &mut files, name, cycles)?;
            seconds.extend(more);
            *counters = *counters + disk;
        }
    }
    laboratory.step()?;
    let updates = (rounds * cycles) as f64 * f64::from(count);
    let found = offered.into_iter().zip(counted).map(|(name, (seconds, disk))| Found {
        name,
        seconds: timed(median(&seconds), seconds.iter().sum()),
        updates,
        disk,
    });
    Ok(part(&found.collect::<Vec<_>>(), count))
}

/// The seconds of each cycle, and the disk's counters.
fn round(
    laboratory: &Laboratory<'_>,
    disk: &LoopDisk,
    files: &mut Files,
    scheduler: &str,
    cycles: u64,
) -> Result<(Vec<f64>, DiskCounters), String> {
    let _restored = Scheduler::set(disk.device(), scheduler)?;
    files.evict()?;
    let task = Task {
        pages_a_file: Some(PAGES_A_FILE),
        updaters: UPDATERS,
        ..Task::new(files, Way::OWN, cycles)
    };
    let before = disk.device().synced_counters()?;
    let watched = laboratory.run(&task)?;
    let counted = disk.device().synced_counters()? - before;
    files.last_seconds += cycles * files.layout.step_seconds();
    Ok((watched.cycles.iter().map(|cycle| cycle.seconds).collect(), counted))
}

impl Found {
    /// The figures for each update.
    fn figures(&self) -> [(&'static str, f64); 6] {
        let each = |count: u64| count as f64 / self.updates;
        [
            ("requests to read", each(self.disk.reads)),
            ("reads merged", each(self.disk.reads_merged)),
            ("requests to write", each(self.disk.writes)),
            ("writes merged", each(self.disk.writes_merged)),
            ("milliseconds of a read", self.read_ms()),
            ("requests at once", self.depth()),
        ]
    }

    fn requests(&self) -> f64 {
        (self.disk.reads + self.disk.writes) as f64 / self.updates
    }

    /// The time of a read request, including its wait in the queue.
    fn read_ms(&self) -> f64 {
        self.disk.reading_ms as f64 / self.disk.reads.max(1) as f64
    }

    /// The mean number of requests in progress while there was any.
    fn depth(&self) -> f64 {
        self.disk.requested_ms as f64 / self.disk.busy_ms.max(1) as f64
    }
}

fn part(found: &[Found], count: u32) -> Part {
    let mut part = Part {
        scale: format!(
            "{count} files with {PAGES_A_FILE} pages each, {UPDATERS} updaters at once, for schedulers"
        ),
        plots: vec![("-schedulers", plot(found))],
        ..Part::default()
    };
    for it in found {
        for (what, value) in it.figures() {
            part.figure(QUESTION, it.name.clone(), what, value);
        }
        if let Some(seconds) = it.seconds {
            part.figure(QUESTION, it.name.clone(), "seconds of a cycle", seconds);
        }
    }
    let named = |name: &str| found.iter().find(|it| it.name == name);
    for (name, reference) in OTHERS {
        match (named(name), named(DEADLINE)) {
            (Some(other), Some(deadline)) => {
                part.judged(slower(other, deadline, reference));
                part.verdicts.push(requests(other, deadline));
            }
            (None, _) => {
                part.not_measured.push(format!("the scheduler {name}: this kernel offers none"))
            }
            (_, None) => part
                .not_measured
                .push(format!("{name} against {DEADLINE}: this kernel offers no {DEADLINE}")),
        }
    }
    part
}

/// Whether the other scheduler is slower by this factor or not, as the reference states.
fn slower(other: &Found, deadline: &Found, reference: &str) -> Judged {
    let what = format!(
        "{} against {DEADLINE}: time of a cycle of {UPDATERS} updaters, all being written back meanwhile \
         (reference: {reference})",
        other.name
    );
    let (Some(seconds), Some(by_deadline)) = (other.seconds, deadline.seconds) else {
        return Err(too_short(&what, "clock"));
    };
    let ratio = seconds / by_deadline;
    let is_slower = ratio > SAME;
    let holds = if other.name == "bfq" { !is_slower } else { is_slower };
    let reason = format!(
        "a read takes {} ms, and {} with {DEADLINE}, of {} and {} requests at once",
        text(other.read_ms()),
        text(deadline.read_ms()),
        text(other.depth()),
        text(deadline.depth())
    );
    let shows = (other.read_ms() > SAME * deadline.read_ms()) == is_slower;
    Ok(Verdict::claim(what, ratio, holds).explained(shows, reason))
}

/// The number of requests, which does not depend on time.
fn requests(other: &Found, deadline: &Found) -> Verdict {
    let what = format!(
        "{}: requests that reach the disk for an update, {} with {DEADLINE} (reference: not compared)",
        other.name,
        text(deadline.requests())
    );
    Verdict::figure(what, other.requests())
}

fn plot(found: &[Found]) -> crate::Plot {
    let values = |value: fn(&Found) -> f64| found.iter().map(value).collect();
    bars(
        format!("Schedulers, {UPDATERS} updaters at once: requests for each update"),
        ["scheduler", "requests"],
        found.iter().map(|it| it.name.clone()).collect(),
        vec![
            ("read".into(), values(|it| it.disk.reads as f64 / it.updates)),
            ("written".into(), values(|it| it.disk.writes as f64 / it.updates)),
            (
                "merged".into(),
                values(|it| (it.disk.reads_merged + it.disk.writes_merged) as f64 / it.updates),
            ),
        ],
    )
}

#[cfg(test)]
mod tests {
    use testbed::DiskCounters;

    use super::{Found, part};
    use crate::Agreement;

    fn found(name: &str, seconds: Option<f64>, reading_ms: u64) -> Found {
        let disk = DiskCounters { reads: 100, reading_ms, writes: 200, ..DiskCounters::default() };
        Found { name: name.into(), seconds, updates: 100.0, disk }
    }

    #[test]
    fn reads_that_wait_are_the_reason() {
        let deadline = found("mq-deadline", Some(0.2), 40);
        let part =
            part(&[found("none", Some(0.21), 41), deadline, found("bfq", Some(0.4), 90)], 10);
        let agreements: Vec<_> = part.verdicts.iter().map(|it| it.agreement.clone()).collect();
        // In one case no slower, since reads take as long; in the other slower, since they take
        // longer.
        let reason = |read_ms: &str| {
            let reason = "ms, and 0.4 with mq-deadline, of 0 and 0 requests at once";
            Agreement::DiffersBecause(format!("a read takes {read_ms} {reason}"))
        };
        let expected = [reason("0.41"), Agreement::New, reason("0.9"), Agreement::New];
        assert_eq!(agreements, expected);
        assert_eq!(part.not_measured, ["the scheduler kyber: this kernel offers none"]);
    }

    #[test]
    fn times_of_nothing_are_not_compared() {
        let part = part(&[found("none", None, 1), found("mq-deadline", None, 1)], 10);
        assert_eq!(part.verdicts.len(), 1); // requests do not depend on time
        assert_eq!(part.not_measured.len(), 3);
    }
}
