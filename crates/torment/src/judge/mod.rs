//! Compares what gyre shows with the result of the same changes by Debian's rrdtool.

mod view;
mod settle;
mod whole;

pub(crate) use settle::{settle, settle_open};
pub(crate) use view::{Pipe, Shown, View};
pub(crate) use whole::compare_all;

/// The first line in which two texts differ, and the line before it.
pub(crate) fn first_difference(found: &str, expected: &str) -> String {
    let (mut ours, mut theirs) = (found.lines(), expected.lines());
    for nth in 1.. {
        match (ours.next(), theirs.next()) {
            (None, None) => break,
            (ours, theirs) if ours == theirs => {}
            (ours, theirs) => {
                let told = |line: Option<&str>| line.unwrap_or("(the end)").trim().to_owned();
                return format!("line {nth}: {}, expected {}", told(ours), told(theirs));
            }
        }
    }
    "nothing differs".into()
}
