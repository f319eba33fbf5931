//! The graph of one data source.

use graph::{Arguments, SeriesRequest, Undrawn};
use rrd::{ConsolidationFunction, Stretch, Timestamp};

use super::{TreeContext, Unanswered};
use crate::charts::function;
use crate::drawing::Format;
use crate::extent::Extent;
use crate::graph_arguments::{Canvas, Size, escape_colons, inks};

const WIDTH_PIXELS: u32 = 400;
const NARROW_WIDTH_PIXELS: u32 = 280;
const HEIGHT_PIXELS: u32 = 100;

/// A requested graph.
pub(super) struct Wanted<'a> {
    pub(super) name: &'a str,
    pub(super) source: &'a str,
    pub(super) extent: Extent,
    pub(super) canvas: Canvas,
    pub(super) format: Format,
}

impl Wanted<'_> {
    /// Draws it.
    ///
    /// # Errors
    ///
    /// There is no such database or data source, the database cannot be read, or the graph is
    /// refused.
    pub(super) fn draw(&self, context: &TreeContext) -> Result<Vec<u8>, Unanswered> {
        let definition = context.tree.outline(self.name)?.definition;
        if !definition.sources.iter().any(|source| source.name == self.source) {
            return Err(Unanswered::Missing);
        }
        let cf = function(&definition).ok_or(Unanswered::NotDrawable)?;
        let now = Timestamp { seconds: (context.now)(), micros: 0 };
        let mut fetch = |requests: &[SeriesRequest]| {
            requests.iter().map(|request| self.fetch(context, request)).collect()
        };
        let arguments = self.arguments(cf);
        let mut arguments = Arguments::read(&arguments)?;
        arguments.find_fonts(systemfonts::FINDER);
        let drawing = graph::draw(&arguments, now, &context.zone, &mut fetch);
        drawing.map(|it| it.image).map_err(|undrawn| match undrawn {
            Undrawn::Graph(refused) => refused.into(),
            Undrawn::Fetch(unanswered) => unanswered,
        })
    }

    fn fetch(&self, context: &TreeContext, request: &SeriesRequest) -> Result<Stretch, Unanswered> {
        context.tree.fetch(self.name, &request.query())
    }

    /// The arguments of `rrdtool graph`, without the image's file name.
    fn arguments(&self, cf: ConsolidationFunction) -> Vec<String> {
        let inks = inks(self.canvas.paper);
        let width =
            if self.canvas.size == Size::Narrow { NARROW_WIDTH_PIXELS } else { WIDTH_PIXELS };
        let mut arguments = Vec::from(self.extent.options());
        arguments.extend([
            format!("--width={width}"),
            format!("--height={HEIGHT_PIXELS}"),
            "--border=0".to_owned(),
            "--disable-rrdtool-tag".to_owned(),
            format!("--imgformat={}", self.format.word()),
        ]);
        arguments.extend(inks.frame.iter().map(|ink| format!("--color={ink}")));
        let (name, source) = (escape_colons(self.name), self.source);
        arguments.push(format!("DEF:v={name}:{source}:{cf}"));
        arguments.push(format!("LINE1:v{}:{source}", inks.areas[1]));
        let numbers = [("MAX", "Max"), ("AVERAGE", "Average"), ("LAST", "Current")];
        let number = |(cf, words)| format!("GPRINT:v:{cf}:{words} %.2lf %s");
        arguments.extend(numbers.map(number));
        arguments
    }
}
