//! What is told of files that cannot be written: a few lines, however many files there are.

use std::sync::PoisonError;

use tracing_mutex::stdsync::Mutex;

use super::clock::Second;

/// So many lines are told in a period.
const LINES_MAX: u32 = 20;
const PERIOD_SECONDS: Second = 60;

/// Limits the lines that are told of files.
#[derive(Debug, Default)]
pub(super) struct FailureNotes(Mutex<Period>);

#[derive(Debug, Default)]
struct Period {
    began: Second,
    lines: u32,
    left_out: u64,
}

impl FailureNotes {
    /// Hands a line to `tell`, unless this period had its share; the lines that were left out are
    /// counted at the start of the next one.
    pub(super) fn note(&self, now: Second, line: &str, tell: impl Fn(&str)) {
        let mut period = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if now.saturating_sub(period.began) >= PERIOD_SECONDS {
            let left_out = period.left_out;
            *period = Period { began: now, ..Period::default() };
            if left_out > 0 {
                tell(&format!("{left_out} more files could not be written in the minute before"));
            }
        }
        if period.lines < LINES_MAX {
            period.lines += 1;
            tell(line);
        } else {
            period.left_out += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[test]
    fn a_thousand_failures_are_twenty_lines_and_a_number() {
        let notes = FailureNotes::default();
        let told = RefCell::new(Vec::new());
        let tell = |line: &str| told.borrow_mut().push(line.to_owned());
        (0..1000).for_each(|nth| notes.note(5, &nth.to_string(), tell));
        notes.note(70, "last", tell);
        let told = told.borrow();
        assert_eq!(told.len(), 22);
        assert!(told[20].starts_with("980 more files"), "{}", told[20]);
    }
}
