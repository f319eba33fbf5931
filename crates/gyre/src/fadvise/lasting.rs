//! How far an advice reaches: some end with the descriptor that they were given to.

use disk::Advice;

use super::arguments::{Action, Wanted};

/// Says on standard error where an advice has no effect that lasts, unless it is given to standard
/// input, whose open file others share.
pub(super) fn tell(wanted: &Wanted) {
    let Action::Passing(advice) = wanted.action else { return };
    if wanted.operands.iter().all(|operand| operand == "-") && wanted.list.is_none() {
        return;
    }
    rrdtool::complain!("gyre fadvise: note: {}", words(wanted.advice, advice));
}

fn words(name: &str, advice: Advice) -> String {
    let what = match advice {
        Advice::Random => "that there be no readahead",
        Advice::Sequential => "that readahead be twice the device's",
        Advice::NoReuse => "that what is read does not count as used",
        _ => "that readahead be the device's",
    };
    format!(
        "{name} asks {what} on one descriptor, and ends with it: it had no lasting effect. Give it \
         in the program that reads, or to a descriptor that it shares: \
         {{ gyre fadvise -a {name} -; program; }} < file"
    )
}
