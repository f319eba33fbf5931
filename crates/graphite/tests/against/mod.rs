//! Series, targets, and how answers are compared.

use graphite::api::Answer;
use proptest::prelude::*;
use serde_json::Value;

use super::common::{NOW, Stored};
use super::graphite_web::Reply;

/// Days of each series.
const DAYS: i64 = 12;

/// Series of several steps, with gaps, counters that wrap, and tags.
pub(crate) fn series() -> Vec<Stored> {
    let mut all = Vec::new();
    let mut add = |path: &str, step: i64, value: &dyn Fn(i64) -> f64| {
        let start = NOW - DAYS * 86_400;
        let start = start - start.rem_euclid(step);
        let count = (NOW - start) / step + 2;
        let values = (0..count).map(value).collect();
        all.push(Stored { path: path.to_owned(), start, step, values });
    };
    let wave = |seed: f64, nth: i64| {
        (nth as f64 * 0.013 * seed).sin() * 40.0 + seed * 10.0 + (nth % 7) as f64
    };
    add("servers.a.load", 60, &|nth| wave(1.0, nth));
    add("servers.b.load", 60, &|nth| wave(2.5, nth));
    add("servers.c.load", 60, &|nth| if nth % 11 == 3 { f64::NAN } else { wave(4.0, nth) - 60.0 });
    add("servers.a.traffic.in", 60, &|nth| ((nth * 7919) % 100_003) as f64);
    add("servers.a.traffic.out", 60, &|nth| ((nth * nth) % 10_007) as f64 / 7.0);
    add("servers.b.traffic.in", 60, &|nth| (nth % 300) as f64 * 1e6);
    add("servers.b.traffic.out", 60, &|nth| if nth % 50 < 10 { f64::NAN } else { nth as f64 });
    add("gaps.all", 60, &|_| f64::NAN);
    add("gaps.some", 60, &|nth| if nth % 5 < 2 { f64::NAN } else { (nth % 13) as f64 - 4.0 });
    add("gaps.long", 60, &|nth| if (nth / 20) % 2 == 0 { f64::NAN } else { (nth % 17) as f64 });
    add("mixed.ten", 10, &|nth| (nth % 97) as f64);
    add("mixed.forty", 40, &|nth| if nth % 9 == 1 { f64::NAN } else { (nth % 31) as f64 / 3.0 });
    add("mixed.sixty", 60, &|nth| wave(3.0, nth));
    add("flat.zero", 60, &|_| 0.0);
    add("flat.small", 60, &|nth| 0.25 + (nth % 3) as f64 / 8.0);
    add("steps.up", 60, &|nth| (nth / 30) as f64);
    add("disk.used;dc=east;server=a", 60, &|nth| wave(1.5, nth));
    add("disk.used;dc=east;server=b", 60, &|nth| wave(2.0, nth));
    add("disk.used;dc=west;server=a", 60, &|nth| wave(3.5, nth));
    add("disk.free;dc=west;server=c", 60, &|nth| wave(0.5, nth));
    all
}

/// What differs between two answers.
pub(crate) fn compare(ours: &Answer, theirs: &Reply) -> Option<String> {
    let body = String::from_utf8_lossy(&ours.body);
    if theirs.status != 200 || ours.status != 200 {
        // How something is refused differs; that it is, does not.
        let is_same = theirs.status != 200 && ours.status != 200;
        let told = || {
            let theirs_said = theirs.body.chars().take(300).collect::<String>();
            format!("{} {body} / {} {theirs_said}", ours.status, theirs.status)
        };
        return (!is_same).then(told);
    }
    let mine: Value = match serde_json::from_str(&body.replace("1e9999", "1e308")) {
        Ok(mine) => mine,
        Err(error) => return Some(format!("{error}: {body}")),
    };
    let other: Value = serde_json::from_str(&theirs.body.replace("1e9999", "1e308")).expect("JSON");
    let (mine, other) = (mine.as_array()?, other.as_array()?);
    if mine.len() != other.len() {
        let names =
            |all: &[Value]| all.iter().map(|it| it["target"].to_string()).collect::<Vec<_>>();
        return Some(format!("{:?} / {:?}", names(mine), names(other)));
    }
    mine.iter().zip(other).find_map(|(mine, other)| compare_series(mine, other))
}

fn compare_series(mine: &Value, other: &Value) -> Option<String> {
    for field in ["target", "tags"] {
        if !is_same_text(&mine[field], &other[field]) {
            return Some(format!("{} / {}", mine[field], other[field]));
        }
    }
    let empty = Vec::new();
    let points = |it: &Value| it["datapoints"].as_array().unwrap_or(&empty).clone();
    let (mine_points, other_points) = (points(mine), points(other));
    if mine_points.len() != other_points.len() {
        let ends =
            |all: &[Value]| format!("{} points {:?}..{:?}", all.len(), all.first(), all.last());
        return Some(format!(
            "{}: {} / {}",
            mine["target"],
            ends(&mine_points),
            ends(&other_points)
        ));
    }
    let differs = mine_points.iter().zip(&other_points).find(|(a, b)| !is_same_point(a, b));
    differs.map(|(a, b)| format!("{}: {a} / {b}", mine["target"]))
}

/// Texts are the same; numbers in tags may be written with or without `.0`.
fn is_same_text(mine: &Value, other: &Value) -> bool {
    let plain = |it: &Value| it.to_string().replace(".0\"", "\"");
    plain(mine) == plain(other)
}

fn is_same_point(mine: &Value, other: &Value) -> bool {
    if mine[1] != other[1] {
        return false;
    }
    match (mine[0].as_f64(), other[0].as_f64()) {
        (Some(mine), Some(other)) => {
            let size = mine.abs().max(other.abs());
            (mine - other).abs() <= 1e-9 * size.max(1e-3)
        }
        (mine, other) => mine.is_none() && other.is_none(),
    }
}

/// Functions of one list (without `stdev()`, whose differences of large sums are noise where a
/// series does not change), where `#` is the list and `%` a small number.
const ONE: &[&str] = &[
    "absolute(#)",
    "add(#,%)",
    "offset(#,-%)",
    "scale(#,0.%)",
    "scaleToSeconds(#,%)",
    "pow(#,%)",
    "squareRoot(#)",
    "invert(#)",
    "log(#,2)",
    "round(#,1)",
    "minMax(#)",
    "offsetToZero(#)",
    "derivative(#)",
    "nonNegativeDerivative(#)",
    "perSecond(#)",
    "integral(#)",
    "integralByInterval(#,'1h')",
    "delay(#,%)",
    "transformNull(#,%)",
    "isNonNull(#)",
    "keepLastValue(#,%)",
    "interpolate(#)",
    "changed(#)",
    "movingAverage(#,%)",
    "movingMedian(#,'7min')",
    "movingSum(#,%)",
    "movingMin(#,%)",
    "movingMax(#,'1h')",
    "exponentialMovingAverage(#,%)",
    "nPercentile(#,7%)",
    "percentileOfSeries(#,5%)",
    "removeAbovePercentile(#,9%)",
    "removeBelowValue(#,%)",
    "removeAboveValue(#,%)",
    "summarize(#,'%min')",
    "summarize(#,'1h','avg',true)",
    "smartSummarize(#,'10min','max')",
    "hitcount(#,'%min')",
    "timeShift(#,'%h')",
    "sumSeries(#)",
    "averageSeries(#)",
    "diffSeries(#)",
    "maxSeries(#)",
    "stddevSeries(#)",
    "rangeOfSeries(#)",
    "countSeries(#)",
    "aggregate(#,'median')",
    "highestMax(#,%)",
    "lowestAverage(#,%)",
    "limit(#,%)",
    "sortByTotal(#)",
    "mostDeviant(#,%)",
    "averageAbove(#,%)",
    "filterSeries(#,'last','<=',%)",
    "removeEmptySeries(#)",
    "aliasByNode(#,0,-1)",
    "aliasByMetric(#)",
    "substr(#,0,2)",
    "consolidateBy(#,'max')",
    "cumulative(#)",
    "sortByName(#)",
    "linearRegression(#)",
    "aggregateLine(#,'max')",
    "alias(#,'x%')",
    "sortByMinima(#)",
    "groupByNode(#,1,'sum')",
    "sumSeriesWithWildcards(#,1)",
    "asPercent(#)",
    "unique(#)",
    "exclude(#,'b')",
    "grep(#,'a')",
    "aliasSub(#,'a(.)','\\1x')",
    "stacked(#)",
    "legendValue(#,'max')",
    "movingWindow(#,%,'range')",
    "setXFilesFactor(#,0.%)",
    "holtWintersConfidenceBands(#,%,'1d','6h')",
    "holtWintersAberration(#,%,'6h','1h')",
    "timeStack(#,'%h',0,2)",
    "groupByNodes(#,'max',0,-1)",
    "groupByNode(#,-1,'median')",
    "aliasByTags(#,'name')",
    "cactiStyle(#)",
    "aggregateWithWildcards(#,'min',0)",
    "aggregate(#,'avg_zero',0.%)",
    "movingWindow(#,'%min','count',0.%)",
    "consolidateBy(#,'first')",
    "sortBy(#,'stddev',true)",
    "lowestCurrent(#,%)",
    "currentBelow(#,%)",
    "weightedAverage(#,#,1)",
    "aggregateSeriesLists(#,#,'diff')",
    "divideSeriesLists(#,#)",
    "applyByNode(#,1,'absolute(%.load)')",
];

/// Functions of two lists.
const TWO: &[&str] = &[
    "group(#,#)",
    "sumSeries(#,#)",
    "diffSeries(#,#)",
    "multiplySeries(#,#)",
    "minSeries(#,#)",
    "divideSeries(#,limit(#,1))",
    "asPercent(#,limit(#,1))",
    "fallbackSeries(#,#)",
    "unique(#,#)",
];

/// Paths of series with the same step.
const PATHS: &[&str] = &[
    "servers.*.load",
    "servers.a.load",
    "servers.*.traffic.*",
    "gaps.*",
    "flat.*",
    "steps.up",
    "servers.{a,b}.traffic.in",
    "nothing.here",
    "servers.?.load",
    "servers.[ab].load",
    "mixed.*",
    "mixed.ten",
];

/// Targets of functions within functions.
pub(crate) fn targets() -> impl Strategy<Value = String> {
    let leaf = proptest::sample::select(PATHS).prop_map(str::to_owned);
    leaf.prop_recursive(4, 12, 2, |inner| {
        let one = (proptest::sample::select(ONE), inner.clone(), 1..9_u32);
        let one = one.prop_map(|(text, list, number)| {
            text.replace('#', &list).replace('%', &number.to_string())
        });
        let two = (proptest::sample::select(TWO), inner.clone(), inner);
        let two = two.prop_map(|(text, first, second)| {
            text.replacen('#', &first, 1).replacen('#', &second, 1)
        });
        prop_oneof![4 => one, 1 => two]
    })
    .prop_filter("graphite-web pairs rows of other steps as they come", |it| {
        let other_steps = ["ummarize(", "hitcount(", "Line(", "mixed"];
        let joins_rows = ["asPercent", "weightedAverage"].iter().any(|name| it.contains(name));
        !joins_rows || !other_steps.iter().any(|step| it.contains(step))
    })
}
