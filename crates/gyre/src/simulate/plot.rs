//! Pages read by pages available, drawn.

use std::fmt::Write as _;

use capacity::replay::Outcome;

use super::table::{Table, per_update};

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 60.0;
const BOTTOM: f64 = 50.0;
const TOP: f64 = 20.0;
const RIGHT: f64 = 160.0;
const COLOURS: [&str; 8] = ["#c00", "#06c", "#080", "#a60", "#80c", "#088", "#444", "#d08"];

/// The picture, as SVG.
pub(super) fn svg(table: &Table) -> String {
    let value = |outcome: &Outcome| per_update(outcome.updates, outcome.counts.pages_read());
    let all = table.columns.iter().flat_map(|column| &column.outcomes).map(value);
    let axes = Axes {
        pages_max: table.pages_per_file.iter().copied().max().unwrap_or(1),
        value_max: nice(all.fold(0.0, f64::max)),
    };
    let mut svg = axes.frame();
    for (nth, column) in table.columns.iter().enumerate() {
        let colour = COLOURS[nth % COLOURS.len()];
        let rows = table.pages_per_file.iter().zip(&column.outcomes);
        let points = rows.fold(String::new(), |points, (pages, outcome)| {
            points + &format!("{:.1},{:.1} ", axes.x(*pages), axes.y(value(outcome)))
        });
        let _ = writeln!(
            svg,
            "<polyline fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" points=\"{points}\"/>"
        );
        let y = TOP + 16.0 * (nth as f64 + 1.0);
        let _ = writeln!(
            svg,
            "<text x=\"{:.0}\" y=\"{y:.0}\" fill=\"{colour}\">{}, {}</text>",
            WIDTH - RIGHT + 10.0,
            column.cache,
            column.readahead
        );
    }
    svg.push_str("</svg>\n");
    svg
}

struct Axes {
    pages_max: u32,
    value_max: f64,
}

impl Axes {
    fn x(&self, pages: u32) -> f64 {
        LEFT + (WIDTH - LEFT - RIGHT) * f64::from(pages) / f64::from(self.pages_max)
    }

    fn y(&self, value: f64) -> f64 {
        HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * value / self.value_max
    }

    fn frame(&self) -> String {
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{HEIGHT}\" \
             font-family=\"sans-serif\" font-size=\"12\">\n\
             <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n"
        );
        for part in 0..=4 {
            let value = self.value_max * f64::from(part) / 4.0;
            let y = self.y(value);
            let _ = writeln!(
                svg,
                "<path d=\"M{LEFT} {y:.1}H{:.1}\" stroke=\"#ccc\"/>\
                 <text x=\"{:.0}\" y=\"{:.1}\" text-anchor=\"end\">{value}</text>",
                WIDTH - RIGHT,
                LEFT - 6.0,
                y + 4.0
            );
            let pages = self.pages_max * part / 4;
            let _ = writeln!(
                svg,
                "<text x=\"{:.1}\" y=\"{:.0}\" text-anchor=\"middle\">{pages}</text>",
                self.x(pages),
                HEIGHT - BOTTOM + 18.0
            );
        }
        let _ = writeln!(
            svg,
            "<text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"middle\">pages of the cache for each \
             file; pages read for each update</text>",
            f64::midpoint(LEFT, WIDTH - RIGHT),
            HEIGHT - 12.0
        );
        svg
    }
}

/// The next of 1, 2, 4 and 8 with zeros.
fn nice(value: f64) -> f64 {
    if value <= 0.0 {
        return 1.0;
    }
    let unit = 10_f64.powf(value.log10().floor());
    [1.0, 2.0, 4.0, 8.0, 10.0]
        .map(|each| each * unit)
        .into_iter()
        .find(|each| *each >= value)
        .unwrap_or(value)
}
