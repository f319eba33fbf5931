//! Queries: a list that names each function and operator, and a grammar from which more are drawn.

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;

pub(crate) const FIXED: &[&str] = &[
    // Selectors.
    "load",
    "load{host=\"a\"}",
    "load{host=~\"a|c\",if!=\"eth0\"}",
    "{__name__=~\"load|state\",host!~\"b.*\"}",
    "load{nosuch=\"\"}",
    "load offset 10m",
    "load offset -10m",
    "load @ 1700003002",
    "load @ start()",
    "load @ end() offset 5m",
    "nosuch",
    "load[5m]",
    "load[10m] offset 3m",
    "load[10m] @ 1700004002",
    "sum(load)[10m:1m]",
    "odd",
    "1",
    "-1.5e-7",
    "0x1f",
    "Inf",
    "\"text\"",
    "1 + 2 * 3 ^ 2 ^ 0.5 % 5 - 7 / 2 atan2 3",
    "-2 ^ 2",
    "1 == bool 1",
    "1 > bool 2",
    // Functions over ranges.
    "rate(packets_total[5m])",
    "rate(packets_total[1m])",
    "rate(load[7m])",
    "increase(packets_total[10m])",
    "irate(packets_total[5m])",
    "delta(temperature[10m])",
    "idelta(temperature[10m])",
    "deriv(temperature[10m])",
    "deriv(site[10m])",
    "predict_linear(temperature[10m], 3600)",
    "predict_linear(temperature[10m] offset 5m, time() - 1700000000)",
    "changes(state[20m])",
    "resets(packets_total[30m])",
    "avg_over_time(load[10m])",
    "min_over_time(load[10m])",
    "max_over_time(load[10m])",
    "sum_over_time(load[10m])",
    "count_over_time(load[10m])",
    "quantile_over_time(0.9, load[10m])",
    "quantile_over_time(-1, load[10m])",
    "quantile_over_time(2, load[10m])",
    "stddev_over_time(load[10m])",
    "stdvar_over_time(load[10m])",
    "last_over_time(load[10m])",
    "present_over_time(load[10m])",
    "absent_over_time(load[2m])",
    "absent_over_time(nosuch{a=\"b\",c=~\"d\"}[2m])",
    "holt_winters(temperature[10m], 0.3, 0.7)",
    "holt_winters(temperature[10m], 1.3, 0.7)",
    "avg_over_time(odd[2m])",
    "sum_over_time(odd[10m])",
    "max_over_time(odd[3m])",
    // Subqueries.
    "max_over_time(rate(packets_total[2m])[20m:1m])",
    "avg_over_time(load[20m:])",
    "sum_over_time(load[20m:2m] offset 4m)",
    "last_over_time(sum(load)[20m:3m] @ 1700005042)",
    "min_over_time(max_over_time(load[4m30s:1m])[30m:10m])",
    "count_over_time(vector(1)[10m:90s])",
    "rate(sum(packets_total)[10m:30s])",
    "sum_over_time((load > 50)[20m:1m])",
    "absent_over_time(load[5m:1m])",
    "quantile_over_time(0.3, load[10m:1m])",
    "deriv(temperature[30m:2m])",
    // Aggregations.
    "sum(load)",
    "sum by (host) (load)",
    "sum without (host) (load)",
    "sum by (nosuch) (load)",
    "sum by (__name__) ({host=\"a\"})",
    "avg by (if) (load)",
    "min(load)",
    "max without (if) (load)",
    "group by (host) (load)",
    "count(load)",
    "count by (host) (load > 50)",
    "stddev by (host) (load)",
    "stdvar(load)",
    "stddev(odd)",
    "avg(odd)",
    "topk(2, load)",
    "topk by (host) (1, load)",
    "bottomk(3, load)",
    "topk(0, load)",
    "topk(-1, load)",
    "topk(100, state)",
    "topk(NaN, load)",
    "quantile(0.5, load)",
    "quantile by (host) (0.25, load)",
    "quantile(NaN, load)",
    "quantile(1.5, load)",
    "count_values(\"value\", state)",
    "count_values by (host) (\"value\", state)",
    "count_values(\"host\", state)",
    "count_values(\"no-name\", state)",
    "sum(nosuch)",
    // Operators.
    "load + state",
    "load * on (host, if) state",
    "load - ignoring (nosuch) state",
    "load / on (host) group_left temperature",
    "temperature % on (host) group_right load",
    "load * on (host) group_left (place) site",
    "load * on (host) group_left (rack, nosuch) site",
    "load * on (host) temperature",
    "load * on (host) state",
    "load + on () group_left sum(load)",
    "load > 50",
    "50 < load",
    "load > bool 50",
    "load == bool load",
    "load > state",
    "load >= on (host, if) state",
    "load < bool ignoring (nosuch) state",
    "load > on (host) group_left temperature",
    "temperature < on (host) group_right load",
    "load != load",
    "load + 1",
    "2 ^ state",
    "-load",
    "+load",
    "-(load + load)",
    "sum by (host, if) (load atan2 state)", // Prometheus 2 leaves the name
    "odd / 0",
    "odd % 3",
    "odd ^ 2",
    "load and state",
    "load and on (host) (temperature > 0)",
    "load or state",
    "load or vector(1)",
    "(load > 50) or (load <= 50)",
    "(load > 50) or on (host) load",
    "load unless state",
    "load unless on (host) (temperature > 0)",
    "load unless ignoring (if) site",
    "time() + load",
    "scalar(sum(load)) * load",
    "sum(load) / count(load)",
    // Functions of samples.
    "abs(temperature)",
    "ceil(temperature)",
    "floor(temperature)",
    "round(temperature)",
    "round(temperature, 0.1)",
    "round(temperature, 5)",
    "clamp(temperature, -10, 10)",
    "clamp(temperature, 10, -10)",
    "clamp_min(temperature, 0)",
    "clamp_max(temperature, 0)",
    "clamp_max(odd, NaN)",
    "exp(temperature)",
    "ln(temperature)",
    "log2(load)",
    "log10(load)",
    "sqrt(temperature)",
    "sgn(temperature)",
    "sgn(odd)",
    "sin(load)",
    "cos(load)",
    "tan(temperature)",
    "asin(state)",
    "acos(state)",
    "atan(load)",
    "sinh(state)",
    "cosh(state)",
    "tanh(state)",
    "asinh(state)",
    "acosh(state)",
    "atanh(state / 4)",
    "deg(load)",
    "rad(load)",
    "pi()",
    "time()",
    "timestamp(load)",
    "timestamp(load offset 3m)",
    "timestamp(load + 0)",
    "timestamp((load))",
    "minute()",
    "hour()",
    "month()",
    "year()",
    "day_of_week()",
    "day_of_month()",
    "day_of_year()",
    "days_in_month()",
    "minute(vector(951782399))",
    "day_of_year(vector(951782399))",
    "days_in_month(vector(951782399))",
    "day_of_week(temperature * 1e6)",
    "year(vector(-86400))",
    "vector(time())",
    "scalar(load)",
    "scalar(sum(load))",
    "absent(load)",
    "absent(nosuch)",
    "absent(nosuch{a=\"b\",c!=\"d\",e=\"f\",e=\"g\"})",
    "absent(sum(nosuch))",
    "absent(load > 99)",
    "label_replace(load, \"to\", \"$1-x\", \"if\", \"eth(.*)\")",
    "label_replace(load, \"to\", \"${digits}\", \"if\", \"eth(?P<digits>.*)\")",
    "label_replace(load, \"to\", \"x\", \"nosuch\", \"\")",
    "label_replace(load, \"if\", \"\", \"if\", \".*\")",
    "label_replace(load, \"no-name\", \"\", \"if\", \".*\")",
    "label_replace(load, \"to\", \"\", \"if\", \"(\")",
    "label_replace(load{if=\"eth0\"}, \"__name__\", \"$1\", \"host\", \"(.*)\")",
    "label_join(load, \"to\", \"/\", \"host\", \"if\", \"nosuch\")",
    "label_join(load, \"to\", \"\")",
    "sort(load)",
    "sort_desc(load)",
    "histogram_quantile(0.9, seconds_bucket)",
    "histogram_quantile(0.5, rate(seconds_bucket[10m]))",
    "histogram_quantile(0.1, sum by (le) (rate(seconds_bucket[10m])))",
    "histogram_quantile(NaN, seconds_bucket)",
    "histogram_quantile(0.5, load)",
    "histogram_quantile(2, seconds_bucket)",
    // What is wrong for both.
    "load{",
    "sum(",
    "nosuch(load)",
    "rate(load)",
    "abs(load[5m])",
    "load offset",
    "{host=~\".*\"}",
    "1 + \"a\"",
    "rate({__name__=~\"load|state\"}[5m])",
    "abs({__name__=~\"load|state\"})",
];

/// Compared for single times alone: over a range Prometheus 2 moves the window of these.
pub(crate) const FIXED_AT_ONE_TIME: &[&str] =
    &["predict_linear(temperature[10m] @ 1700003002, 3600)"];

/// Expressions that the grammar below draws, always the same.
pub(crate) fn drawn(count: usize) -> Vec<String> {
    let mut runner = TestRunner::deterministic();
    let strategy = vector();
    (0..count).map(|_| strategy.new_tree(&mut runner).expect("a draw").current()).collect()
}

const NUMBERS: &[&str] = &["0", "1", "-2.5", "time()", "scalar(sum(load))", "1e3"];

fn one_of(all: &'static [&'static str]) -> impl Strategy<Value = &'static str> {
    proptest::sample::select(all)
}

fn selector() -> impl Strategy<Value = String> {
    let name = one_of(&["load", "state", "temperature", "packets_total", "site"]);
    let matchers =
        one_of(&["", "{host=\"a\"}", "{host!=\"b\"}", "{host=~\"a|b\"}", "{if=\"eth0\"}"]);
    (name, matchers).prop_map(|(name, matchers)| format!("{name}{matchers}"))
}

fn shift() -> impl Strategy<Value = &'static str> {
    one_of(&["", "", "", " offset 7m", " offset -2m", " @ 1700004002", " @ end()"])
}

fn over_range() -> impl Strategy<Value = String> {
    let function = one_of(&[
        "rate",
        "increase",
        "irate",
        "delta",
        "idelta",
        "deriv",
        "changes",
        "resets",
        "avg_over_time",
        "min_over_time",
        "max_over_time",
        "sum_over_time",
        "count_over_time",
        "stddev_over_time",
        "last_over_time",
        "present_over_time",
    ]);
    let range = one_of(&["[3m]", "[5m]", "[10m]", "[20m:2m]", "[10m:]", "[1h]"]);
    (function, selector(), range, shift()).prop_map(|(function, selector, range, shift)| {
        format!("{function}({selector}{range}{shift})")
    })
}

fn vector() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        (selector(), shift()).prop_map(|(selector, shift)| format!("{selector}{shift}")),
        over_range(),
    ];
    leaf.prop_recursive(4, 24, 3, |inner| {
        let aggregation = one_of(&["sum", "avg", "min", "max", "count", "group"]);
        // Of equal values any may be among the best; loads and temperatures are all different.
        let ranked = one_of(&["topk(2, ", "bottomk(1, "]);
        let different = one_of(&["load", "load{host!=\"b\"}", "temperature", "load offset 7m"]);
        let grouping = one_of(&["", " by (host)", " without (if)", " by (if)"]);
        let function =
            one_of(&["abs", "ceil", "floor", "round", "sqrt", "sgn", "-", "timestamp", "absent"]);
        let operator = one_of(&[
            "+", "-", "*", "/", "%", ">", "<=", "!=", "== bool", "> bool", "and", "or", "unless",
        ]);
        let matching =
            one_of(&["", "on (host, if)", "ignoring (if)", "on (host)", "on (host) group_left ()"]);
        prop_oneof![
            (aggregation, grouping, inner.clone())
                .prop_map(|(name, grouping, inner)| format!("{name}{grouping} ({inner})")),
            (ranked, different, grouping_after())
                .prop_map(|(name, inner, grouping)| format!("{name}{inner}){grouping}")),
            (inner.clone(), grouping_after())
                .prop_map(|(inner, grouping)| format!("quantile(0.7, {inner}){grouping}")),
            (function, inner.clone()).prop_map(|(name, inner)| format!("{name}({inner})")),
            (inner.clone(), operator, matching, inner.clone()).prop_filter_map(
                "sets are never grouped",
                |(left, operator, matching, right)| {
                    let is_set = matches!(operator, "and" | "or" | "unless");
                    let is_wrong = is_set && matching.contains("group");
                    (!is_wrong).then(|| format!("({left}) {operator} {matching} ({right})"))
                }
            ),
            (inner.clone(), arithmetic(), one_of(NUMBERS))
                .prop_map(|(left, operator, right)| format!("({left}) {operator} {right}")),
            (one_of(NUMBERS), arithmetic(), inner)
                .prop_map(|(left, operator, right)| format!("{left} {operator} ({right})")),
        ]
    })
}

fn grouping_after() -> impl Strategy<Value = &'static str> {
    one_of(&["", " by (host)", " without (if)"])
}

fn arithmetic() -> impl Strategy<Value = &'static str> {
    one_of(&["+", "-", "*", "/", "<", ">=", "!= bool"])
}
