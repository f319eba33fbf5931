//! Line and bar charts of an experiment.

use graph::{Axis, Legend, Panel, Scale};

/// One chart.
#[derive(Clone, Debug)]
pub struct Plot {
    pub(crate) title: String,
    pub(crate) x: String,
    pub(crate) y: String,
    pub(crate) shape: Shape,
    pub(crate) series: Vec<Series>,
}

/// How the points are drawn.
#[derive(Clone, Debug)]
pub(crate) enum Shape {
    /// A line through all points.
    Lines,
    /// Bars, side by side with those of other series; the names of the groups, which x counts from
    /// 0.
    Bars(Vec<String>),
    /// A line through all points, with both axes logarithmic.
    Logarithmic,
    /// A line; x is in seconds of a day.
    Day,
}

/// Points of one kind.
#[derive(Clone, Debug)]
pub(crate) struct Series {
    pub(crate) name: String,
    pub(crate) points: Vec<[f64; 2]>,
    /// Drawn dashed, because it was not measured.
    pub(crate) is_dashed: bool,
}

impl Plot {
    /// The chart as SVG.
    #[must_use]
    pub fn svg(&self) -> Vec<u8> {
        let points = || self.series.iter().flat_map(|series| &series.points);
        let (xs, ys) = (points().map(|[x, _]| *x), points().map(|[_, y]| *y));
        let (x, y) = match &self.shape {
            Shape::Lines => (Scale::from_zero(xs), Scale::from_zero(ys)),
            Shape::Bars(groups) => (Scale::Groups(groups.clone()), Scale::from_zero(ys)),
            Shape::Logarithmic => (Scale::powers(xs), Scale::powers(ys)),
            Shape::Day => (Scale::day(xs), Scale::from_zero(ys)),
        };
        let legend = |it: &Series| Legend {
            name: it.name.clone(),
            is_dashed: it.is_dashed,
            ..Legend::default()
        };
        let plot = graph::Plot {
            title: self.title.clone(),
            x: Axis { label: self.x.clone(), scale: x },
            legend: self.series.iter().map(legend).collect(),
            panels: vec![Panel {
                y: Axis { label: self.y.clone(), scale: y },
                limit: None,
                curves: self.series.iter().map(|it| it.points.clone()).collect(),
            }],
        };
        plot.svg()
    }
}

#[cfg(test)]
mod tests {
    use quick_xml::Reader;
    use quick_xml::events::Event;

    use super::{Plot, Series, Shape};

    #[test]
    fn every_shape_is_well_formed() {
        let bars = Shape::Bars(vec!["one".into(), "two".into()]);
        for shape in [Shape::Lines, Shape::Logarithmic, Shape::Day, bars] {
            let points = vec![[0.0, 1.0], [1.0, 3.0]];
            let series = vec![Series { name: "a<b".into(), points, is_dashed: true }];
            let plot = Plot { title: "t".into(), x: "x".into(), y: "y".into(), shape, series };
            let svg = String::from_utf8(plot.svg()).unwrap();
            assert!(svg.contains("a&lt;b"), "{svg}");
            let mut reader = Reader::from_str(&svg);
            while reader.read_event().unwrap() != Event::Eof {}
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        }
    }
}
