//! Other layouts in the same memory: without the finest maxima, and with a step of a minute.

use testbed::Readahead;

use super::super::fig13::{Point, point};
use super::super::{HOUR_SECONDS, MIDNIGHT_SECONDS};
use super::{Figure, Part};
use crate::Laboratory;
use crate::files::Files;
use crate::layouts::Layout;
use crate::verdict::{Tolerance, Verdict, text};
use crate::ways::Way;

pub(super) const STEPS: usize = LAYOUTS.len();

const LAYOUTS: [Layout; 3] = [Layout::Mrtg, Layout::NoFinestMaxima, Layout::Minute];
/// Where memory is scarce: less than the finest archives and those of half an hour need.
const PAGES_A_FILE: u64 = 4;
/// Fewer page-ins an update are next to none.
const NEXT_TO_NONE: f64 = 0.1;

pub(super) fn run(laboratory: &mut Laboratory<'_>) -> Result<Part, String> {
    let count = laboratory.choose(600, 60);
    let mut points = Vec::new();
    for layout in LAYOUTS {
        // Two hours warm the cache, two are counted, whatever the step.
        let hours = laboratory.choose(2 * HOUR_SECONDS / layout.step_seconds(), 2);
        let disk = laboratory.disk(Files::disk_bytes(layout, count))?;
        let start_seconds = MIDNIGHT_SECONDS + 6 * HOUR_SECONDS;
        let mut files = Files::make(&disk.path(), layout, count, start_seconds)?;
        let memory = [Readahead::USUAL_KIB, PAGES_A_FILE];
        points.push(point(laboratory, &disk, &mut files, [hours; 2], Way::OWN, memory)?);
        laboratory.step()?;
    }
    let figures = LAYOUTS.iter().zip(&points).map(|(layout, point)| Figure {
        question: "layouts in scarce memory",
        case: layout.name().into(),
        what: "pages read for an update",
        value: point.measured,
    });
    Ok(Part {
        scale: format!("{count} files with {PAGES_A_FILE} pages each for layouts"),
        figures: figures.collect(),
        verdicts: verdicts(&points),
    })
}

fn verdicts(points: &[Point]) -> Vec<Verdict> {
    let [whole, without, minute] = points else { return Vec::new() };
    let ratio = |point: &Point, value: fn(&Point) -> f64| value(point) / value(whole).max(1e-6);
    let model = |it: &Point| it.modelled.map(|[_, corrected]| corrected);
    let modelled = |point| model(point).zip(model(whole)).map(|(one, whole)| one / whole.max(1e-6));
    let tolerance = Tolerance { share: 0.25, least: 0.0 };
    let judge = |what: &str, point, reference, because| {
        let others = [reference, modelled(point), Some(ratio(point, |it| it.simulated))];
        Verdict::judge(what, others, ratio(point, |it| it.measured), tolerance, because)
    };
    let gained = ratio(without, |it| it.measured);
    let what = "without the maxima of five minutes: page-ins against those with them (reference: \
                significantly fewer)";
    let claimed = Verdict::claim("", gained, gained < 0.75).explained(
        whole.measured < NEXT_TO_NONE,
        format!("next to none are read with them, too: {} an update", text(whole.measured)),
    );
    let fewer = Verdict { agreement: claimed.agreement, ..judge(what, without, None, "") };
    let what = "a step of a minute: page-ins of an update against those at five (reference: its model holds \
                for all steps)";
    let because = "five times as many updates come between two rows of half an hour, whose page is then gone \
                   as often, but asked for at every thirtieth update instead of every sixth";
    vec![fewer, judge(what, minute, Some(1.0), because)]
}
