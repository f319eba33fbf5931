//! What became of figure 13: where the cliffs are, and what the size of a file does.

use testbed::Readahead;

use super::Point;
use crate::layouts::Layout;
use crate::ratio::{NEXT_TO_NONE, next_to_none, ratio};
use crate::verdict::{Judged, Tolerance, Verdict, parted};
use crate::ways::Way;

/// The reference counts inode and indirect block among a file's pages; here they are not.
const METADATA_PAGES: f64 = 2.0;

/// Of every curve, and of what the size of a file does; and what was not measured.
pub(super) fn of(points: &[Point]) -> (Vec<Verdict>, Vec<String>) {
    let mut verdicts = Vec::new();
    for layout in Layout::REFERENCE {
        for way in Way::all_here() {
            let of_way = |it: &&Point| {
                it.layout == layout && it.way == way && it.window_kib == Readahead::USUAL_KIB
            };
            let curve: Vec<&Point> = points.iter().filter(of_way).collect();
            verdicts.extend((curve.len() > 1).then(|| cliff(&curve)));
        }
    }
    let (sizes, not_measured) = parted(size_matters(points));
    verdicts.extend(sizes);
    (verdicts, not_measured)
}

/// Where the page-ins end, with advice; where they drop, without.
fn cliff(curve: &[&Point]) -> Verdict {
    let first = curve[0];
    let name = format!("{}, {}", first.layout.name(), first.way.name);
    let has_advice = first.way.has_advice();
    let below = |point: &Point, value: fn(&Point) -> f64| {
        value(point) < if has_advice { NEXT_TO_NONE } else { value(first) * 0.6 }
    };
    let place = |value: fn(&Point) -> f64| {
        let found = curve.iter().find(|it| below(it, value));
        found.map(|it| it.cached_pages + METADATA_PAGES)
    };
    let reference = match (has_advice, first.way.name, first.layout) {
        (true, ..) => Some(8.0),
        (false, "stdio", Layout::Mrtg) => Some(18.0),
        _ => None, // nobody did so then
    };
    let (what, because) = match has_advice {
        true => {
            ("pages from which next to none are read", "rows of other archives share pages here")
        }
        false => (
            "pages where reads drop",
            "today's windows begin with 4 pages, so that an update brings fewer and the cliff is lower",
        ),
    };
    let Some(measured) = place(|it| it.measured) else {
        let last = curve[curve.len() - 1];
        let what = format!("{name}: read an update at {} pages, no cliff before", last.pages);
        let figures = [None, None, Some(last.simulated)];
        let tolerance = Tolerance { share: 0.1, least: 0.1 };
        return Verdict::judge(what, figures, last.measured, tolerance, "");
    };
    let figures = [reference, None, place(|it| it.simulated)];
    let tolerance = Tolerance { share: 0.1, least: 2.0 };
    Verdict::judge(format!("{name}: {what}, inode counted"), figures, measured, tolerance, because)
}

/// Page-ins of long files against those of short ones, in the same memory.
fn size_matters(points: &[Point]) -> Vec<Judged> {
    let at = |layout: Layout| {
        let is_it = |it: &&Point| it.layout == layout && it.pages == 6 && it.way == Way::OWN;
        points.iter().find(is_it)
    };
    let Some(short) = at(Layout::Mrtg) else { return Vec::new() };
    let verdict = |layout: Layout| {
        let long = at(layout)?;
        let against = |value: fn(&Point) -> f64| ratio(value(long), value(short), NEXT_TO_NONE);
        let what = format!("{}: page-ins against those of 800 rows, 6 pages each", layout.name());
        let Some(measured) = against(|it| it.measured) else {
            return Some(Err(next_to_none(&what, short.measured)));
        };
        let modelled = long.compared_model(short);
        let figures = [Some(1.0), modelled, against(|it| it.simulated)];
        let tolerance = Tolerance { share: 0.25, least: 0.25 };
        let because = "rows share the header's page in a tenth of a short ring only";
        Some(Ok(Verdict::judge(what, figures, measured, tolerance, because)))
    };
    [Layout::OneYear, Layout::FiveYears].into_iter().filter_map(verdict).collect()
}
