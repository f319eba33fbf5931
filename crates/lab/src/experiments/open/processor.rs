//! The processor time of an update, by way.

use super::super::{HOUR_SECONDS, MIDNIGHT_SECONDS};
use super::{Part, bars};
use crate::Laboratory;
use crate::files::Files;
use crate::layouts::Layout;
use crate::ratio::{timed, too_short};
use crate::task::Task;
use crate::verdict::{Verdict, text};
use crate::ways::{RRDTOOL, Way};

pub(super) const STEPS: usize = 1;

/// 480,000 files in 300 s used all of the reference's eight processors.
const REFERENCE_MICROSECONDS: f64 = 8.0 * 300.0 / 480_000.0 * 1e6;
/// The targets of the reference's own site.
const TARGETS: f64 = 160_000.0;
const STEP_MICROSECONDS: f64 = 300.0 * 1e6;

/// The update of one way, if the counted time was long enough.
struct Found {
    way: Way,
    microseconds: Option<f64>,
}

pub(super) fn run(laboratory: &mut Laboratory<'_>) -> Result<Part, String> {
    let count = laboratory.choose(400, 20);
    let [warm, cycles] = laboratory.choose([2, 60], [1, 1]);
    let disk = laboratory.disk(Files::disk_bytes(Layout::Mrtg, count))?;
    let start_seconds = MIDNIGHT_SECONDS + 6 * HOUR_SECONDS;
    let mut files = Files::make(&disk.path(), Layout::Mrtg, count, start_seconds)?;
    let mut found = Vec::new();
    let pwrite = Way::named("pwrite");
    for way in Way::all_here().into_iter().chain(pwrite) {
        let watched = laboratory.run(&Task::new(&files, way, warm + cycles))?;
        files.last_seconds += (warm + cycles) * files.layout.step_seconds();
        let counted = &watched.cycles[warm as usize..];
        let all_seconds = counted.iter().map(|cycle| cycle.processor_seconds).sum();
        let seconds = watched.median_per_update(warm, count, |cycle| cycle.processor_seconds);
        let microseconds = timed(seconds, all_seconds).map(|seconds| seconds * 1e6);
        found.push(Found { way, microseconds });
    }
    laboratory.step()?;
    Ok(part(&found, count))
}

/// The share of one processor, in percent.
fn share(microseconds: f64) -> f64 {
    microseconds * TARGETS / STEP_MICROSECONDS * 100.0
}

fn part(found: &[Found], count: u32) -> Part {
    let mut part =
        Part { scale: format!("{count} files in memory for the processor"), ..Part::default() };
    for it in found {
        match it.microseconds {
            Some(microseconds) => {
                part.figure("the processor", it.way.name, "microseconds of an update", microseconds)
            }
            None => part
                .not_measured
                .push(too_short(&format!("an update by {}", it.way.name), "processor")),
        }
    }
    let of = |way: Way| found.iter().find(|it| it.way == way).and_then(|it| it.microseconds);
    for way in [Way::OWN, RRDTOOL] {
        part.verdicts.extend(of(way).map(|microseconds| verdict(way, microseconds)));
    }
    let shown: Vec<(Way, f64)> =
        found.iter().filter_map(|it| Some((it.way, it.microseconds?))).collect();
    if !shown.is_empty() {
        part.plots = vec![("-processor", plot(&shown))];
    }
    part
}

/// The reference's figure includes all its programs: polling in Perl, and the updates.
fn verdict(way: Way, microseconds: f64) -> Verdict {
    let what = format!(
        "the processor: microseconds of an update by {}; 160,000 in 300 s are {}% of one processor \
         (reference: {} for a target, polled in Perl)",
        way.name,
        text(share(microseconds)),
        text(REFERENCE_MICROSECONDS)
    );
    Verdict::figure(what, microseconds)
}

fn plot(shown: &[(Way, f64)]) -> crate::Plot {
    bars(
        "An update on the processor, all in memory",
        ["way", "microseconds"],
        shown.iter().map(|(way, _)| way.name.to_owned()).collect(),
        vec![("an update".into(), shown.iter().map(|(_, microseconds)| *microseconds).collect())],
    )
}

#[cfg(test)]
mod tests {
    use super::{REFERENCE_MICROSECONDS, share};

    #[test]
    fn shares_are_of_one_processor() {
        assert!((REFERENCE_MICROSECONDS - 5000.0).abs() < 1e-6);
        assert!((share(18.75) - 1.0).abs() < 1e-9);
    }
}
