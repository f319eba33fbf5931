//! What the kernel says of this process.

use std::fs::read_to_string;
use std::time::Instant;

/// What is counted since the process began.
#[derive(Clone, Copy, Debug, Default)]
struct Counters {
    read_bytes: Option<u64>,
    written_bytes: Option<u64>,
    page_ins: Option<u64>,
}

/// The rates since the last look.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rates {
    pub(super) read_bytes: Option<f64>,
    pub(super) written_bytes: Option<f64>,
    pub(super) page_ins: Option<f64>,
}

/// Remembers the last look.
pub(super) struct Process {
    last: Option<(Instant, Counters)>,
}

impl Process {
    pub(super) const fn new() -> Self {
        Self { last: None }
    }

    /// The rates since the last look; unknown at the first one.
    pub(super) fn rates(&mut self) -> Rates {
        let now = (Instant::now(), Counters::read());
        let Some((then, before)) = self.last.replace(now) else { return Rates::default() };
        let seconds = now.0.duration_since(then).as_secs_f64();
        let rate = |now: Option<u64>, before: Option<u64>| {
            Some(now?.checked_sub(before?)? as f64 / seconds).filter(|rate| rate.is_finite())
        };
        Rates {
            read_bytes: rate(now.1.read_bytes, before.read_bytes),
            written_bytes: rate(now.1.written_bytes, before.written_bytes),
            page_ins: rate(now.1.page_ins, before.page_ins),
        }
    }
}

impl Counters {
    fn read() -> Self {
        let io = read_to_string("/proc/self/io").unwrap_or_default();
        let stat = read_to_string("/proc/self/stat").unwrap_or_default();
        Self {
            read_bytes: value(&io, "read_bytes:"),
            written_bytes: value(&io, "write_bytes:"),
            page_ins: page_ins(&stat),
        }
    }
}

/// Bytes of this process that are in memory.
pub(super) fn resident_bytes() -> Option<u64> {
    let status = read_to_string("/proc/self/status").ok()?;
    value(&status, "VmRSS:").map(|kibibytes| kibibytes << 10)
}

/// The number behind a word at the beginning of a line.
fn value(text: &str, word: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(word))?;
    rest.split_whitespace().next()?.parse().ok()
}

/// Major faults: the tenth number behind the name, which is in brackets and may have spaces.
fn page_ins(stat: &str) -> Option<u64> {
    let (_, behind) = stat.rsplit_once(')')?;
    behind.split_whitespace().nth(9)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{Process, page_ins, resident_bytes, value};

    #[test]
    fn the_kernels_words_are_read() {
        let io = "rchar: 1\nread_bytes: 4096\nwrite_bytes: 8192\ncancelled_write_bytes: 7\n";
        assert_eq!((value(io, "read_bytes:"), value(io, "write_bytes:")), (Some(4096), Some(8192)));
        let stat = "17 (a ) b) S 1 17 17 0 -1 4194304 100 200 33 44 1 2";
        assert_eq!(page_ins(stat), Some(33));
        assert_eq!((value("", "x"), page_ins("")), (None, None));
    }

    #[test]
    fn this_process_is_seen() {
        assert!(resident_bytes().is_some_and(|bytes| bytes > 1 << 20));
        let mut process = Process::new();
        assert!(process.rates().page_ins.is_none());
        std::thread::sleep(std::time::Duration::from_millis(2));
        assert!(process.rates().page_ins.is_some_and(|rate| rate >= 0.0));
    }
}
