//! The one door: arguments in, image out.

use jiff::tz::TimeZone;
use rrd::{Stretch, Timestamp};

use crate::arguments::{Arguments, Element, Format};
use crate::calculate::Values;
use crate::compose::compose;
use crate::curves::Curves;
use crate::format::Scale;
use crate::layout::Layout;
use crate::legend::{Collector, Legend};
use crate::plan::{Plan, SeriesRequest};
use crate::value_axis::ValueAxis;
use crate::{Error, Undrawn};
use crate::{png, svg};

/// A graph, drawn.
#[derive(Clone, Debug)]
pub struct Drawing {
    /// The bytes of the image; empty if nothing was to be drawn.
    pub image: Vec<u8>,
    /// `image/png` or `image/svg+xml`.
    pub media_type: &'static str,
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
    let plan = Plan::new(arguments, now, zone)?;
    let requests = plan.requests();
    let answers = requests.iter().zip(fetch(requests)).map(|(request, answer)| match answer {
        Err(_) if plan.settings.missing_is_unknown => Ok(request.unknown()),
        answer => answer.map_err(Undrawn::Fetch),
    });
    Ok(plan.draw(&answers.collect::<Result<Vec<_>, _>>()?)?)
}

impl Plan {
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
        let mut printed = Vec::new();
        let collector = Collector { plan: self, values: &values, scale: Scale::default() };
        let legend = collector.lay_out(Layout::image_width(settings), &mut printed)?;
        let layout = Layout::new(settings, &legend);
        let curves = Curves::sample(self, &values, layout.width as usize);
        let axis = ValueAxis::fit(settings, curves.smallest, curves.largest);
        let mut drawing = self.drawing(&layout, &axis, &legend, printed);
        if self.draws_something() {
            let scene = compose(self, &values, &curves, &axis, &layout, &legend);
            (drawing.width, drawing.height) = (scene.width, scene.height);
            drawing.image = match settings.format {
                Format::Svg => svg::render(&scene, settings.zoom),
                Format::Png => png::render(&scene, settings.zoom, settings.antialias)?,
            };
        }
        Ok(drawing)
    }

    fn draws_something(&self) -> bool {
        let drawn = |element: &Element| matches!(element, Element::Shape(_) | Element::Rule(_));
        self.script.elements.iter().any(drawn)
    }

    fn drawing(
        &self,
        layout: &Layout,
        axis: &ValueAxis,
        legend: &Legend,
        printed: Vec<String>,
    ) -> Drawing {
        let shown = self.settings.legend && !self.settings.only_graph;
        let entries = legend.entries.iter().filter(|_| shown).map(|entry| LegendText {
            text: entry.text.clone(),
            left: layout.legend_x + entry.x,
            right: layout.legend_x + entry.x + entry.width,
            middle: layout.legend_y + entry.y,
        });
        Drawing {
            image: Vec::new(),
            media_type: match self.settings.format {
                Format::Svg => "image/svg+xml",
                Format::Png => "image/png",
            },
            width: 0,
            height: 0,
            printed,
            value_min: axis.minimum,
            value_max: axis.maximum,
            start_seconds: self.start_seconds,
            end_seconds: self.end_seconds,
            graph_left: layout.left as u32,
            graph_top: layout.top as u32,
            graph_width: layout.width as u32,
            graph_height: layout.height as u32,
            legend: entries.collect(),
        }
    }
}
