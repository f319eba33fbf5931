//! Areas, in one colour or fading from one to another.

use super::Painter;
use super::edge::runs;
use crate::arguments::Gradient;
use crate::color::Color;
use crate::curves::Curve;
use crate::scene::{Fade, Point, Primitive};

/// How far an area reaches beyond its value, pixels: without it the background shines through
/// between areas that lie on each other. rrdtool does the same.
const OVERLAP_PIXELS: f64 = 0.2;

/// One stretch of an area: its heights on the image at each pixel.
struct Stretch {
    first: usize,
    value: Vec<f64>,
    base: Vec<f64>,
}

impl Painter<'_> {
    pub(super) fn area(&mut self, curve: &Curve<'_>, color: Color, gradient: Option<Gradient>) {
        let base_y = self.base();
        let mut value = self.heights(&curve.upper);
        let base = match &curve.lower {
            Some(lower) => {
                let known = |y: f64| if y.is_nan() { base_y } else { y };
                self.heights(lower).into_iter().map(known).collect()
            }
            None => vec![base_y; value.len()],
        };
        // Where it has no height, an area ends: there is no slope from nothing.
        let columns = value.iter_mut().zip(&base);
        columns.filter(|(value, base)| value == base).for_each(|(value, _)| *value = f64::NAN);
        // A gradient is drawn column by column, with steps between them.
        let slope = self.plan.settings.slope && gradient.is_none();
        for run in runs(&value, slope) {
            let mut stretch = Stretch {
                first: *run.start(),
                value: value.get(run.clone()).unwrap_or_default().to_vec(),
                base: base.get(run).unwrap_or_default().to_vec(),
            };
            stretch.overlap();
            let heights = stretch.value.iter_mut().chain(&mut stretch.base);
            heights.for_each(|y| *y = self.fit.edge(*y, slope));
            match gradient {
                Some(gradient) => self.fading(&stretch, color, gradient),
                None => {
                    let points = self.outline(&stretch.value, &stretch.base, stretch.first, slope);
                    self.put(Primitive::Polygon { points, color, fade: None });
                }
            }
        }
    }

    /// The height of the base line: 0, or the limit that is nearer to it.
    fn base(&self) -> f64 {
        self.y(0.0_f64.clamp(self.axis.minimum, self.axis.maximum))
    }

    fn outline(&self, value: &[f64], base: &[f64], first: usize, slope: bool) -> Vec<Point> {
        let mut points = self.path(value, first, slope);
        points.extend(self.path(base, first, slope).into_iter().rev());
        points
    }

    /// A gradient begins at the value, so that each column has its own; neighbours of the same
    /// height are one.
    fn fading(&mut self, stretch: &Stretch, color: Color, gradient: Gradient) {
        let columns: Vec<Fade> = stretch
            .value
            .iter()
            .zip(&stretch.base)
            .map(|(value, base)| gradient.fade(*value, *base))
            .collect();
        let mut start = 0;
        for same in columns.chunk_by(|a, b| a == b) {
            let heights = start..start + same.len();
            let value = stretch.value.get(heights.clone()).unwrap_or_default();
            let base = stretch.base.get(heights).unwrap_or_default();
            let points = self.outline(value, base, stretch.first + start, false);
            self.put(Primitive::Polygon { points, color, fade: same.first().copied() });
            start += same.len();
        }
    }
}

impl Stretch {
    fn overlap(&mut self) {
        for (value, base) in self.value.iter_mut().zip(&mut self.base) {
            let outwards = if *value <= *base { OVERLAP_PIXELS } else { -OVERLAP_PIXELS };
            *value -= outwards;
            *base += outwards;
        }
    }
}

impl Gradient {
    /// Between which heights of the image the colour fades where the area has this value.
    fn fade(self, value_y: f64, base_y: f64) -> Fade {
        let (from_y, to_y) = match self.height_pixels {
            0.0 => (value_y, base_y),
            height if height > 0.0 => (value_y, value_y + height),
            height => (base_y + height, base_y),
        };
        Fade { color: self.base_color, from_y, to_y }
    }
}
