//! The manual lists each function and aggregation, and each is there.

use series::Kind;

use super::{at, one};

/// The manual.
const MANUAL: &str = include_str!("../../../../docs/promql.md");

/// The names between backquotes of a part of the manual.
fn names(begin: &str) -> Vec<&'static str> {
    let (_, part) = MANUAL.split_once(begin).expect("the manual has this part");
    let (part, _) = part.split_once("\n\n").expect("it ends");
    let (part, _) = part.split_once(", with").unwrap_or((part, ""));
    part.split('`').skip(1).step_by(2).collect()
}

/// Whether a call fails for its arguments at most, and not because nobody knows its name.
fn is_there(query: &str) -> bool {
    let body = at(&one(Kind::Gauge, 60, &[1.0, 2.0, 3.0]), query, 180);
    !body.contains("unknown function") && !body.contains("cannot be answered")
}

#[test]
fn functions_of_the_manual_are_there() {
    let [ranges, samples, others] = ["Over ranges:", "Of samples:", "Of all else:"].map(names);
    assert!(ranges.len() > 25 && samples.len() > 30 && others.len() > 10);
    for name in ranges {
        let query = match name {
            "quantile_over_time" => format!("{name}(0.5, a[3m])"),
            "predict_linear" => format!("{name}(a[3m], 60)"),
            "holt_winters" | "double_exponential_smoothing" => format!("{name}(a[3m], 0.5, 0.5)"),
            _ => format!("{name}(a[3m])"),
        };
        let body = at(&one(Kind::Gauge, 60, &[1.0, 2.0, 3.0]), &query, 180);
        assert!(body.contains("success"), "{query}: {body}");
    }
    for name in samples.into_iter().chain(others) {
        assert!(is_there(&format!("{name}(a)")), "{name}");
    }
    assert!(!is_there("histogram_sum(a)") && !is_there("nosuch(a)"));
}

#[test]
fn aggregations_of_the_manual_are_there() {
    let aggregations = names("Aggregations:");
    assert_eq!(aggregations.len(), 12);
    for name in aggregations {
        let parameter = match name {
            "topk" | "bottomk" | "quantile" => "1, ",
            "count_values" => "\"value\", ",
            _ => "",
        };
        let body = at(&one(Kind::Gauge, 60, &[1.0]), &format!("{name}({parameter}a)"), 60);
        assert!(body.contains("success"), "{name}: {body}");
    }
}
