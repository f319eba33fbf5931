//! The line for the operator on each cycle.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use collector::CycleReport;

use super::writer::Written;

/// The most devices named in a line.
const NAMES: usize = 3;

/// Fewer datagrams that nobody asked for are not told.
const NOISE_MIN: u64 = 100;

/// How the line looks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Paint {
    /// Problems are highlighted.
    pub(super) is_terminal: bool,
    /// There are several intervals: the line tells which one the cycle is of.
    pub(super) has_intervals: bool,
}

impl Paint {
    fn warning(self, text: &str) -> String {
        match self.is_terminal {
            true => format!("\x1b[33m{text}\x1b[0m"),
            false => text.to_owned(),
        }
    }
}

/// The line about a cycle that is polled and written.
pub(super) fn status_line(written: &Written, paint: Paint) -> String {
    let cycle = &written.cycle;
    let report = &cycle.report;
    let every = match paint.has_intervals {
        true => format!(" every {}", span(report.cycle.interval)),
        false => String::new(),
    };
    let (number, polled) = (report.cycle.number, cycle.targets.polled);
    let mut line = format!("cycle {number}{every}: {polled} targets polled, ");
    line += &match cycle.targets.missed {
        0 => "0 missed".to_owned(),
        missed => paint.warning(&format!("{missed} missed")),
    };
    // Writing to a string cannot fail.
    let _ = write!(line, "; {} of {} devices answered", report.answered, report.devices);
    let unasked: BTreeSet<&Arc<str>> = report.without_address.iter().collect();
    let denied: BTreeSet<&Arc<str>> = report.denied.iter().collect();
    let is_silent = |name: &&Arc<str>| !unasked.contains(name) && !denied.contains(name);
    let silent: Vec<_> = report.missed.iter().filter(is_silent).collect();
    if !silent.is_empty() {
        line += &paint.warning(&format!(", silent: {}", names(silent.into_iter())));
    }
    if !unasked.is_empty() {
        line += &paint.warning(&format!(", no address found: {}", names(unasked.into_iter())));
    }
    if !report.denied.is_empty() {
        line += &paint.warning(&format!(", refuse their user: {}", names(denied.into_iter())));
    }
    if !report.restarted.is_empty() {
        line += &paint.warning(&format!(", restarted: {}", names(report.restarted.iter())));
    }
    let slowest = report.slowest.iter().take(NAMES);
    let slowest: Vec<_> = slowest.map(|(name, took)| format!("{name} {}", span(*took))).collect();
    if !slowest.is_empty() {
        let _ = write!(line, "; slowest {}", slowest.join(", "));
    }
    let per_device = report.busy / u32::try_from(report.answered.max(1)).unwrap_or(u32::MAX);
    let (poll, write) = (span(report.took), span(written.took));
    let _ = write!(line, "; poll {poll}, {} a device; write {write}", span(per_device));
    for trouble in troubles(written) {
        let _ = write!(line, "; {}", paint.warning(&trouble));
    }
    line
}

/// Other problems of a cycle.
pub(super) fn troubles(written: &Written) -> Vec<String> {
    let report = &written.cycle.report;
    let mut troubles = Vec::new();
    troubles.extend(report.clock.map(|step| step.to_string()));
    troubles.extend(report.traffic.send_error.as_ref().map(ToString::to_string));
    troubles.extend(broken_connections(report));
    troubles.extend(noise(report));
    let refused = &written.refused;
    if refused.count > 0 {
        let reasons = refused.reasons.join("; ");
        troubles.push(format!("{} samples not written: {reasons}", refused.count));
    }
    if written.cycle.samples_lost > 0 {
        let lost = written.cycle.samples_lost;
        troubles.push(format!("{lost} samples lost because writing cannot keep up"));
    }
    troubles
}

/// Devices that are asked over TCP, and what became of their connections.
fn broken_connections(report: &CycleReport) -> Option<String> {
    let last = report.traffic.connection_error.as_ref()?;
    Some(match report.traffic.broken_connections {
        1 => last.to_string(),
        count => format!("{count} connections failed, the last {last}"),
    })
}

/// Who sends what nobody asked for. A few late or repeated answers are normal.
fn noise(report: &CycleReport) -> Option<String> {
    let strangers = report.traffic.foreign;
    if report.unwanted + strangers < NOISE_MIN {
        return None;
    }
    let noisiest = report.noisiest.iter().take(NAMES);
    let noisiest: Vec<_> = noisiest.map(|it| format!("{} {}", it.name, it.unwanted)).collect();
    let mut parts = noisiest;
    if strangers > 0 {
        parts.push(format!("of no known device {strangers}"));
    }
    let all = report.unwanted + strangers;
    Some(format!("{all} datagrams that nobody asked for: {}", parts.join(", ")))
}

fn names<'a>(mut all: impl ExactSizeIterator<Item = &'a Arc<str>>) -> String {
    let more = all.len().saturating_sub(NAMES);
    let shown: Vec<&str> = all.by_ref().take(NAMES).map(|name| &**name).collect();
    match more {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

fn span(time: Duration) -> String {
    figures::duration(time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::super::queue::{Count, Cycle};
    use super::super::writer::Refused;
    use super::*;
    use collector::CycleId;

    const PLAIN: Paint = Paint { is_terminal: false, has_intervals: false };

    fn written() -> Written {
        let report = collector::CycleReport {
            cycle: CycleId { interval: Duration::from_secs(10), number: 7 },
            devices: 6,
            answered: 1,
            missed: (1..=5).map(|nth| Arc::from(format!("sw{nth}"))).collect(),
            slowest: vec![("sw6".into(), Duration::from_millis(1234))],
            busy: Duration::from_millis(1234),
            took: Duration::from_millis(900),
            ..Default::default()
        };
        Written {
            cycle: Cycle { report, targets: Count { polled: 48, missed: 240 }, samples_lost: 0 },
            took: Duration::from_micros(1500),
            refused: Refused::default(),
            samples_stored: 48,
        }
    }

    #[test]
    fn a_cycle_is_one_line() {
        let line = status_line(&written(), PLAIN);
        let expected = "cycle 7: 48 targets polled, 240 missed; 1 of 6 devices answered, \
             silent: sw1, sw2, sw3 and 2 more; slowest sw6 1.23 s; \
             poll 900 ms, 1.23 s a device; write 1.5 ms";
        assert_eq!(line, expected);
        let line = status_line(&written(), Paint { has_intervals: true, ..PLAIN });
        assert!(line.starts_with("cycle 7 every 10 s: 48 targets polled"), "{line}");
    }

    #[test]
    fn a_device_that_was_not_asked_is_not_called_silent() {
        let mut written = written();
        let report = &mut written.cycle.report;
        report.without_address = report.missed.drain(1..3).collect();
        report.missed.extend(report.without_address.clone());
        let line = status_line(&written, PLAIN);
        let expected = "answered, silent: sw1, sw4, sw5, no address found: sw2, sw3; slowest";
        assert!(line.contains(expected), "{line}");
        written.cycle.report.missed = written.cycle.report.without_address.clone();
        let line = status_line(&written, PLAIN);
        assert!(!line.contains("silent"), "{line}");
    }

    #[test]
    fn senders_of_what_nobody_asked_for_are_named() {
        let mut written = written();
        let report = &mut written.cycle.report;
        let noisy = |name: &str, unwanted| collector::Noisy { name: name.into(), unwanted };
        report.noisiest = vec![noisy("sw1", 80), noisy("sw2", 19)];
        report.unwanted = 99;
        assert!(troubles(&written).is_empty());
        written.cycle.report.traffic.foreign = 7;
        let expected = "106 datagrams that nobody asked for: sw1 80, sw2 19, of no known device 7";
        assert_eq!(troubles(&written), [expected]);
    }

    #[test]
    fn connections_that_failed_are_counted() {
        let mut written = written();
        let traffic = &mut written.cycle.report.traffic;
        traffic.connection_error = Some("tcp:sw1: tcp: cannot connect".into());
        traffic.broken_connections = 1;
        assert_eq!(troubles(&written), ["tcp:sw1: tcp: cannot connect"]);
        written.cycle.report.traffic.broken_connections = 3;
        let expected = "3 connections failed, the last tcp:sw1: tcp: cannot connect";
        assert_eq!(troubles(&written), [expected]);
    }

    #[test]
    fn colours_are_for_terminals() {
        assert!(status_line(&written(), Paint { is_terminal: true, ..PLAIN }).contains('\x1b'));
    }
}
