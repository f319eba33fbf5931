//! Curves and bars, drawn as SVG.

use std::fmt::Write as _;

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 440.0;
const LEFT: f64 = 66.0;
const RIGHT: f64 = 230.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 64.0;
const COLOURS: [&str; 10] = [
    "#c1272d", "#0072b2", "#008a5e", "#d98200", "#8e44ad", "#00838f", "#555555", "#c2185b",
    "#6d8b00", "#7b5137",
];

/// One picture.
#[derive(Clone, Debug)]
pub struct Plot {
    pub(crate) title: String,
    pub(crate) x: String,
    pub(crate) y: String,
    pub(crate) shape: Shape,
    pub(crate) series: Vec<Series>,
}

/// What is drawn of each point.
#[derive(Clone, Debug)]
pub(crate) enum Shape {
    /// A line through all of them.
    Lines,
    /// A bar beside those of other series; the groups' names, x counts them from 0.
    Bars(Vec<String>),
    /// A line through all of them, both axes by powers of ten.
    Logarithmic,
    /// A line, x being seconds of a day.
    Day,
}

/// Points of one kind.
#[derive(Clone, Debug)]
pub(crate) struct Series {
    pub(crate) name: String,
    pub(crate) points: Vec<[f64; 2]>,
    /// Drawn with gaps: what nobody measured.
    pub(crate) is_dashed: bool,
}

impl Plot {
    /// The picture.
    #[must_use]
    pub fn svg(&self) -> String {
        let axes = Axes::of(self);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{HEIGHT}\" \
             viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"DejaVu Sans, sans-serif\" \
             font-size=\"12\">\n<rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n"
        );
        let middle = f64::midpoint(LEFT, WIDTH - RIGHT);
        put_text(&mut svg, [LEFT, 22.0], "font-size=\"14\" font-weight=\"bold\"", &self.title);
        put_text(&mut svg, [middle, HEIGHT - 14.0], "text-anchor=\"middle\"", &self.x);
        let turned =
            format!("text-anchor=\"middle\" transform=\"rotate(-90 16 {})\"", HEIGHT / 2.0);
        put_text(&mut svg, [16.0, HEIGHT / 2.0], &turned, &self.y);
        axes.put_marks(&mut svg, &self.shape);
        for (nth, series) in self.series.iter().enumerate() {
            let colour = COLOURS[nth % COLOURS.len()];
            match self.shape {
                Shape::Bars(_) => self.put_bars(&mut svg, &axes, nth, series),
                Shape::Lines | Shape::Logarithmic | Shape::Day => {
                    put_line(&mut svg, &axes, colour, series)
                }
            }
            let y = TOP + 18.0 * nth as f64 + 8.0;
            let at = WIDTH - RIGHT + 14.0;
            put_key(&mut svg, [at, y], colour, series.is_dashed);
            put_text(&mut svg, [at + 24.0, y + 4.0], "", &series.name);
        }
        svg + "</svg>\n"
    }

    fn put_bars(&self, svg: &mut String, axes: &Axes, nth: usize, series: &Series) {
        let width = axes.group_width() * 0.8 / self.series.len() as f64;
        for [group, value] in &series.points {
            let left = axes.x(*group) - axes.group_width() * 0.4 + width * nth as f64;
            let top = axes.y(*value);
            let (height, colour) = (HEIGHT - BOTTOM - top, COLOURS[nth % COLOURS.len()]);
            let opacity = if series.is_dashed { 0.35 } else { 1.0 };
            let _ = writeln!(
                svg,
                "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{height:.1}\" \
                 fill=\"{colour}\" fill-opacity=\"{opacity}\"/>",
                width * 0.94
            ); // a String takes everything
        }
    }
}

fn put_line(svg: &mut String, axes: &Axes, colour: &str, series: &Series) {
    let point = |[x, y]: &[f64; 2]| format!("{:.1},{:.1}", axes.x(*x), axes.y(*y));
    let points: Vec<String> = series.points.iter().map(point).collect();
    let dashes = if series.is_dashed { " stroke-dasharray=\"5 4\"" } else { "" };
    let _ = writeln!(
        svg,
        "<polyline fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"{dashes} points=\"{}\"/>",
        points.join(" ")
    ); // a String takes everything
}

fn put_key(svg: &mut String, [x, y]: [f64; 2], colour: &str, is_dashed: bool) {
    let dashes = if is_dashed { " stroke-dasharray=\"5 4\"" } else { "" };
    let _ = writeln!(
        svg,
        "<path d=\"M{x:.1} {y:.1}h18\" stroke=\"{colour}\" stroke-width=\"4\"{dashes}/>"
    ); // a String takes everything
}

fn put_text(svg: &mut String, [x, y]: [f64; 2], attributes: &str, text: &str) {
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;");
    let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" {attributes}>{escaped}</text>"); // as above
}

/// Where values stand in the picture.
struct Axes {
    x: Axis,
    y: Axis,
}

/// Values along one side.
struct Axis {
    least: f64,
    most: f64,
    is_logarithmic: bool,
}

impl Axes {
    fn of(plot: &Plot) -> Self {
        let points = || plot.series.iter().flat_map(|series| &series.points);
        let (xs, ys) = (points().map(|[x, _]| *x), points().map(|[_, y]| *y));
        if matches!(plot.shape, Shape::Logarithmic) {
            return Self { x: Axis::logarithmic(xs), y: Axis::logarithmic(ys) };
        }
        let y = Axis::linear(0.0, nice(ys.fold(0.0, f64::max)));
        let least = xs.clone().fold(f64::INFINITY, f64::min);
        let most = xs.fold(f64::NEG_INFINITY, f64::max);
        let x = match &plot.shape {
            Shape::Bars(groups) => Axis::linear(-0.5, groups.len() as f64 - 0.5),
            Shape::Day if least < most => Axis::linear(least, most),
            Shape::Day => Axis::linear(0.0, 86_400.0),
            _ => Axis::linear(0.0, nice(most.max(1.0))),
        };
        Self { x, y }
    }

    fn x(&self, value: f64) -> f64 {
        LEFT + (WIDTH - LEFT - RIGHT) * self.x.share(value)
    }

    fn y(&self, value: f64) -> f64 {
        HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * self.y.share(value)
    }

    /// Of one group of bars.
    fn group_width(&self) -> f64 {
        (WIDTH - LEFT - RIGHT) / (self.x.most - self.x.least)
    }

    fn put_marks(&self, svg: &mut String, shape: &Shape) {
        for value in self.y.marks(4) {
            let (y, right) = (self.y(value), WIDTH - RIGHT);
            let _ = writeln!(svg, "<path d=\"M{LEFT} {y:.1}H{right:.1}\" stroke=\"#dddddd\"/>"); // as above
            put_text(svg, [LEFT - 6.0, y + 4.0], "text-anchor=\"end\"", &number(value));
        }
        for (value, label) in self.labels(shape) {
            let at = [self.x(value), HEIGHT - BOTTOM + 20.0];
            let size = if matches!(shape, Shape::Bars(_)) { 10 } else { 12 };
            put_text(svg, at, &format!("text-anchor=\"middle\" font-size=\"{size}\""), &label);
        }
    }

    fn labels(&self, shape: &Shape) -> Vec<(f64, String)> {
        match shape {
            Shape::Bars(groups) => (0..).map(f64::from).zip(groups.iter().cloned()).collect(),
            Shape::Lines | Shape::Logarithmic => {
                self.x.marks(8).into_iter().map(|value| (value, number(value))).collect()
            }
            Shape::Day => {
                let hours = (self.x.least / 3600.0).ceil() as u32..=(self.x.most / 3600.0) as u32;
                let every = ((self.x.most - self.x.least) / 3600.0 / 8.0).ceil().max(1.0) as u32;
                let shown = hours.filter(|hour| hour.is_multiple_of(every));
                shown
                    .map(|hour| (f64::from(hour) * 3600.0, format!("{:02}:00", hour % 24)))
                    .collect()
            }
        }
    }
}

impl Axis {
    fn linear(least: f64, most: f64) -> Self {
        Self { least, most, is_logarithmic: false }
    }

    /// Between round numbers around all values that have a logarithm.
    fn logarithmic(values: impl Iterator<Item = f64> + Clone) -> Self {
        let positive = values.filter(|value| *value > 0.0);
        let least = positive.clone().fold(f64::INFINITY, f64::min);
        let most = positive.fold(0.0, f64::max);
        let (least, most) = if least <= most { (least, most) } else { (1.0, 10.0) };
        let round = rounds(least, most * 10.0);
        let below = round.iter().copied().filter(|it| *it <= least).fold(0.0, f64::max);
        let above = round.iter().copied().find(|it| *it >= most && *it > below);
        Self { least: below, most: above.unwrap_or(most), is_logarithmic: true }
    }

    /// Where a value stands, from 0 to 1; what has no logarithm stands at the beginning.
    fn share(&self, value: f64) -> f64 {
        match self.is_logarithmic {
            true => (value.max(self.least) / self.least).ln() / (self.most / self.least).ln(),
            false => (value - self.least) / (self.most - self.least),
        }
    }

    /// Round numbers, or so many parts.
    fn marks(&self, parts: u32) -> Vec<f64> {
        if self.is_logarithmic {
            let mut marks = rounds(self.least, self.most);
            if marks.len() > 10 {
                marks.retain(|it| is_power_of_ten(*it));
            }
            return marks.into_iter().filter(|it| (self.least..=self.most).contains(it)).collect();
        }
        let part = |nth| self.least + (self.most - self.least) * f64::from(nth) / f64::from(parts);
        (0..=parts).map(part).collect()
    }
}

/// 1, 2 and 5 times powers of ten, from the power below one number to another.
fn rounds(least: f64, most: f64) -> Vec<f64> {
    let first = least.log10().floor() as i32;
    let all = (first..).flat_map(|power| [1.0, 2.0, 5.0].map(|it| it * 10_f64.powi(power)));
    all.take_while(|it| *it <= most).collect()
}

fn is_power_of_ten(value: f64) -> bool {
    (value.log10() - value.log10().round()).abs() < 1e-9
}

/// A figure at an axis.
fn number(value: f64) -> String {
    match value.abs() {
        size if size >= 1e6 => format!("{}M", crate::verdict::text(value / 1e6)),
        size if size >= 1e5 => format!("{}k", crate::verdict::text(value / 1e3)),
        _ => crate::verdict::text(value),
    }
}

/// The next number that four or eight equal parts divide well.
fn nice(value: f64) -> f64 {
    if value <= 0.0 {
        return 1.0;
    }
    let unit = 10_f64.powf(value.log10().floor());
    let steps = [1.0, 1.2, 1.6, 2.0, 2.4, 3.2, 4.0, 4.8, 6.0, 8.0, 10.0];
    steps.map(|each| each * unit).into_iter().find(|each| *each >= value).unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use quick_xml::Reader;
    use quick_xml::events::Event;

    use super::{Axis, Plot, Series, Shape, nice, number};

    fn plot(shape: Shape) -> String {
        let series =
            Series { name: "a<b".into(), points: vec![[0.0, 1.0], [1.0, 3.0]], is_dashed: true };
        Plot { title: "t".into(), x: "x".into(), y: "y".into(), shape, series: vec![series] }.svg()
    }

    #[test]
    fn every_shape_is_well_formed() {
        let bars = plot(Shape::Bars(vec!["one".into(), "two".into()]));
        for svg in [plot(Shape::Lines), plot(Shape::Logarithmic), plot(Shape::Day), bars.clone()] {
            assert!(svg.contains("a&lt;b"), "{svg}");
            let mut reader = Reader::from_str(&svg);
            while reader.read_event().unwrap() != Event::Eof {}
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        }
        assert_eq!(bars.matches("<rect").count(), 3);
    }

    #[test]
    fn axes_end_at_round_numbers() {
        assert_eq!([0.0, 3.0, 22.1, 28.0, 100.0].map(nice), [1.0, 3.2, 24.0, 32.0, 100.0]);
    }

    #[test]
    fn powers_of_ten_are_as_far_from_each_other() {
        let axis = Axis::logarithmic([0.0, 3.0, 700.0].into_iter());
        assert_eq!([axis.least, axis.most], [2.0, 1000.0]);
        let [one, two, three] = [2.0, 20.0, 200.0].map(|it| axis.share(it));
        assert!(one.abs() < 1e-9 && ((three - two) - (two - one)).abs() < 1e-9);
        assert_eq!(axis.share(0.0), 0.0);
        assert_eq!(axis.marks(4), [2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0]);
        let wide = Axis::logarithmic([1.0, 90_000.0].into_iter());
        assert_eq!(wide.marks(4), [1.0, 10.0, 100.0, 1000.0, 10_000.0, 100_000.0]);
    }

    #[test]
    fn large_numbers_are_short() {
        assert_eq!([20_000.0, 200_000.0, 2.5e7].map(number), ["20000", "200k", "25M"]);
    }
}
