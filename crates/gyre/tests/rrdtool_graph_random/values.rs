//! What PRINT prints and what xport lists, to the last digit.
//!
//! Left out is what rrdtool reads beyond the rows of a series: xport of one that is shorter than
//! the window, PREV of a named one, and windows of PREDICT (`rrd/tests/rpn_oracle.rs` and
//! `rpn_windows.rs` have those).

use super::graph::Graph;
use super::pair::Pair;
use super::random::{Random, rounds};

const ROUNDS: u64 = 40;
const GRAPHS_A_ROUND: u32 = 25;

#[test]
fn values_are_the_same() {
    let Some(mut pair) = Pair::start("UTC", "random graphs' values") else { return };
    for seed in 1..=rounds(ROUNDS) {
        let mut random = Random::new(seed);
        let end_seconds = pair.database(&mut random);
        for _ in 0..GRAPHS_A_ROUND {
            let graph = match random.below(3) {
                0 => Graph::exported(&mut random, end_seconds),
                _ => Graph::printed(&mut random, end_seconds),
            };
            let Some(answers) = pair.ask(&graph.command) else { continue };
            let (theirs, ours) = (answers.theirs, answers.ours);
            assert_eq!(ours, theirs, "ours first, after {seed}\n{}", graph.command);
        }
    }
}
