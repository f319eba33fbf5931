//! Times searches among a million made-up targets: `cargo run --release -p find --example million`.
//! Times are those of the processor, so that other programs of the machine do not count.
#![allow(clippy::disallowed_methods, reason = "it measures time")]

use std::time::Duration;

use find::{Builder, Document, Index, Page};

const PORTS: usize = 48;
const TURNS: usize = 15;

fn main() {
    let count = std::env::args().nth(1).and_then(|word| word.parse().ok()).unwrap_or(1_000_000);
    let begin = used();
    let index = build(count);
    let bytes = index.memory_bytes();
    println!("{count} targets: made in {:.2?}", used() - begin);
    println!("{} MB, {} bytes a target", bytes / 1_000_000, bytes / count.max(1));
    for query in QUERIES {
        let (took, total) = usual(&index, query);
        println!("{query:<28} {total:>8} found in {:6.2} ms", took.as_secs_f64() * 1000.0);
    }
}

const QUERIES: [&str; 24] = [
    "s",
    "e",
    "7",
    "x",
    "-",
    "0",
    "si",
    "site",
    "core",
    "core1",
    "e1",
    "1_",
    "/",
    "0/1",
    "core1_7",
    "site0042-core1_7",
    "frankfurt",
    "frankfrut",
    "device:core7 uplink",
    "site:s0042 customers",
    "router.example gigabit 17",
    "10.1.2",
    "nothing-like-it",
    "t a i c",
];

fn build(count: usize) -> Index {
    let mut builder = Builder::default();
    for nth in 0..count {
        let (device, port) = (nth / PORTS, nth % PORTS + 1);
        let kind = ["core", "edge", "access"][device % 3];
        let site = format!("site{:04}", device / 9);
        let host = format!("{site}-{kind}{}", device % 9 + 1);
        let use_ = ["uplink to Frankfurt", "customers", "backup", "spare"][port % 4];
        let labels = [("site".to_owned(), format!("s{:04}", device / 9))];
        let document = Document {
            name: &format!("{host}_{port}"),
            title: &format!("Traffic Analysis for {port} -- {host}"),
            device: &format!("{host}.router.example.net"),
            remark: &format!("GigabitEthernet0/{port} {use_}"),
            address: &format!("10.{}.{}.{port}", device / 250, device % 250),
            labels: &labels,
        };
        builder.add(&document).expect("it has room");
    }
    builder.finish().expect("it has room")
}

/// The median of some turns.
fn usual(index: &Index, text: &str) -> (Duration, usize) {
    let query = index.query(text);
    let turn = || {
        let begin = used();
        let found = index.search(&query, |_| true, Page { first: 0, limit: 20 });
        (used() - begin, found.total)
    };
    let mut turns: Vec<_> = (0..TURNS).map(|_| turn()).collect();
    turns.sort_unstable();
    turns[TURNS / 2]
}

/// The time that this thread had a processor.
fn used() -> Duration {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let first = told.split(' ').next().and_then(|word| word.parse().ok());
    Duration::from_nanos(first.unwrap_or_default())
}
