//! `/render`.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use series::Preferred;

use super::answer::Answer;
use super::json::{append_all, append_number, append_text};
use super::parameters::Parameters;
use super::picture;
use super::request::{Format, Request};
use crate::evaluate::Evaluation;
use crate::function::Context;
use crate::number_text::{append_float, python_float};
use crate::time_series::TimeSeries;
use crate::{Error, Setting, Store};

/// Bytes of a point in JSON, about.
const POINT_BYTES: usize = 32;

/// Answers `/render`.
#[must_use]
pub fn render(parameters: &Parameters, store: Store<'_>, setting: &Setting<'_>) -> Answer {
    Answer::from_result(rendered(parameters, store, setting))
}

fn rendered(
    parameters: &Parameters,
    store: Store<'_>,
    setting: &Setting<'_>,
) -> Result<Answer, Error> {
    let request = Request::read(parameters, setting)?;
    let template = parameters.template();
    let setting = Setting { now_seconds: request.now, ..*setting };
    let evaluation = Evaluation::new(store, setting, &request.zone, &template);
    let mut context = Context {
        start: request.start,
        end: request.end,
        x_files_factor: request.x_files_factor,
        preferred: Preferred::Named,
        stacks: Default::default(),
    };
    let mut series = Vec::new();
    for target in &request.targets {
        series.extend(evaluation.target(target, &mut context)?);
    }
    match request.format {
        Format::Json => Ok(Answer::json(json(&request, &series))),
        Format::Csv => Ok(Answer::of("text/csv", csv(&series, &request.zone))),
        Format::Raw => Ok(Answer::of("text/plain", raw(&series))),
        Format::Png | Format::Svg | Format::Pdf => picture::draw(parameters, &request, series),
    }
}

/// Points of a series: one is the consolidation of some of its values.
struct Points<'a> {
    values: std::borrow::Cow<'a, [f64]>,
    start: i64,
    end: i64,
    step: i64,
}

impl<'a> Points<'a> {
    fn of(series: &'a TimeSeries, range: i64, points_max: Option<u64>) -> Self {
        let TimeSeries { start, end, step, ref values, .. } = *series;
        let all = Self { values: values.into(), start, end, step };
        let consolidated = |values: &[f64], count: usize| {
            series.consolidation.points(values, count.max(1), series.x_files_factor).into()
        };
        let many = range as f64 / step as f64;
        match points_max {
            Some(1) if !values.is_empty() => {
                let step = step.saturating_mul(values.len() as i64);
                Self { values: consolidated(values, values.len()), step, ..all }
            }
            Some(most) if most > 1 && (most as f64) < many => {
                let count = (many / most as f64).ceil();
                let seconds = (count as i64).saturating_mul(step);
                // Points begin at multiples of their length, whenever the request begins.
                let nudge = seconds + start.rem_euclid(step) - start.rem_euclid(seconds);
                let lost = usize::try_from(nudge / step - 1).unwrap_or(0).min(values.len());
                let values = consolidated(&values[lost..], count as usize);
                Self { values, start: start + nudge, step: seconds, ..all }
            }
            _ => all,
        }
    }

    /// Each with the time at which its step begins.
    fn iter(&self) -> impl Iterator<Item = (f64, i64)> + '_ {
        let times = (0..).map(|nth: i64| self.start.saturating_add(nth.saturating_mul(self.step)));
        self.values.iter().copied().zip(times).take_while(|(_, time)| *time <= self.end)
    }
}

fn json(request: &Request<'_>, series: &[TimeSeries]) -> Vec<u8> {
    if series.iter().all(|it| it.values.is_empty()) {
        return b"[]".to_vec();
    }
    let start = series.iter().map(|it| it.start).min().unwrap_or(0);
    let end = series.iter().map(|it| it.end).max().unwrap_or(0);
    let mut out =
        Vec::with_capacity(series.iter().map(|it| it.values.len()).sum::<usize>() * POINT_BYTES);
    out.push(b'[');
    let mut is_first = true;
    for one in series {
        let points = Points::of(one, end - start, request.points_max);
        if request.without_unknown && points.iter().all(|(value, _)| value.is_nan()) {
            continue;
        }
        if !std::mem::take(&mut is_first) {
            out.push(b',');
        }
        append_series(&mut out, one, &points, request.without_unknown);
    }
    out.push(b']');
    out
}

fn append_series(out: &mut Vec<u8>, series: &TimeSeries, points: &Points<'_>, without: bool) {
    out.extend_from_slice(b"{\"target\":");
    append_text(out, &series.name);
    out.extend_from_slice(b",\"tags\":{");
    append_all(out, &series.tags, |out, (tag, value)| {
        append_text(out, tag);
        out.push(b':');
        append_text(out, value);
    });
    out.extend_from_slice(b"},\"datapoints\":[");
    let mut digits = itoa::Buffer::new();
    append_all(out, points.iter().filter(|it| !without || !it.0.is_nan()), |out, (value, time)| {
        out.push(b'[');
        append_number(out, value);
        out.push(b',');
        out.extend_from_slice(digits.format(time).as_bytes());
        out.push(b']');
    });
    out.extend_from_slice(b"]}");
}

/// Lines of name, time and value.
fn csv(series: &[TimeSeries], zone: &TimeZone) -> Vec<u8> {
    let mut out = Vec::new();
    for one in series {
        let name = csv_field(&one.name);
        let times = (0..).map(|nth: i64| one.start.saturating_add(nth.saturating_mul(one.step)));
        for (value, time) in one.values.iter().zip(times) {
            let Ok(time) = Timestamp::from_second(time) else { continue };
            out.extend_from_slice(name.as_bytes());
            let time = time.to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M:%S").to_string();
            out.extend_from_slice(format!(",{time},").as_bytes());
            match value {
                value if value.is_nan() => (),
                value if value.is_finite() => append_float(&mut out, *value),
                value => out.extend_from_slice(python_float(*value).as_bytes()),
            }
            out.extend_from_slice(b"\r\n");
        }
    }
    out
}

/// A field in quotes, if it needs them.
fn csv_field(text: &str) -> std::borrow::Cow<'_, str> {
    match text.contains([',', '"', '\r', '\n']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")).into(),
        false => text.into(),
    }
}

/// `name,start,end,step|1.0,None`.
fn raw(series: &[TimeSeries]) -> Vec<u8> {
    let mut out = Vec::new();
    for one in series {
        let head = format!("{},{},{},{}|", one.name, one.start, one.end, one.step);
        out.extend_from_slice(head.as_bytes());
        append_all(&mut out, &one.values, |out, value| match value.is_nan() {
            true => out.extend_from_slice(b"None"),
            false => out.extend_from_slice(python_float(*value).as_bytes()),
        });
        out.push(b'\n');
    }
    out
}
