//! The edges of curves: from one value a pixel to the points of a path.

use std::ops::RangeInclusive;

use super::Painter;
use crate::scene::{Point, point};

/// How far outside the canvas the points of a path may lie. More is not seen, and renderers
/// calculate with few digits.
const BEYOND_PIXELS: f64 = 1000.0;

impl Painter<'_> {
    /// The heights of values on the image. Infinite values lie on the limits, as in rrdtool.
    pub(super) fn heights(&self, values: &[f64]) -> Vec<f64> {
        values.iter().map(|value| self.y(*value)).collect()
    }

    /// The path through heights, the first of which belongs to the pixel `first`: a step at each
    /// change, or a straight line from pixel to pixel.
    pub(super) fn path(&self, heights: &[f64], first: usize, slope: bool) -> Vec<Point> {
        let left = self.layout.left + first as f64;
        let columns = heights.iter().zip(0_u32..);
        let columns = columns.map(|(y, nth)| point(left + f64::from(nth), *y));
        let points = if slope { slopes(columns) } else { steps(columns) };
        let band = self.layout.top - BEYOND_PIXELS..=self.layout.bottom() + BEYOND_PIXELS;
        within(points, &band)
    }
}

/// The stretches of known values. A step begins at the pixel before its value, so that pixel 0
/// starts none; a slope needs two pixels.
pub(super) fn runs(values: &[f64], slope: bool) -> Vec<RangeInclusive<usize>> {
    let (from, shortest) = if slope { (0, 2) } else { (1, 1) };
    let mut runs = Vec::new();
    let mut start = None;
    for pixel in from..=values.len() {
        let known = values.get(pixel).is_some_and(|value| !value.is_nan());
        match (known, start) {
            (true, None) => start = Some(pixel),
            (false, Some(first)) => {
                if pixel - first >= shortest {
                    runs.push(first..=pixel - 1);
                }
                start = None;
            }
            _ => {}
        }
    }
    runs
}

fn steps(columns: impl Iterator<Item = Point>) -> Vec<Point> {
    let mut points: Vec<Point> = Vec::new();
    for to in columns {
        match points.last_mut() {
            Some(before) if before.y == to.y => before.x = to.x,
            _ => points.extend([point(to.x - 1.0, to.y), to]),
        }
    }
    points
}

/// Of pixels at one height in a row, both ends are kept.
fn slopes(columns: impl Iterator<Item = Point>) -> Vec<Point> {
    let mut points: Vec<Point> = Vec::new();
    for to in columns {
        match points.as_mut_slice() {
            [.., first, last] if first.y == to.y && last.y == to.y => last.x = to.x,
            _ => points.push(to),
        }
    }
    points
}

/// The part of a path that lies between two heights; what leaves them runs along them.
fn within(points: Vec<Point>, band: &RangeInclusive<f64>) -> Vec<Point> {
    if points.iter().all(|at| band.contains(&at.y)) {
        return points;
    }
    let mut inside: Vec<Point> = Vec::with_capacity(points.len() + 2);
    let mut before: Option<Point> = None;
    for to in points {
        if let Some(from) = before {
            let mut crossings = [*band.start(), *band.end()];
            if to.y < from.y {
                crossings.reverse();
            }
            inside.extend(crossings.into_iter().filter_map(|y| crossing(from, to, y)));
        }
        inside.push(point(to.x, to.y.clamp(*band.start(), *band.end())));
        before = Some(to);
    }
    inside
}

/// Where a line crosses a height between its ends.
fn crossing(from: Point, to: Point, y: f64) -> Option<Point> {
    if (from.y < y) == (to.y < y) {
        return None;
    }
    let share = (y - from.y) / (to.y - from.y);
    Some(point(from.x + (to.x - from.x) * share, y))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(heights: &[f64]) -> impl Iterator<Item = Point> {
        heights.iter().zip(1_u32..).map(|(y, x)| point(f64::from(x), *y))
    }

    #[test]
    fn a_flat_stretch_keeps_both_ends() {
        let flat = slopes(columns(&[7.0; 5]));
        assert_eq!(flat, [point(1.0, 7.0), point(5.0, 7.0)]);
        let hill = slopes(columns(&[7.0, 7.0, 7.0, 3.0, 3.0, 7.0]));
        let corners = [(1.0, 7.0), (3.0, 7.0), (4.0, 3.0), (5.0, 3.0), (6.0, 7.0)];
        assert_eq!(hill, corners.map(|(x, y)| point(x, y)));
        let stairs = steps(columns(&[7.0, 7.0, 3.0]));
        let corners = [(0.0, 7.0), (2.0, 7.0), (2.0, 3.0), (3.0, 3.0)];
        assert_eq!(stairs, corners.map(|(x, y)| point(x, y)));
    }

    #[test]
    fn a_slope_that_leaves_the_image_keeps_its_direction() {
        let points = vec![point(0.0, 5.0), point(1.0, -1e9), point(2.0, 1e9), point(3.0, 5.0)];
        let inside = within(points, &(-5.0..=15.0));
        assert!(inside.iter().all(|at| (-5.0..=15.0).contains(&at.y)), "{inside:?}");
        assert!(inside.is_sorted_by(|a, b| a.x <= b.x), "{inside:?}");
        assert!((inside[1].x - 1e-8).abs() < 1e-12, "{inside:?}");
        assert_eq!(inside.len(), 8);
    }
}
