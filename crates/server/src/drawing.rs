//! Graphs for the pages: target -> rrdgraph arguments -> `graph` -> image.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::Path;

use graph::{Arguments, SeriesRequest, Undrawn};
use rrd::fetch::Query;
use rrd::{Series, Stretch, Timestamp, UNKNOWN};
use store::{Error, Wanted as Fetched};

use crate::Target;
use crate::extent::Extent;
use crate::graph_arguments::{Canvas, Paper, Size, build};
use crate::view::View;

/// The form of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Svg,
    Png,
}

impl Format {
    /// The format with this file name extension.
    pub(crate) fn named(name: &str) -> Option<Self> {
        match name {
            "svg" => Some(Self::Svg),
            "png" => Some(Self::Png),
            _ => None,
        }
    }

    /// The value for `--imgformat`.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Svg => "SVG",
            Self::Png => "PNG",
        }
    }

    pub(crate) fn media_type(self) -> &'static str {
        match self {
            Self::Svg => "image/svg+xml",
            Self::Png => "image/png",
        }
    }
}

/// A requested graph.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted<'a> {
    pub(crate) target: &'a Target,
    pub(crate) extent: Extent,
    pub(crate) canvas: Canvas,
    pub(crate) format: Format,
}

impl Wanted<'_> {
    fn arguments(&self) -> Vec<String> {
        let database = &self.target.database;
        build(self.target, database, self.extent, self.canvas, self.format.word())
    }

    /// An ETag that changes when the image would: with the database, with the settings, and when
    /// time has passed by a pixel. It is cheap to compute, and often saves a drawing.
    pub(crate) fn tag(&self, view: &View) -> String {
        let outline = view.store.outline(Path::new(&*self.target.database));
        let last_update = outline.map_or(Timestamp::default(), |outline| outline.last_update);
        let pixels = i64::from(self.target.look.width_pixels.max(1));
        let pixel_seconds = (self.extent.seconds() as i64 / pixels).max(1);
        let mut hasher = DefaultHasher::new();
        self.arguments().hash(&mut hasher);
        last_update.hash(&mut hasher);
        (view.now_seconds / pixel_seconds).hash(&mut hasher);
        format!("\"{:016x}\"", hasher.finish())
    }

    /// Draws the graph.
    ///
    /// # Errors
    ///
    /// The store does not answer, or the graph is refused.
    pub(crate) fn draw(&self, view: &View) -> Result<Vec<u8>, Undrawn<Error>> {
        draw(view, &self.arguments())
    }
}

/// Draws a graph of databases of the store.
///
/// # Errors
/// As [`Wanted::draw`].
pub(crate) fn draw(view: &View, arguments: &[String]) -> Result<Vec<u8>, Undrawn<Error>> {
    let now = Timestamp { seconds: view.now_seconds, micros: 0 };
    let mut fetch = |requests: &[SeriesRequest]| fetch(view, requests);
    let mut arguments = Arguments::read(arguments)?;
    arguments.find_fonts(systemfonts::FINDER);
    let drawing = graph::draw(&arguments, now, &view.zone, &mut fetch);
    drawing.map(|drawing| drawing.image)
}

/// Reads series from the store. A database that does not exist yet gives unknown values: its target
/// has not been polled so far, and its graphs are empty.
fn fetch(view: &View, requests: &[SeriesRequest]) -> Vec<Result<Stretch, Error>> {
    let wanted = requests
        .iter()
        .map(|request| Fetched { name: Path::new(&request.rrd), query: request.query() });
    let answers = view.store.fetch_all(&wanted.collect::<Vec<_>>());
    let answer = |(request, answer): (&SeriesRequest, Result<Stretch, Error>)| match answer {
        Err(error) if error.is_missing() => Ok(unknown(request).into()),
        answer => answer,
    };
    requests.iter().zip(answers).map(answer).collect()
}

/// One row of both sources, unknown.
fn unknown(request: &SeriesRequest) -> Series {
    let Query { tick, start_seconds, end_seconds, .. } = request.query_in_seconds();
    let span = end_seconds.saturating_sub(start_seconds);
    Series {
        tick,
        start_seconds,
        end_seconds,
        step_seconds: span.max(1).unsigned_abs(),
        source_names: vec!["ds0".to_owned(), "ds1".to_owned()],
        values: vec![UNKNOWN; 2],
    }
}

/// The command line that draws the same graph, for a shell.
pub(crate) fn command_line(target: &Target, extent: Extent) -> String {
    let canvas = Canvas { paper: Paper::Light, size: Size::Full };
    let arguments = build(target, &target.database_path(), extent, canvas, "PNG");
    let file = match extent {
        Extent::Last(period) => format!("{}.png", period.name()),
        Extent::Between(_) => "span.png".to_owned(),
    };
    command_of(target, &file, arguments)
}

/// A command line with these arguments, for the program that reads the store of a target.
pub(crate) fn command_of(target: &Target, file: &str, arguments: Vec<String>) -> String {
    let program = if target.store.is_ring { "gyre" } else { "rrdtool" };
    let mut command = format!("{program} graph {file}");
    for argument in arguments {
        command.push_str(" \\\n    ");
        command.push_str(&shell_quote(&argument));
    }
    command
}

/// Quotes an argument for a shell.
fn shell_quote(argument: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=./:,%".contains(c);
    if argument.chars().all(plain) {
        argument.to_owned()
    } else {
        format!("'{}'", argument.replace('\'', r"'\''"))
    }
}
