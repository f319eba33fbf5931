//! Other layouts with the same memory: without the finest maxima, interleaved, and with a step of a
//! minute.

use testbed::Readahead;

use super::super::fig13::{Point, point};
use super::super::{HOUR_SECONDS, MIDNIGHT_SECONDS};
use super::{Part, bars};
use crate::Laboratory;
use crate::files::Files;
use crate::layouts::Layout;
use crate::ratio::{NEXT_TO_NONE, next_to_none, ratio};
use crate::verdict::{Judged, Tolerance, Verdict, text};
use crate::ways::Way;

pub(super) const STEPS: usize = LAYOUTS.len();

const LAYOUTS: [Layout; 4] =
    [Layout::Mrtg, Layout::NoFinestMaxima, Layout::Interleaved, Layout::Minute];
/// Scarce memory: less than the archives of a step and of half an hour need.
const PAGES_A_FILE: u64 = 4;
/// At most this share counts as "significantly fewer".
const FEWER: f64 = 0.75;

pub(super) fn run(laboratory: &mut Laboratory<'_>) -> Result<Part, String> {
    let count = laboratory.choose(600, 60);
    let mut points = Vec::new();
    for layout in LAYOUTS {
        // Two hours warm the cache, two are counted, for every step.
        let hours = laboratory.choose(2 * HOUR_SECONDS / layout.step_seconds(), 2);
        let disk = laboratory.disk(Files::disk_bytes(layout, count))?;
        let start_seconds = MIDNIGHT_SECONDS + 6 * HOUR_SECONDS;
        let mut files = Files::make(&disk.path(), layout, count, start_seconds)?;
        let memory = [Readahead::USUAL_KIB, PAGES_A_FILE];
        points.push(point(laboratory, &disk, &mut files, [hours; 2], Way::OWN, memory)?);
        laboratory.step()?;
    }
    let mut part = Part {
        scale: format!("{count} files with {PAGES_A_FILE} pages each for layouts"),
        plots: vec![("-layouts", plot(&points))],
        ..Part::default()
    };
    for (layout, point) in LAYOUTS.iter().zip(&points) {
        for (what, value) in [
            ("pages read for an update", point.measured),
            ("the same, simulated", point.simulated),
            ("pages changed by an update", point.changed),
        ] {
            part.figure("layouts in scarce memory", layout.name(), what, value);
        }
    }
    verdicts(&points).into_iter().for_each(|judged| part.judged(judged));
    Ok(part)
}

fn plot(points: &[Point]) -> crate::Plot {
    let values = |value: fn(&Point) -> f64| points.iter().map(value).collect();
    bars(
        format!("Layouts with {PAGES_A_FILE} pages of memory a file"),
        ["layout", "pages for each update"],
        LAYOUTS.map(|layout| layout.name().to_owned()).into(),
        vec![
            ("read".into(), values(|it| it.measured)),
            ("read, simulated".into(), values(|it| it.simulated)),
            ("changed".into(), values(|it| it.changed)),
        ],
    )
}

fn verdicts(points: &[Point]) -> Vec<Judged> {
    let [whole, without, interleaved, minute] = points else { return Vec::new() };
    let tolerance = Tolerance { share: 0.25, least: 0.0 };
    let judge = |what: &str, point: &Point, reference, because| {
        let against = |value: fn(&Point) -> f64| ratio(value(point), value(whole), NEXT_TO_NONE);
        let Some(measured) = against(|it| it.measured) else {
            return Err(next_to_none(what, whole.measured));
        };
        let others = [reference, point.compared_model(whole), against(|it| it.simulated)];
        Ok(Verdict::judge(what, others, measured, tolerance, because))
    };
    let fewer = |judged: Judged| {
        judged.map(|it| {
            let claimed = Verdict::claim("", it.measured, it.measured < FEWER);
            Verdict { agreement: claimed.agreement, ..it }
        })
    };
    let what = "without the maxima of five minutes: page-ins against those with them (reference: \
                significantly fewer)";
    let without = fewer(judge(what, without, None, ""));
    let what = "interleaved archives: page-ins against those of archives one behind the other (reference: \
                locality would improve)";
    let located = fewer(judge(what, interleaved, None, ""));
    let what = "a step of a minute: page-ins of an update against those at five (reference: its model holds \
                for all steps)";
    let because = "five times as many updates come between two rows of half an hour, whose page is then gone \
                   as often, but asked for at every thirtieth update instead of every sixth";
    let minute = judge(what, minute, Some(1.0), because);
    vec![without, located, Ok(changed(whole, interleaved)), minute]
}

/// For any memory, an update changes the page of the header and a page for each group of archives.
fn changed(whole: &Point, interleaved: &Point) -> Verdict {
    let what = format!(
        "interleaved archives: pages that an update changes, {} where they are one behind the other \
         (reference: one block for rows of the same length)",
        text(whole.changed)
    );
    Verdict::claim(what, interleaved.changed, interleaved.changed < FEWER * whole.changed)
}
