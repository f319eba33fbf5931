//! The schedule of a growing run.

use serde::{Deserialize, Serialize};

/// A number of databases for a number of cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Step {
    pub(crate) databases: u32,
    pub(crate) cycles: u64,
}

impl Step {
    /// The times of the last update of each step's databases: one network step before the first
    /// cycle.
    pub(crate) fn begins(steps: &[Self], last_seconds: u64, step_seconds: u64) -> Vec<u64> {
        let mut begin = last_seconds;
        let each = steps.iter().map(|step| {
            let began = begin;
            begin += step.cycles * step_seconds;
            began
        });
        each.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Step;

    #[test]
    fn a_step_begins_where_the_one_before_ends() {
        let step = |databases, cycles| Step { databases, cycles };
        let steps = [step(10, 12), step(12, 4), step(14, 4)];
        assert_eq!(Step::begins(&steps, 600, 300), [600, 4200, 5400]);
    }
}
