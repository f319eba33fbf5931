//! Walking along the calendar of a zone, across summer time.

use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};

use crate::arguments::{TimeStep, TimeUnit};

/// The most marks of one kind.
const MARKS_MAX: usize = 2000;

/// Every multiple of a calendar step in a window, both ends included.
pub(super) fn steps((start, end): (i64, i64), step: TimeStep, zone: &TimeZone) -> Vec<i64> {
    let mut found = Vec::new();
    let Some(mut civil) = first(start, step, zone) else {
        return found;
    };
    let mut last = i64::MIN;
    while found.len() < MARKS_MAX {
        let Some(at) = moment(civil, zone) else {
            break;
        };
        if at > end {
            break;
        }
        // In the gap of summer time two civil times are one moment.
        if at >= start && at > last {
            found.push(at);
            last = at;
        }
        let Some(next) = next(civil, step) else {
            break;
        };
        civil = next;
    }
    found
}

fn moment(civil: DateTime, zone: &TimeZone) -> Option<i64> {
    let zoned = zone.to_ambiguous_zoned(civil).compatible().ok()?;
    Some(zoned.timestamp().as_second())
}

/// The last multiple of a step at or before a moment, on the local calendar.
fn first(at_seconds: i64, step: TimeStep, zone: &TimeZone) -> Option<DateTime> {
    let local = zone.to_datetime(Timestamp::from_second(at_seconds).ok()?);
    let count = i64::from(step.count);
    let midnight = local.date().to_datetime(Time::midnight());
    let floor = |value: i64| value - value % count;
    Some(match step.unit {
        TimeUnit::Second => {
            let minute = local.date().at(local.hour(), local.minute(), 0, 0);
            let seconds = floor(i64::from(local.second()));
            minute.checked_add(Span::new().try_seconds(seconds).ok()?).ok()?
        }
        TimeUnit::Minute => {
            let minute = floor(i64::from(local.minute())) as i8;
            local.date().at(local.hour(), minute, 0, 0)
        }
        TimeUnit::Hour => local.date().at(floor(i64::from(local.hour())) as i8, 0, 0, 0),
        TimeUnit::Day => midnight,
        TimeUnit::Week => {
            let back = i64::from(local.weekday().to_sunday_zero_offset());
            midnight.checked_sub(Span::new().try_days(back).ok()?).ok()?
        }
        TimeUnit::Month => {
            let month = floor(i64::from(local.month()) - 1) as i8 + 1;
            Date::new(local.year(), month, 1).ok()?.to_datetime(Time::midnight())
        }
        TimeUnit::Year => {
            // rrdtool counts several years from whichever the window begins in.
            Date::new(local.year(), 1, 1).ok()?.to_datetime(Time::midnight())
        }
    })
}

fn next(civil: DateTime, step: TimeStep) -> Option<DateTime> {
    let count = i64::from(step.count);
    let span = Span::new();
    let span = match step.unit {
        TimeUnit::Second => span.try_seconds(count),
        TimeUnit::Minute => span.try_minutes(count),
        TimeUnit::Hour => span.try_hours(count),
        TimeUnit::Day => span.try_days(count),
        TimeUnit::Week => span.try_weeks(count),
        TimeUnit::Month => span.try_months(count),
        TimeUnit::Year => span.try_years(count),
    };
    civil.checked_add(span.ok()?).ok()
}
