//! Pictures of series, drawn as `rrdtool graph` would draw them.

use std::convert::Infallible;

use graph::{Arguments, SeriesRequest};
use rrd::{Stretch, Tick, Timestamp};

use super::answer::Answer;
use super::color;
use super::parameters::Parameters;
use super::request::{Format, Request};
use crate::Error;
use crate::time_series::{Look, TimeSeries};

/// Series of a picture: more of them nobody tells apart.
const SERIES_MAX: usize = 1000;
/// Pixels of a side.
const SIDE_MAX: u32 = 4096;
const WIDTH: u32 = 330;
const HEIGHT: u32 = 250;
const LINE_WIDTH: f64 = 1.2;

/// How values become areas.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AreaMode {
    None,
    First,
    All,
    Stacked,
}

/// A picture in the making.
struct Picture {
    words: Vec<String>,
    area_mode: AreaMode,
    line_width: f64,
    has_legend: bool,
}

/// Draws series.
pub(super) fn draw(
    parameters: &Parameters,
    request: &Request<'_>,
    mut series: Vec<TimeSeries>,
) -> Result<Answer, Error> {
    if series.len() > SERIES_MAX {
        return Err(Error::TooMuch { what: "series of a picture", most: SERIES_MAX as u64 });
    }
    let mut picture = Picture::of(parameters, request)?;
    let width = picture_side(parameters, "width", WIDTH)?;
    series.iter_mut().for_each(|it| narrow(it, width as usize));
    picture.add_all(&series)?;
    let failed = |error: graph::Error| Error::Picture(error.to_string());
    let arguments = Arguments::read(&picture.words).map_err(failed)?;
    let now = Timestamp::from_seconds(request.now);
    let mut fetch = |requests: &[SeriesRequest]| {
        let answer = |it: &SeriesRequest| Ok::<_, Infallible>(stretch(&series, it));
        requests.iter().map(answer).collect()
    };
    let drawing = graph::draw(&arguments, now, &request.zone, &mut fetch);
    let drawing = drawing.map_err(|error| Error::Picture(error.to_string()))?;
    let media_type = match request.format {
        Format::Svg => "image/svg+xml",
        Format::Pdf => "application/pdf",
        _ => "image/png",
    };
    Ok(Answer::of(media_type, drawing.image))
}

/// No more points than pixels, consolidated as the series says.
fn narrow(series: &mut TimeSeries, width: usize) {
    let count = series.values.len().div_ceil(width.max(1));
    if count > 1 {
        let values = &series.values;
        series.values = series.consolidation.points(values, count, series.x_files_factor);
        series.step = series.step.saturating_mul(count as i64);
    }
}

/// A series from the request's start to its end.
fn stretch(series: &[TimeSeries], request: &SeriesRequest) -> Stretch {
    let query = request.query_in_seconds();
    let step = query.step_seconds.max(1) as i64;
    let one = request.rrd.parse().ok().and_then(|nth: usize| series.get(nth));
    let (start, step, held) = match one {
        Some(it) => (it.start, it.step, it.values.clone()),
        None => (query.start_seconds, step, Vec::new()),
    };
    let before = (start - query.start_seconds).max(0) / step + 1;
    let end = start + step * held.len() as i64;
    let after = (query.end_seconds - end).max(0) / step + 1;
    Stretch {
        tick: Tick::SECOND,
        start_seconds: start - before * step,
        end_seconds: end + after * step,
        step_seconds: step as u64,
        source_names: vec!["v".into()],
        rows: before as u64 + held.len() as u64 + after as u64,
        rows_before: before as u64,
        held,
    }
}

fn picture_side(parameters: &Parameters, name: &'static str, default: u32) -> Result<u32, Error> {
    let expected = "pixels from 10 to 4096";
    let side = parameters.number(name, expected)?.unwrap_or(default);
    match (10..=SIDE_MAX).contains(&side) {
        true => Ok(side),
        false => Err(Error::Parameter { name, expected, found: side.to_string() }),
    }
}

impl Picture {
    fn of(parameters: &Parameters, request: &Request<'_>) -> Result<Self, Error> {
        let (width, height) = (
            picture_side(parameters, "width", WIDTH)?,
            picture_side(parameters, "height", HEIGHT)?,
        );
        let format = match request.format {
            Format::Svg => "SVG",
            Format::Pdf => "PDF",
            _ => "PNG",
        };
        let mut words: Vec<String> =
            ["-D", "--disable-rrdtool-tag", "-a", format].map(Into::into).into();
        for (option, value) in [
            ("-w", width.to_string()),
            ("-h", height.to_string()),
            ("-s", request.start.to_string()),
            ("-e", request.end.to_string()),
        ] {
            words.extend([option.to_owned(), value]);
        }
        words.extend(labels(parameters)?);
        let only = parameters.is_set("graphOnly");
        if only {
            words.push("-j".to_owned());
        }
        let has_legend = !only && !parameters.is_set("hideLegend");
        if !has_legend {
            words.push("-g".to_owned());
        }
        Ok(Self {
            words,
            area_mode: area_mode(parameters)?,
            line_width: line_width(parameters)?,
            has_legend,
        })
    }

    fn add_all(&mut self, series: &[TimeSeries]) -> Result<(), Error> {
        self.words.push("COMMENT: \\l".to_owned());
        if series.is_empty() {
            self.words.push("COMMENT:No data\\c".to_owned());
            self.words.push("LINE:0#00000000".to_owned());
        }
        let mut cycle = color::CYCLE.iter().cycle();
        let mut stack = Vec::new();
        for (nth, one) in series.iter().enumerate() {
            if one.start < one.end {
                self.words.push(format!("DEF:s{nth}={nth}:v:AVERAGE"));
            }
            let given = one.look.color.as_deref();
            let color = given.or_else(|| cycle.next().copied()).unwrap_or("blue");
            let color = color::digits(color, one.look.alpha)?;
            let line = self.element(nth, one, &color, series);
            match one.look.is_stacked && !is_band(series, nth) {
                // Sums of more series are larger: they lie behind the others.
                true => stack.push(line),
                false => self.words.extend(line),
            }
        }
        self.words.extend(stack.into_iter().rev().flatten());
        Ok(())
    }

    /// The words for a series.
    fn element(
        &self,
        nth: usize,
        one: &TimeSeries,
        color: &str,
        series: &[TimeSeries],
    ) -> Vec<String> {
        let legend = self.legend(&one.name);
        if one.start == one.end {
            return vec![format!("VRULE:{}#{color}{legend}", one.start)];
        }
        if one.look.is_infinite {
            return vec![format!("TICK:s{nth}#{color}:1.0{legend}")];
        }
        if one.look.is_invisible {
            return vec![format!("AREA:s{nth}")];
        }
        // Where more words follow a legend, an empty one holds its place.
        let place = if legend.is_empty() { ":" } else { &legend };
        if is_band(series, nth) {
            return vec![
                format!("CDEF:b{nth}=s{nth},s{},-", nth - 1),
                format!("AREA:b{nth}#{color}{place}:STACK"),
            ];
        }
        match self.area_mode {
            AreaMode::Stacked if nth > 0 => vec![format!("AREA:s{nth}#{color}{place}:STACK")],
            AreaMode::First if nth > 0 => vec![self.line(nth, &one.look, color, place)],
            AreaMode::None if !one.look.is_stacked => {
                vec![self.line(nth, &one.look, color, place)]
            }
            _ => vec![format!("AREA:s{nth}#{color}{legend}")],
        }
    }

    /// A line; `place` is its legend, or a colon.
    fn line(&self, nth: usize, look: &Look, color: &str, place: &str) -> String {
        let width = look.line_width.filter(|it| it.is_finite()).unwrap_or(self.line_width);
        let dashes = look.dash_length.filter(|it| *it > 0.0);
        let dashes = dashes.map_or(String::new(), |length| format!(":dashes={length},{length}"));
        format!("LINE{}:s{nth}#{color}{place}{dashes}", width.clamp(0.1, 100.0))
    }

    /// A name as a legend on a line of its own.
    fn legend(&self, name: &str) -> String {
        if !self.has_legend || name.is_empty() {
            return String::new();
        }
        let escaped = name.replace('\\', "\\\\").replace(':', "\\:");
        format!(":{escaped}\\l")
    }
}

/// Whether a series is the upper edge of an area whose lower edge comes before it.
fn is_band(series: &[TimeSeries], nth: usize) -> bool {
    let before = nth.checked_sub(1).and_then(|before| series.get(before));
    let is_edge = before.is_some_and(|it| it.look.is_invisible);
    is_edge || series.get(nth).is_some_and(|it| it.look.is_invisible)
}

/// Titles, and the ends and the kind of the value axis.
fn labels(parameters: &Parameters) -> Result<Vec<String>, Error> {
    let mut words = Vec::new();
    for (option, name) in [("-t", "title"), ("-v", "vtitle")] {
        let text = parameters.get(name).filter(|it| !it.is_empty());
        words.extend(text.into_iter().flat_map(|it| [option.to_owned(), it.to_owned()]));
    }
    for (option, name) in [("-l", "yMin"), ("-u", "yMax")] {
        if let Some(value) = parameters.number::<f64>(name, "a number")? {
            words.extend(["-r".to_owned(), option.to_owned(), value.to_string()]);
        }
    }
    if parameters.get("logBase").is_some_and(|it| !it.is_empty()) {
        words.push("-o".to_owned());
    }
    Ok(words)
}

fn line_width(parameters: &Parameters) -> Result<f64, Error> {
    let given: Option<f64> = parameters.number("lineWidth", "a number")?;
    Ok(given.filter(|it| it.is_finite()).unwrap_or(LINE_WIDTH))
}

fn area_mode(parameters: &Parameters) -> Result<AreaMode, Error> {
    match parameters.get("areaMode").unwrap_or("none") {
        "none" | "" => Ok(AreaMode::None),
        "first" => Ok(AreaMode::First),
        "all" => Ok(AreaMode::All),
        "stacked" => Ok(AreaMode::Stacked),
        other => Err(Error::Parameter {
            name: "areaMode",
            expected: "none, first, all or stacked",
            found: other.to_owned(),
        }),
    }
}
