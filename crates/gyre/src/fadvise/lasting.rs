//! How long an advice lasts: some end when the descriptor that they were given to is closed.

use disk::Advice;

use super::arguments::{Action, Wanted};

/// Warns on standard error about an advice that ends with the descriptor. Standard input is an
/// exception: other processes share its open file, so there the advice lasts.
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
