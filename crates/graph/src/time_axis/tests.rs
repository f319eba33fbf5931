use super::*;

fn labels_of(span_seconds: i64) -> Vec<String> {
    let end = 1_790_000_000;
    let marks = marks(end - span_seconds, end, &Settings::default(), 400, &TimeZone::UTC);
    marks.labels.into_iter().map(|mark| mark.what).collect()
}

#[test]
fn labels_suit_spans_from_minutes_to_ten_years() {
    const DAY: i64 = 86_400;
    for (span_seconds, first) in [
        (180, "14:12"),
        (600, "14:04"),
        (3600, "13:20"),
        (6 * 3600, "09:00"),
        (86_400, "Sun 18:00"),
        (2 * DAY, "Sun 00:00"),
        (8 * DAY, "15 Sep"),
        (33 * DAY, "Week 35"),
        (366 * DAY, "Nov '25"),
        (3650 * DAY, "2017"),
    ] {
        let labels = labels_of(span_seconds);
        assert!((1..=20).contains(&labels.len()), "{span_seconds}: {labels:?}");
        assert!(labels.contains(&first.to_owned()), "{span_seconds}: {labels:?}");
    }
}

#[test]
fn days_keep_their_midnight_across_summer_time() {
    let zone = TimeZone::get("Europe/Berlin").expect("the zone database");
    // 2026-10-23 to 2026-10-28: the clocks go back on the 25th.
    let window = (1_792_706_400, 1_793_142_000);
    let day = crate::arguments::TimeStep { unit: crate::arguments::TimeUnit::Day, count: 1 };
    let days = calendar::steps(window, day, &zone);
    let lengths: Vec<i64> = days.windows(2).map(|pair| (pair[1] - pair[0]) / 3600).collect();
    assert_eq!(lengths, [24, 24, 25, 24, 24]);
}
