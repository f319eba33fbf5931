//! Times on pages: in the server's zone, with what a script needs to show them in the viewer's.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use maud::{Markup, html};

/// A time to the second: `2026-11-21 13:05:00`.
pub(crate) fn moment(seconds: i64, zone: &TimeZone) -> Markup {
    time(seconds, "second", &figures::moment(seconds, zone))
}

/// A time to the minute: `2026-11-21 13:05`.
pub(crate) fn minute(seconds: i64, zone: &TimeZone) -> Markup {
    time(seconds, "minute", &figures::minute(seconds, zone))
}

/// `form` is one that `zone.js` knows. A time beyond the calendar is only told.
fn time(seconds: i64, form: &str, shown: &str) -> Markup {
    let machine = Timestamp::from_second(seconds).ok();
    html! {
        @match machine {
            Some(machine) => { time datetime=(machine) data-form=(form) { (shown) } },
            None => { (shown) },
        }
    }
}

/// The zone's name as browsers know it: `Europe/Berlin`, or `+01:00` for one without a name.
pub(crate) fn zone_name(zone: &TimeZone, now_seconds: i64) -> String {
    if let Some(name) = zone.iana_name() {
        return name.to_owned();
    }
    let now = Timestamp::from_second(now_seconds).unwrap_or_default();
    let minutes = zone.to_offset(now).seconds() / 60;
    let sign = if minutes < 0 { '-' } else { '+' };
    format!("{sign}{:02}:{:02}", minutes.abs() / 60, minutes.abs() % 60)
}

#[cfg(test)]
mod tests {
    use jiff::tz::{Offset, TimeZone};

    use super::{minute, moment, zone_name};

    #[test]
    fn a_time_is_told_for_people_and_for_scripts() {
        let zone = TimeZone::fixed(Offset::from_hours(-3).unwrap());
        assert_eq!(
            moment(1_795_185_600, &zone).into_string(),
            "<time datetime=\"2026-11-20T14:40:00Z\" data-form=\"second\">2026-11-20 11:40:00</time>"
        );
        assert!(minute(1_795_185_600, &zone).into_string().contains(">2026-11-20 11:40<"));
        assert_eq!(minute(i64::MAX, &zone).into_string(), i64::MAX.to_string());
    }

    #[test]
    fn a_zone_has_a_name_that_browsers_know() {
        let name = |zone: &TimeZone| zone_name(zone, 1_795_185_600);
        assert_eq!(name(&TimeZone::UTC), "UTC");
        let half = Offset::from_seconds(-(3 * 3600 + 1800)).unwrap();
        assert_eq!(name(&TimeZone::fixed(half)), "-03:30");
    }
}
