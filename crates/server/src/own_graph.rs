//! The graph of a series of the program's own.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::Path;

use graph::{Arguments, SeriesRequest, Undrawn};
use rrd::Timestamp;
use store::{Error, Wanted};

use crate::drawing::Format;
use crate::graph_arguments::{Canvas, Size, escape_colons, inks};
use crate::own::{OwnSeries, OwnSource};
use crate::period::Period;
use crate::view::View;

const WIDTH_PIXELS: u32 = 400;
const NARROW_WIDTH_PIXELS: u32 = 280;
const HEIGHT_PIXELS: u32 = 100;
/// The ink of a third value, on either background.
const THIRD_INK: &str = "#C98A00";

/// Draws it.
///
/// # Errors
/// The store does not answer, or the graph is refused.
pub(crate) fn draw(
    view: &View,
    series: &OwnSeries,
    period: Period,
    canvas: Canvas,
    format: Format,
) -> Result<Vec<u8>, Undrawn<Error>> {
    let now = Timestamp { seconds: view.now_seconds, micros: 0 };
    let mut fetch = |requests: &[SeriesRequest]| {
        let wanted = requests
            .iter()
            .map(|request| Wanted { name: Path::new(&request.rrd), query: request.query() });
        view.store.fetch_all(&wanted.collect::<Vec<_>>())
    };
    let arguments = arguments(series, period, canvas, format);
    let mut arguments = Arguments::read(&arguments)?;
    arguments.find_fonts(systemfonts::FINDER);
    graph::draw(&arguments, now, &view.zone, &mut fetch).map(|drawing| drawing.image)
}

/// An ETag that changes with the database's last update.
pub(crate) fn tag(view: &View, series: &OwnSeries, period: Period, canvas: Canvas) -> String {
    let outline = view.store.outline(Path::new(&*series.database));
    let last_update = outline.map_or(Timestamp::default(), |outline| outline.last_update);
    let mut hasher = DefaultHasher::new();
    arguments(series, period, canvas, Format::Svg).hash(&mut hasher);
    last_update.hash(&mut hasher);
    format!("\"{:016x}\"", hasher.finish())
}

/// The arguments of `rrdtool graph`, without the image's file name.
fn arguments(series: &OwnSeries, period: Period, canvas: Canvas, format: Format) -> Vec<String> {
    let inks = inks(canvas.paper);
    let width = if canvas.size == Size::Narrow { NARROW_WIDTH_PIXELS } else { WIDTH_PIXELS };
    let mut arguments = vec![
        format!("--start=end-{}s", period.span_seconds()),
        "--end=now".to_owned(),
        format!("--width={width}"),
        format!("--height={HEIGHT_PIXELS}"),
        "--lower-limit=0".to_owned(),
        "--border=0".to_owned(),
        "--disable-rrdtool-tag".to_owned(),
        format!("--imgformat={}", format.word()),
    ];
    arguments.extend(inks.frame.iter().map(|ink| format!("--color={ink}")));
    let all = [inks.areas[0], inks.areas[1], THIRD_INK];
    let database = escape_colons(&series.database);
    for (nth, (source, ink)) in series.sources.iter().zip(all).enumerate() {
        arguments.extend(line(nth, source, &database, ink));
    }
    arguments
}

fn line(nth: usize, source: &OwnSource, database: &str, ink: &str) -> Vec<String> {
    let OwnSource { name, label } = source;
    let shape = if nth == 0 { "AREA" } else { "LINE1" };
    let mut elements = vec![
        format!("DEF:v{nth}={database}:{name}:AVERAGE"),
        format!("DEF:m{nth}={database}:{name}:MAX"),
        format!("{shape}:v{nth}{ink}:{label:<10}"),
    ];
    let numbers = [("m", "MAX", "Max"), ("v", "AVERAGE", "Average"), ("v", "LAST", "Current")];
    let number = |(rows, cf, words)| format!("GPRINT:{rows}{nth}:{cf}:{words} %6.2lf%s");
    elements.extend(numbers.map(number));
    if let Some(last) = elements.last_mut() {
        last.push_str("\\l");
    }
    elements
}
