//! The one door: arguments in, image out.

use std::convert::Infallible;

use jiff::tz::TimeZone;
use rrd::{Stretch, Tick, Timestamp};

use crate::arguments::{Arguments, Format, TimeGrid};
use crate::calculate::Values;
use crate::compose::compose;
use crate::curves::Curves;
use crate::export::NoteKind;
use crate::font::PANGO_UNITS;
use crate::format::Scale;
use crate::layout::Layout;
use crate::legend::{Collector, Legend, foot};
use crate::plan::Plan;
use crate::series_request::SeriesRequest;
use crate::table::TableForm;
use crate::table_markup::Markup;
use crate::text::Reach;
use crate::time_window::TimeWindow;
use crate::value_axis::ValueAxis;
use crate::{Error, Undrawn};
use crate::{eps, pdf, png, svg};

/// A graph, drawn.
#[derive(Clone, Debug)]
pub struct Drawing {
    /// The bytes of the image; empty if nothing was to be drawn.
    pub image: Vec<u8>,
    /// The type of the image's bytes, as `image/png`.
    pub media_type: &'static str,
    /// Whether the bytes are a table, and of which stretch of time: nothing else is then known.
    pub table: Option<TableWindow>,
    /// Whether the image that is there was kept: neither bytes nor limits nor legend are known.
    pub is_kept: bool,
    /// The width of the image before zoom, pixels: what `rrdtool graph` prints.
    pub width: u32,
    /// The height of the image before zoom, pixels.
    pub height: u32,
    /// The lines of the PRINT elements.
    pub printed: Vec<String>,
    /// The lower limit of the value axis.
    pub value_min: f64,
    /// The upper limit of the value axis.
    pub value_max: f64,
    /// What its times are counted in: where it is no second, "seconds" are ticks.
    pub tick: Tick,
    /// The start of the time axis, seconds.
    pub start_seconds: i64,
    /// The end of the time axis, seconds.
    pub end_seconds: i64,
    /// The left edge of the canvas, pixels.
    pub graph_left: u32,
    /// The top edge of the canvas, pixels.
    pub graph_top: u32,
    /// The width of the canvas, pixels.
    pub graph_width: u32,
    /// The height of the canvas, pixels.
    pub graph_height: u32,
    /// The texts of the legend, in order.
    pub legend: Vec<LegendText>,
}

/// The rows of a table that stands in an image's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableWindow {
    /// What it is counted in: where it is no second, "seconds" are ticks.
    pub tick: Tick,
    /// Where the first row begins, seconds.
    pub start_seconds: i64,
    /// Where the last row ends, seconds.
    pub end_seconds: i64,
    /// The length of a row.
    pub step_seconds: u64,
}

/// A text of the legend and the pixels that it covers.
#[derive(Clone, Debug, PartialEq)]
pub struct LegendText {
    /// The text.
    pub text: String,
    /// The left edge, pixels.
    pub left: f64,
    /// The right edge, pixels.
    pub right: f64,
    /// The middle of its line, pixels.
    pub middle: f64,
    /// The height of its line, pixels.
    pub height: f64,
}

/// Answers requests, each in its place.
pub type Fetch<'f, F> = dyn FnMut(&[SeriesRequest]) -> Vec<Result<Stretch, F>> + 'f;

/// Draws the graph that `rrdtool graph FILE arguments…` would draw.
///
/// `fetch` is handed all distinct requests at once, and answers each, in their order.
///
/// # Errors
/// One [`Error`] with rrdtool's words where it has them; or what `fetch` fails with.
pub fn draw<F>(
    arguments: &Arguments<'_>,
    now: Timestamp,
    zone: &TimeZone,
    fetch: &mut Fetch<'_, F>,
) -> Result<Drawing, Undrawn<F>> {
    Plan::new(arguments, now, zone)?.draw_fetched_by(fetch)
}

impl Plan {
    /// What `--imginfo` tells, of the image's file.
    #[must_use]
    pub fn image_info(&self, name: &str, drawing: &Drawing) -> Option<String> {
        let name = match name {
            "-" => "memory",
            path => path.rsplit('/').next().unwrap_or(path),
        };
        let zoomed = |pixels: u32| (f64::from(pixels) * self.settings.zoom) as u64;
        let info = self.settings.image_info.as_ref()?;
        Some(info.text(name, zoomed(drawing.width), zoomed(drawing.height)))
    }

    /// Fetches what the plan needs, and draws it.
    ///
    /// # Errors
    /// As with [`draw`].
    pub fn draw_fetched_by<F>(&self, fetch: &mut Fetch<'_, F>) -> Result<Drawing, Undrawn<F>> {
        let requests = self.requests();
        let answers = requests.iter().zip(fetch(requests)).map(|(request, answer)| match answer {
            Err(_) if self.settings.missing_is_unknown => Ok(request.unknown()),
            answer => answer.map_err(Undrawn::Fetch),
        });
        Ok(self.draw(&answers.collect::<Result<Vec<_>, _>>()?)?)
    }

    /// Draws the plan with the answers to its requests, one for each, in order.
    ///
    /// # Errors
    /// [`Error::Fetch`] if an answer is missing or lacks a source, [`Error::Rpn`] and
    /// [`Error::Element`] for what only data can show.
    pub fn draw(&self, fetched: &[Stretch]) -> Result<Drawing, Error> {
        if fetched.len() != self.requests().len() {
            return Err(Error::Fetch("a request was not answered".into()));
        }
        let values = Values::calculate(self, fetched)?;
        let settings = &self.settings;
        if let Format::Table { markup, with_time } = settings.format {
            return self.draw_table(&values, markup, with_time || settings.json_times);
        }
        let mut printed = Vec::new();
        let collector = Collector { plan: self, values: &values, scale: Scale::default() };
        let legend = collector.lay_out(Layout::image_width(settings), &mut printed)?;
        let layout = Layout::new(settings, &legend);
        let curves = Curves::sample(self, &values, layout.width as usize);
        let axis = ValueAxis::fit(settings, curves.smallest, curves.largest);
        let mut drawing = self.drawing(values.window, &layout, &axis, &legend, printed);
        if !self.draws_something() {
            return Ok(drawing);
        }
        (drawing.width, drawing.height) = layout.image_pixels();
        self.check_pixels(drawing.width.into(), drawing.height.into())?;
        drawing.is_kept = self.keeps_image;
        if !self.keeps_image {
            let scene = compose(self, &values, &curves, &axis, &layout, &legend);
            drawing.image = match settings.format {
                Format::Svg => svg::render(&scene, settings.zoom),
                Format::Pdf => pdf::render(&scene, settings.zoom),
                Format::Eps => eps::render(&scene, settings.zoom),
                _ => png::render(&scene, settings.look())?,
            };
        }
        Ok(drawing)
    }

    /// The series of the graph as a table, in the place of an image.
    fn draw_table(
        &self,
        values: &Values,
        markup: Markup,
        with_time: bool,
    ) -> Result<Drawing, Error> {
        let export = self.drawn_table(values)?;
        let time_format = match &self.settings.time_grid {
            TimeGrid::Custom { format, .. } => Some(format.clone()),
            _ => None,
        };
        let form = TableForm { markup, with_time, time_format };
        let mut image = Vec::new();
        let Ok(()) = export.write(&form, &self.zone, &mut image, &mut |_| Ok::<(), Infallible>(()));
        let window = TableWindow {
            tick: export.tick,
            start_seconds: export.start_seconds,
            end_seconds: export.end_seconds,
            step_seconds: export.step_seconds,
        };
        let prints = export.notes.into_iter().filter(|note| note.kind == NoteKind::Print);
        Ok(Drawing {
            image,
            printed: prints.map(|note| note.text).collect(),
            table: Some(window),
            ..self.blank(values.window)
        })
    }

    /// A drawing of nothing.
    fn blank(&self, window: TimeWindow) -> Drawing {
        let TimeWindow { tick, start_seconds, end_seconds } = window;
        Drawing {
            image: Vec::new(),
            media_type: self.settings.format.media_type(),
            table: None,
            is_kept: false,
            width: 0,
            height: 0,
            printed: Vec::new(),
            value_min: f64::NAN,
            value_max: f64::NAN,
            tick,
            start_seconds,
            end_seconds,
            graph_left: 0,
            graph_top: 0,
            graph_width: 0,
            graph_height: 0,
            legend: Vec::new(),
        }
    }

    fn drawing(
        &self,
        window: TimeWindow,
        layout: &Layout,
        axis: &ValueAxis,
        legend: &Legend,
        printed: Vec<String>,
    ) -> Drawing {
        let shown = self.settings.legend && !self.settings.only_graph;
        let (points, zoom) = (self.settings.fonts.legend.points, self.settings.zoom);
        let entries = legend.entries.iter().filter(|_| shown).map(|entry| {
            let Reach { above, below } = entry.line.reach();
            let height = above + below;
            LegendText {
                text: entry.text.clone(),
                left: layout.legend_x + entry.x,
                // Texts are placed without zoom, and drawn with it.
                right: layout.legend_x + entry.x + whole_pixels(entry.line.zoomed(zoom).width()),
                middle: layout.legend_y + entry.y + foot(points) - height / 2.0,
                height,
            }
        });
        Drawing {
            printed,
            value_min: axis.minimum,
            value_max: axis.maximum,
            graph_left: layout.left as u32,
            graph_top: layout.top as u32,
            graph_width: layout.width as u32,
            graph_height: layout.height as u32,
            legend: entries.collect(),
            ..self.blank(window)
        }
    }
}

/// The pixels that a width takes, of which Pango counts 1,024ths.
fn whole_pixels(width: f64) -> f64 {
    ((width * PANGO_UNITS).round() / PANGO_UNITS).ceil()
}
