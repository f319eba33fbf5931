//! The recipes of docs/calc.md.

use std::path::Path;

use super::{START, STEP, STEPS, done, place, reading};

/// The commands of docs/calc.md run as they stand in a directory with its files.
#[test]
fn the_recipes_of_the_manual_give_what_they_say() {
    let place = place();
    let at = place.path();
    let manual = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/calc.md");
    let manual = std::fs::read_to_string(manual).unwrap();
    let (_, bill) = manual.split_once("## A month's bill").unwrap();
    let (bill, _) = bill.split_once("\n## ").unwrap();
    let command: Vec<&str> = bill.lines().filter(|line| line.starts_with("    ")).collect();
    let command = command.join("\n");
    let command = command.replace("\\\n", " ");
    let words: Vec<String> = command
        .split_whitespace()
        .skip(1)
        .map(|word| word.trim_matches('\'').replace("STORE/customer.rrd", "S/a.rrd"))
        .map(|word| match word.as_str() {
            "20240101" => (START + (STEPS - 300) * STEP).to_string(),
            "20240201" => (START + STEPS * STEP).to_string(),
            _ => word,
        })
        .collect();
    assert!(words.len() > 10, "{words:?}");
    let text = done(at, &words.iter().map(String::as_str).collect::<Vec<_>>());
    let number = |label: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(label)).expect(label);
        line.split_whitespace().next().unwrap().parse::<f64>().unwrap()
    };
    let percentile = |value: &dyn Fn(i64) -> Option<f64>| {
        let mut values: Vec<f64> = (STEPS - 299..=STEPS).filter_map(value).collect();
        values.sort_by(f64::total_cmp);
        values[(0.95 * (values.len() - 1) as f64).round() as usize] * 8.0 / 1e6
    };
    let of = |database: i64| move |step: i64| reading(database, step);
    let both = |join: fn(f64, f64) -> f64| {
        move |step: i64| Some(join(reading(0, step)?, reading(10, step)?))
    };
    for (label, expected) in [
        ("in:", percentile(&of(0))),
        ("out:", percentile(&of(10))),
        ("higher:", percentile(&both(f64::max))),
        ("sum:", percentile(&both(|a, b| a + b))),
    ] {
        assert!((number(label) - expected).abs() < 1e-5, "{label} {expected}: {text}");
    }
    assert!(text.contains("rows of i: 300 of 300 s (AVERAGE of 300 s in S/a.rrd)"), "{text}");
}
