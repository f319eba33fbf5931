//! A line of steps over two plain axes that begin at zero: how many have a value or less.

use crate::Error;
use crate::color::Color;
use crate::font::Size;
use crate::scene::{Anchor, Point, Primitive, Scene, Stroke, point};
use crate::{png, svg};

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = WIDTH - 24.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = HEIGHT - 56.0;
/// Lines of the grid, about, along each axis.
const LINES: f64 = 6.0;

const WHITE: Color = Color::rgba(255, 255, 255, 255);
const INK: Color = Color::rgba(40, 40, 40, 255);
const GRID: Color = Color::rgba(224, 224, 224, 255);
const CURVE: Color = Color::rgba(0, 96, 176, 255);

/// A plot of steps.
#[derive(Clone, Debug, PartialEq)]
pub struct StepPlot {
    /// What stands above it.
    pub title: String,
    /// What the horizontal axis counts, and in what.
    pub x_label: String,
    /// What the vertical axis counts, and in what.
    pub y_label: String,
    /// The upper end of the vertical axis.
    pub y_max: f64,
    /// From each x on, the line stands at y, until the next; x ascend and are not negative. Before
    /// the first it stands at zero.
    pub steps: Vec<(f64, f64)>,
}

impl StepPlot {
    /// The plot as SVG.
    #[must_use]
    pub fn svg(&self) -> Vec<u8> {
        svg::render(&self.scene(), 1.0)
    }

    /// The plot as PNG.
    ///
    /// # Errors
    /// The picture cannot be packed.
    pub fn png(&self) -> Result<Vec<u8>, Error> {
        png::render(&self.scene(), 1.0, true)
    }

    fn scene(&self) -> Scene {
        let at = point(0.0, 0.0);
        let back = Primitive::Rect { at, width: WIDTH, height: HEIGHT, color: WHITE };
        let mut primitives = vec![back];
        self.draw_grid(&mut primitives);
        let stroke = Stroke::solid(CURVE, 2.0);
        primitives.push(Primitive::Polyline { points: self.curve(), stroke });
        self.draw_words(&mut primitives);
        Scene { width: WIDTH as u32, height: HEIGHT as u32, primitives }
    }

    fn x_max(&self) -> f64 {
        let last = self.steps.last().map_or(0.0, |(x, _)| *x);
        let step = round_step(last.max(1.0) / LINES);
        // The last step is to be seen: the axis goes on behind it.
        ((last.max(1.0) * 1.02) / step).ceil() * step
    }

    fn place(&self, x: f64, y: f64) -> Point {
        let right = LEFT + (RIGHT - LEFT) * x / self.x_max();
        point(right, BOTTOM - (BOTTOM - TOP) * (y / self.y_max).clamp(0.0, 1.0))
    }

    fn curve(&self) -> Vec<Point> {
        let mut points = vec![self.place(0.0, 0.0)];
        let mut height = 0.0;
        for (x, y) in &self.steps {
            points.push(self.place(*x, height));
            points.push(self.place(*x, *y));
            height = *y;
        }
        points.push(self.place(self.x_max(), height));
        points
    }

    fn draw_grid(&self, out: &mut Vec<Primitive>) {
        let (x_max, y_max) = (self.x_max(), self.y_max);
        for x in ticks(x_max) {
            let color = if x == 0.0 { INK } else { GRID };
            out.push(line(self.place(x, 0.0), self.place(x, y_max), color));
            let at = self.place(x, 0.0);
            out.push(text(point(at.x, at.y + 16.0), &number(x), Anchor::Middle, 0));
        }
        for y in ticks(y_max) {
            let color = if y == 0.0 { INK } else { GRID };
            out.push(line(self.place(0.0, y), self.place(x_max, y), color));
            let at = self.place(0.0, y);
            out.push(text(point(at.x - 6.0, at.y + 4.0), &number(y), Anchor::End, 0));
        }
    }

    fn draw_words(&self, out: &mut Vec<Primitive>) {
        let middle = (LEFT + RIGHT) / 2.0;
        out.push(text(point(middle, TOP - 16.0), &self.title, Anchor::Middle, 0));
        out.push(text(point(middle, HEIGHT - 14.0), &self.x_label, Anchor::Middle, 0));
        let half = (TOP + BOTTOM) / 2.0;
        out.push(text(point(18.0, half), &self.y_label, Anchor::Middle, -90));
    }
}

fn line(from: Point, to: Point, color: Color) -> Primitive {
    Primitive::Polyline { points: vec![from, to], stroke: Stroke::solid(color, 1.0) }
}

fn text(at: Point, text: &str, anchor: Anchor, degrees: i32) -> Primitive {
    let size = Size::from_points(8.0);
    Primitive::Text { at, text: text.into(), size, color: INK, anchor, degrees }
}

/// From zero to `most`, both included if a round step meets it.
fn ticks(most: f64) -> impl Iterator<Item = f64> {
    let step = round_step(most / LINES);
    (0..).map(move |nth| f64::from(nth) * step).take_while(move |at| *at <= most * 1.000_001)
}

/// The next larger of 1, 2 and 5 times a power of ten, at least one.
fn round_step(least: f64) -> f64 {
    let power = 10_f64.powf(least.max(1.0).log10().floor());
    let fits = |factor: &f64| factor * power >= least * 0.999_999;
    [1.0, 2.0, 5.0, 10.0].into_iter().find(fits).unwrap_or(10.0) * power
}

/// A whole number with commas between thousands.
pub(crate) fn number(value: f64) -> String {
    let digits = format!("{value:.0}");
    let mut text = String::new();
    for (nth, digit) in digits.chars().enumerate() {
        if nth > 0 && (digits.len() - nth).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{BOTTOM, LEFT, StepPlot, TOP, number, round_step, ticks};

    fn plot(steps: &[(f64, f64)]) -> StepPlot {
        StepPlot {
            title: "Files".into(),
            x_label: "pages".into(),
            y_label: "percent".into(),
            y_max: 100.0,
            steps: steps.to_vec(),
        }
    }

    #[test]
    fn the_line_climbs_at_its_steps() {
        let plot = plot(&[(0.0, 25.0), (8.0, 100.0)]);
        let curve = plot.curve();
        assert_eq!((curve[0].x, curve[0].y), (LEFT, BOTTOM));
        assert!(curve.windows(2).all(|pair| pair[0].x == pair[1].x || pair[0].y == pair[1].y));
        assert_eq!(curve.last().unwrap().y, TOP);
        assert_eq!(plot.x_max(), 10.0);
    }

    #[test]
    fn axes_have_round_numbers() {
        assert_eq!([0.2, 1.0, 1.3, 3.0, 70.0].map(round_step), [1.0, 1.0, 2.0, 5.0, 100.0]);
        assert_eq!(ticks(100.0).collect::<Vec<_>>(), [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]);
        assert_eq!(number(1_234_567.0), "1,234,567");
    }

    #[test]
    fn both_pictures_are_drawn() {
        for plot in [plot(&[]), plot(&[(3.0, 40.0), (26.0, 100.0)]), plot(&[(1e12, 100.0)])] {
            let svg = String::from_utf8(plot.svg()).unwrap();
            assert!(svg.starts_with("<svg") && svg.contains("percent") && !svg.contains("NaN"));
            assert!(plot.png().unwrap().starts_with(b"\x89PNG"));
        }
    }
}
