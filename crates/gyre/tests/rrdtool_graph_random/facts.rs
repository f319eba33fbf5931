//! What graphv tells of graphs of any look: sizes, the place of the graph in the picture, times,
//! limits, and the texts of the legend with where they stand.

use oracle::Reply;

use super::graph::window;
use super::look::drawn;
use super::pair::Pair;
use super::random::{Random, rounds};

const ROUNDS: u64 = 8;
const GRAPHS_A_ROUND: u32 = 16;
/// So many of the graphs that differ are told.
const DIFFERENCES_TOLD: usize = 20;
const ZONES: [&str; 6] = [
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "Asia/Kolkata",
    "Australia/Lord_Howe",
    "America/St_Johns",
];

/// Windows in which the clocks of some zones change.
const CHANGES: [&str; 7] = [
    "-s 20231028 -e \"20231030 12:00\"",
    "-s \"end-1day\" -e \"20231029 06:00\"",
    "-s \"20240331 01:30\" -e start+1day",
    "-s \"20240310 02:30\" -e start+3hours",
    "-s \"20231105 01:30\" -e start+1week",
    "-s end-1month -e \"20241006 12:00\"",
    "-s end-1year -e 20240401",
];

#[test]
fn facts_are_the_same() {
    let mut differences = Vec::new();
    for seed in 1..=rounds(ROUNDS) {
        let zone = ZONES[seed as usize % ZONES.len()];
        let Some(mut pair) = Pair::start(zone, "what graphv tells of random graphs") else {
            return;
        };
        let mut random = Random::new(seed);
        let end_seconds = pair.database(&mut random);
        for _ in 0..GRAPHS_A_ROUND {
            let window = match random.below(4) {
                0 => random.one_of(&CHANGES).to_owned(),
                _ => window(&mut random, end_seconds),
            };
            let graph = drawn(format!("graphv /dev/null {window}"), &mut random);
            let Some(answers) = pair.ask(&graph.command) else { continue };
            if let Err(what) = compare(&answers.ours, &answers.theirs) {
                differences.push(format!("TZ={zone}, seed {seed}: {what}\n{}", graph.command));
            }
        }
    }
    let count = differences.len();
    differences.truncate(DIFFERENCES_TOLD);
    assert_eq!(count, 0, "{}", differences.join("\n"));
}

/// Equal, but that the edges of texts may be a pixel apart.
fn compare(ours: &Reply, theirs: &Reply) -> Result<(), String> {
    let (Reply::Ok(our_lines), Reply::Ok(their_lines)) = (ours, theirs) else {
        let is_same = ours == theirs;
        return is_same.then_some(()).ok_or(format!("{ours:?}, rrdtool: {theirs:?}"));
    };
    let count = our_lines.len().max(their_lines.len());
    let nothing = String::new();
    for nth in 0..count {
        let line = |lines: &[String]| lines.get(nth).unwrap_or(&nothing).clone();
        let (our, their) = (line(our_lines), line(their_lines));
        if our != their && !are_near(&our, &their) {
            return Err(format!("{our:?}, rrdtool: {their:?}"));
        }
    }
    Ok(())
}

/// Whether both lines are coordinates, at most a pixel apart.
fn are_near(ours: &str, theirs: &str) -> bool {
    let (Some((our_key, ours)), Some((their_key, theirs))) = (edges(ours), edges(theirs)) else {
        return false;
    };
    let is_near = |(a, b): (&i64, &i64)| (a - b).abs() <= 1;
    our_key == their_key && ours.len() == theirs.len() && ours.iter().zip(&theirs).all(is_near)
}

fn edges(line: &str) -> Option<(&str, Vec<i64>)> {
    let (key, value) = line.split_once(" = ").filter(|(key, _)| key.starts_with("coords"))?;
    let numbers = value.trim_matches('"').split(',').map(|number| number.parse().ok());
    Some((key, numbers.collect::<Option<_>>()?))
}
