//! The verdicts on figure 13: the positions of the cliffs, and the effect of the size of a file.

use testbed::Readahead;

use super::Point;
use crate::layouts::Layout;
use crate::ratio::{NEXT_TO_NONE, next_to_none, ratio};
use crate::verdict::{Judged, Tolerance, Verdict, parted, text};
use crate::ways::Way;

/// Sizes of memory that differ by less are considered equal.
const SAME_PAGES: f64 = 0.4;
/// The reference counts inode and indirect block among a file's pages; here they are not counted.
const METADATA_PAGES: f64 = 2.0;

/// The verdicts on every curve and on the effect of the size of a file; and what was not measured.
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

/// With advice, where page-ins end; without, where they drop.
fn cliff(curve: &[&Point]) -> Verdict {
    let first = curve[0];
    let name = format!("{}, {}", first.layout.name(), first.way.name);
    let has_advice = first.way.has_advice();
    let below = |point: &Point, value: fn(&Point) -> f64| {
        value(point) < if has_advice { NEXT_TO_NONE } else { value(first) * 0.6 }
    };
    // A cliff is between the last point above it and the first below it.
    let place = |value: fn(&Point) -> f64| {
        let first_below = curve.iter().position(|it| below(it, value))?;
        let last_above = first_below.saturating_sub(1);
        let pages = [last_above, first_below].map(|nth| curve[nth].cached_pages);
        Some(f64::midpoint(pages[0], pages[1]) + METADATA_PAGES)
    };
    let reference = match (has_advice, first.way.name, first.layout) {
        (true, ..) => Some(8.0),
        (false, "stdio", Layout::Mrtg) => Some(18.0),
        _ => None, // the reference did not do this
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

/// Page-ins of long files compared with those of short ones, where both have nearly the same memory
/// and something is read.
fn size_matters(points: &[Point]) -> Vec<Judged> {
    let of =
        |layout: Layout| points.iter().filter(move |it| it.layout == layout && it.way == Way::OWN);
    let apart = |pair: &(&Point, &Point)| (pair.0.cached_pages - pair.1.cached_pages).abs();
    let verdict = |layout: Layout| {
        let shorts = || of(Layout::Mrtg).filter(|it| it.measured >= NEXT_TO_NONE);
        let pairs = of(layout).flat_map(|long| shorts().map(move |short| (long, short)));
        let what = format!("{}: page-ins against those of 800 rows", layout.name());
        let nearest = pairs.min_by(|one, other| apart(one).total_cmp(&apart(other)));
        let Some((long, short)) = nearest.filter(|pair| apart(pair) < SAME_PAGES) else {
            return Err(format!("{what}: none had as many pages of memory, and read something"));
        };
        let against = |value: fn(&Point) -> f64| ratio(value(long), value(short), NEXT_TO_NONE);
        let [pages, other] = [long, short].map(|it| text(it.cached_pages));
        let what = format!("{what}, {pages} and {other} pages each");
        let measured = against(|it| it.measured).ok_or(next_to_none(&what, short.measured))?;
        let figures = [Some(1.0), long.compared_model(short), against(|it| it.simulated)];
        let tolerance = Tolerance { share: 0.25, least: 0.25 };
        let because = "rows share the header's page in a tenth of a short ring only";
        let verdict = Verdict::judge(what, figures, measured, tolerance, because);
        // With a little more memory, the simulation reads a little less, too.
        Ok(if apart(&(long, short)) < SAME_PAGES / 4.0 { verdict } else { verdict.unexplained() })
    };
    let long = [Layout::OneYear, Layout::FiveYears].into_iter();
    long.filter(|layout| of(*layout).next().is_some()).map(verdict).collect()
}
