//! From values to a scene: what is drawn, and in which order.

mod fit;
mod edge;
mod area;
mod curves;
mod rules;
mod axes;
mod surroundings;

use fit::Fit;

use crate::calculate::Values;
use crate::curves::Curves;
use crate::layout::Layout;
use crate::legend::Legend;
use crate::plan::Plan;
use crate::scene::{Point, Primitive, Scene, Stroke, point};
use crate::time_window::TimeWindow;
use crate::value_axis::ValueAxis;

/// Builds the picture of a graph.
pub(crate) fn compose(
    plan: &Plan,
    values: &Values,
    curves: &Curves<'_>,
    axis: &ValueAxis,
    layout: &Layout,
    legend: &Legend,
) -> Scene {
    let fit = Fit::of(&plan.settings);
    let mut painter = Painter {
        plan,
        window: values.window,
        axis,
        layout,
        fit,
        primitives: Vec::with_capacity(256),
    };
    painter.background();
    painter.curves(curves);
    if !plan.settings.only_graph {
        painter.grid();
    }
    painter.rules(values);
    if !plan.settings.only_graph {
        painter.labels();
        painter.frame();
        painter.legend(legend);
    }
    let (width, height) = layout.image_pixels();
    Scene { width, height, primitives: painter.primitives, snap: plan.settings.grid_fit }
}

/// What the parts of the picture are painted with.
struct Painter<'a> {
    plan: &'a Plan,
    /// The time that is drawn.
    window: TimeWindow,
    axis: &'a ValueAxis,
    layout: &'a Layout,
    fit: Fit,
    primitives: Vec<Primitive>,
}

impl Painter<'_> {
    fn put(&mut self, primitive: Primitive) {
        self.primitives.push(primitive);
    }

    fn line(&mut self, from: Point, to: Point, stroke: Stroke) {
        self.put(Primitive::Polyline { points: vec![from, to], stroke });
    }

    fn clip(&mut self) {
        self.put(Primitive::Clip {
            at: point(self.layout.left, self.layout.top - 1.0),
            width: self.layout.width,
            height: self.layout.height + 2.0,
        });
    }

    /// The height of a value on the image. An infinite one lies on the limit that it passes.
    fn y(&self, value: f64) -> f64 {
        let share = match value {
            f64::INFINITY => 1.0,
            f64::NEG_INFINITY => 0.0,
            value => self.axis.share(value).clamp(-1e9, 1e9),
        };
        self.layout.bottom() - share * self.layout.height
    }

    /// The position of a moment, in ticks, on whole pixels.
    fn x(&self, seconds: f64) -> f64 {
        let span = (self.window.end_seconds - self.window.start_seconds).max(1) as f64;
        // In this order of operations lines fall on rrdtool's pixels.
        let pixels = self.layout.width / span * (seconds - self.window.start_seconds as f64);
        (self.layout.left + pixels).floor()
    }
}
