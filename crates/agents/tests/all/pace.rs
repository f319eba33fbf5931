//! How many lines a second one connection takes into a ring store. It tells the figure, and fails
//! where something waits that should not: the figure of a test is no benchmark.

use std::io::Write as _;
use std::time::Instant;

use intake::Protocol;

use crate::world::{Kept, World, now_seconds};

const SERIES: usize = 20_000;
const ROUNDS: i64 = 5;

#[test]
fn one_connection_brings_many_lines_a_second() {
    let world = World::new(Kept::Ring);
    let begin_seconds = now_seconds() - ROUNDS * 60;
    let round = |nth: i64| -> String {
        let time = begin_seconds + nth * 60;
        (0..SERIES)
            .map(|at| format!("pace.server{}.metric{} {at} {time}\n", at % 100, at / 100))
            .collect()
    };
    let mut connection = world.connect(Protocol::Graphite);
    let begin = Instant::now();
    connection.write_all(round(0).as_bytes()).unwrap();
    world.wait_taken(Protocol::Graphite, SERIES as u64);
    let made = begin.elapsed();
    let texts: Vec<String> = (1..ROUNDS).map(round).collect();
    let begin = Instant::now();
    texts.iter().for_each(|text| connection.write_all(text.as_bytes()).unwrap());
    world.wait_taken(Protocol::Graphite, ROUNDS as u64 * SERIES as u64);
    let known = begin.elapsed();
    let rate = |lines: usize, took: std::time::Duration| lines as f64 / took.as_secs_f64();
    println!(
        "new series: {:.0} lines/s; known ones: {:.0} lines/s",
        rate(SERIES, made),
        rate(SERIES * (ROUNDS as usize - 1), known)
    );
    assert!(rate(SERIES * (ROUNDS as usize - 1), known) > 2000.0, "{known:?}");
    assert_eq!(world.told(), [""; 0]);
}
