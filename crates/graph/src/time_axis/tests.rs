use super::*;

fn window(start_seconds: i64, end_seconds: i64, per_second: u32) -> TimeWindow {
    let tick = Tick::of_per_second(per_second).expect("a tick");
    TimeWindow { tick, start_seconds, end_seconds }
}

fn labels_of(span_seconds: i64) -> Vec<String> {
    let end = 1_790_000_000;
    let marks =
        marks(window(end - span_seconds, end, 1), &Settings::default(), 400, &TimeZone::UTC);
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

#[test]
fn windows_of_parts_of_seconds_have_marks_between_seconds() {
    let start = 1_790_000_000;
    let shown = |start: i64, end: i64, per_second: u32| {
        let window = window(start, end, per_second);
        let marks = marks(window, &Settings::default(), 400, &TimeZone::UTC);
        let texts: Vec<String> = marks.labels.iter().map(|mark| mark.what.clone()).collect();
        (texts.join(" "), marks.major.len(), marks.minor.len())
    };
    let of_tenths = |from: i64, to: i64| shown(start * 10 + from, start * 10 + to, 10);
    let labels = "14:13:20.0 14:13:20.5 14:13:21.0 14:13:21.5 14:13:22.0";
    assert_eq!(of_tenths(0, 20), (labels.into(), 4, 16));
    assert_eq!(of_tenths(1, 4), ("14:13:20.1 14:13:20.2 14:13:20.3 14:13:20.4".into(), 3, 0));
    // Longer windows have those of whole seconds, where they are.
    assert_eq!(of_tenths(0, 60).0, shown(start, start + 6, 1).0);
    assert_eq!(of_tenths(5, 55).0, shown(start + 1, start + 5, 1).0);
    let micros = shown(start * 1_000_000, start * 1_000_000 + 30, 1_000_000);
    assert_eq!(
        micros,
        ("14:13:20.00000 14:13:20.00001 14:13:20.00002 14:13:20.00003".into(), 3, 12)
    );
    // Of databases of whole seconds the labels are what they were.
    assert_eq!(shown(start, start + 2, 1).0, "14:13:20 14:13:21 14:13:22");
}
