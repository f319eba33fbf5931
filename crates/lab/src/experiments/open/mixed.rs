//! Mixed steps: core ports every minute and access ports every five minutes, with shared memory.

use testbed::Readahead;

use super::super::{HOUR_SECONDS, MIDNIGHT_SECONDS};
use super::{Part, bars};
use crate::cycle::Cycle;
use crate::files::Files;
use crate::laboratory::{Laboratory, Watched};
use crate::layouts::Layout;
use crate::ratio::{NEXT_TO_NONE, next_to_none, ratio};
use crate::simulated;
use crate::task::Task;
use crate::verdict::{Judged, Tolerance, Verdict, text};
use crate::ways::Way;

pub(super) const STEPS: usize = SITES.len();

const QUESTION: &str = "mixed steps";
/// Scarce memory.
const PAGES_A_FILE: u64 = 4;
const FIVE_MINUTES_SECONDS: u64 = 300;

/// Of ten files, how many are updated every minute, and how many every five.
const SITES: [(&str, [u32; 2]); 3] = [
    ("all at five minutes", [0, 10]),
    ("a tenth at a minute", [1, 9]),
    ("all at a minute", [10, 0]),
];

/// Counts for each file in five minutes, and for each update of both kinds.
struct Site {
    name: &'static str,
    measured: Counted,
    simulated: Counted,
}

#[derive(Clone, Copy, Default)]
struct Counted {
    /// Pages read in five minutes, for each of all files.
    read: f64,
    changed: f64,
    /// Pages read for an update every minute, and for one every five minutes, if there are such
    /// files.
    minute_read: Option<f64>,
    five_minutes_read: Option<f64>,
}

pub(super) fn run(laboratory: &mut Laboratory<'_>) -> Result<Part, String> {
    let count = laboratory.choose(600, 60);
    let seconds = laboratory.choose([2 * HOUR_SECONDS; 2], [600; 2]);
    let mut sites = Vec::new();
    for (name, tenths) in SITES {
        sites.push(site(laboratory, name, tenths.map(|tenth| tenth * count / 10), seconds)?);
        laboratory.step()?;
    }
    let mut part = Part {
        scale: format!("{count} files with {PAGES_A_FILE} pages each for mixed steps"),
        plots: vec![("-mixed", plot(&sites))],
        ..Part::default()
    };
    for site in &sites {
        for (end, it) in [("", site.measured), (", simulated", site.simulated)] {
            let case = format!("{}{end}", site.name);
            part.figure(QUESTION, case.clone(), "pages read for a file in five minutes", it.read);
            part.figure(
                QUESTION,
                case.clone(),
                "pages changed of a file in five minutes",
                it.changed,
            );
            let each = [
                ("pages read for an update at a minute", it.minute_read),
                ("pages read for an update at five", it.five_minutes_read),
            ];
            for (what, value) in each {
                value
                    .into_iter()
                    .for_each(|value| part.figure(QUESTION, case.clone(), what, value));
            }
        }
    }
    verdicts(&sites).into_iter().for_each(|judged| part.judged(judged));
    Ok(part)
}

fn site(
    laboratory: &Laboratory<'_>,
    name: &'static str,
    [at_a_minute, at_five]: [u32; 2],
    seconds: [u64; 2],
) -> Result<Site, String> {
    let layouts = [(Layout::Minute, at_a_minute), (Layout::Mrtg, at_five)];
    let disk_bytes = layouts.map(|(layout, files)| Files::disk_bytes(layout, files));
    let disk = laboratory.disk(disk_bytes.iter().sum())?;
    let _restored = Readahead::set(disk.device(), Readahead::USUAL_KIB)?;
    let start_seconds = MIDNIGHT_SECONDS + 6 * HOUR_SECONDS;
    let sets = layouts.into_iter().filter(|(_, files)| *files > 0);
    let sets = sets.map(|(layout, files)| Files::make(&disk.path(), layout, files, start_seconds));
    let sets = sets.collect::<Result<Vec<_>, _>>()?;
    let step_seconds = sets[0].layout.step_seconds();
    let [warm, counted] = seconds.map(|seconds| seconds / step_seconds);
    let task = Task {
        pages_a_file: Some(PAGES_A_FILE),
        beside: sets.get(1).cloned(),
        ..Task::new(&sets[0], Way::OWN, warm + counted)
    };
    let watched = laboratory.run(&task)?;
    let cache_pages = watched.cache_pages(PAGES_A_FILE, at_a_minute + at_five);
    let each: Vec<&Files> = sets.iter().collect();
    let outcome = simulated::together(&each, Way::OWN, Readahead::USUAL_KIB, cache_pages, seconds)?;
    let simulated = counted_by(&sets, seconds[1], |nth| outcome.groups[nth].pages_read() as f64);
    let changed = outcome.counts.write_backs as f64;
    let measured = measured(&sets, &watched, warm, seconds[1]);
    let simulated = Counted { changed: per_five_minutes(&sets, seconds[1], changed), ..simulated };
    Ok(Site { name, measured, simulated })
}

/// Converts a count over `seconds` to a count for each file in five minutes.
fn per_five_minutes(sets: &[Files], seconds: u64, all: f64) -> f64 {
    let files: u32 = sets.iter().map(|set| set.count).sum();
    all / f64::from(files) * FIVE_MINUTES_SECONDS as f64 / seconds as f64
}

/// Counts from the pages read for each set of files.
fn counted_by(sets: &[Files], seconds: u64, read: impl Fn(usize) -> f64) -> Counted {
    let of_step = |step_seconds| {
        let nth = sets.iter().position(|set| set.layout.step_seconds() == step_seconds)?;
        let updates = f64::from(sets[nth].count) * (seconds / step_seconds) as f64;
        Some(read(nth) / updates)
    };
    let all = (0..sets.len()).map(&read).sum();
    Counted {
        read: per_five_minutes(sets, seconds, all),
        changed: 0.0,
        minute_read: of_step(60),
        five_minutes_read: of_step(FIVE_MINUTES_SECONDS),
    }
}

fn measured(sets: &[Files], watched: &Watched, warm: u64, seconds: u64) -> Counted {
    let cycles = &watched.cycles[warm as usize..];
    let sum = |count: fn(&Cycle) -> u64| cycles.iter().map(count).sum::<u64>() as f64;
    let beside = sum(|cycle| cycle.pages_read_beside);
    let own = sum(|cycle| cycle.pages_read) - beside;
    let counted = counted_by(sets, seconds, |nth| [own, beside][nth]);
    let changed = per_five_minutes(sets, seconds, sum(|cycle| cycle.pages_written));
    Counted { changed, ..counted }
}

fn verdicts(sites: &[Site]) -> Vec<Judged> {
    let [five, mixed, minute] = sites else { return Vec::new() };
    let tolerance = Tolerance { share: 0.15, least: 0.0 };
    let judge = |what: &str, one: &Site, reference, value: fn(&Counted) -> f64, because: &str| {
        let against =
            |of: fn(&Site) -> &Counted| ratio(value(of(one)), value(of(five)), NEXT_TO_NONE);
        let Some(measured) = against(|it| &it.measured) else {
            return Err(next_to_none(what, value(&five.measured)));
        };
        let others = [Some(reference), None, against(|it| &it.simulated)];
        Ok(Verdict::judge(what, others, measured, tolerance, because))
    };
    let what = "all at a minute: pages changed in five minutes against all at five (reference: a fifth of the \
                capacity)";
    let all = judge(what, minute, 5.0, |it| it.changed, "rows of a longer step end no more often");
    let what = "a tenth at a minute: pages changed in five minutes against all at five (reference: would help; \
                1.4 times the updates)";
    let tenth = judge(what, mixed, 1.4, |it| it.changed, "rows of a longer step end no more often");
    vec![all, tenth, spared(five, mixed), core(minute, mixed)]
}

/// The cost that files updated every minute cause for those updated every five.
fn spared(five: &Site, mixed: &Site) -> Judged {
    let what = "a tenth at a minute: pages read for an update at five minutes against all at five (reference: \
                would help)";
    let of = |site: &Counted| site.five_minutes_read.unwrap_or(0.0);
    let against = |one: &Counted, other: &Counted| ratio(of(one), of(other), NEXT_TO_NONE);
    let Some(measured) = against(&mixed.measured, &five.measured) else {
        return Err(next_to_none(what, of(&five.measured)));
    };
    let claimed = Verdict::claim(what, measured, measured < 1.15);
    let reason = format!(
        "the files at a minute keep their pages, {} read for an update of theirs",
        text(mixed.measured.minute_read.unwrap_or(0.0))
    );
    let simulation = against(&mixed.simulated, &five.simulated);
    let is_same = simulation.is_some_and(|it| (it - measured).abs() < 0.15 * measured);
    let are_kept = mixed.measured.minute_read.is_some_and(|read| read < NEXT_TO_NONE);
    Ok(Verdict { simulation, ..claimed.explained(is_same && are_kept, reason) })
}

/// The gain of files updated every minute from the memory of the others.
fn core(minute: &Site, mixed: &Site) -> Judged {
    let what = "a tenth at a minute: pages read for an update at a minute against all at a minute";
    let of = |site: &Counted| site.minute_read.unwrap_or(0.0);
    let against = |one: &Counted, other: &Counted| ratio(of(one), of(other), NEXT_TO_NONE / 5.0);
    let Some(measured) = against(&mixed.measured, &minute.measured) else {
        return Err(next_to_none(what, of(&minute.measured)));
    };
    let others = [None, None, against(&mixed.simulated, &minute.simulated)];
    Ok(Verdict::judge(what, others, measured, Tolerance { share: 0.15, least: 0.0 }, ""))
}

fn plot(sites: &[Site]) -> crate::Plot {
    let values = |value: fn(&Site) -> f64| sites.iter().map(value).collect();
    bars(
        format!("Steps of one and of five minutes, {PAGES_A_FILE} pages of memory a file"),
        ["which files are updated how often", "pages of a file in five minutes"],
        sites.iter().map(|site| site.name.to_owned()).collect(),
        vec![
            ("read".into(), values(|it| it.measured.read)),
            ("read, simulated".into(), values(|it| it.simulated.read)),
            ("changed".into(), values(|it| it.measured.changed)),
            ("changed, simulated".into(), values(|it| it.simulated.changed)),
        ],
    )
}

#[cfg(test)]
mod tests {
    use super::{Counted, Site, verdicts};
    use crate::verdict::Agreement;

    fn site(name: &'static str, changed: f64, each: [Option<f64>; 2]) -> Site {
        let [minute_read, five_minutes_read] = each;
        let counted = Counted { read: 0.0, changed, minute_read, five_minutes_read };
        Site { name, measured: counted, simulated: counted }
    }

    #[test]
    fn sites_are_compared_with_the_one_at_five_minutes() {
        let five = site("five", 3.0, [None, Some(0.5)]);
        let mixed = site("mixed", 4.2, [Some(0.05), Some(0.6)]);
        let minute = site("minute", 15.0, [Some(0.05), None]);
        let judged: Vec<_> = verdicts(&[five, mixed, minute]).into_iter().flatten().collect();
        let measured: Vec<f64> = judged.iter().map(|it| (it.measured * 10.0).round()).collect();
        assert_eq!(measured, [50.0, 14.0, 12.0, 10.0]);
        assert_eq!(judged[0].agreement, Agreement::Agrees);
        // A fifth more pages are read for an access port, and the simulation agrees.
        assert!(matches!(judged[2].agreement, Agreement::DiffersBecause(_)));
    }

    #[test]
    fn what_is_hardly_read_is_not_compared() {
        let five = site("five", 3.0, [None, Some(0.01)]);
        let mixed = site("mixed", 4.2, [Some(0.001), Some(0.01)]);
        let minute = site("minute", 15.0, [Some(0.001), None]);
        let missing = verdicts(&[five, mixed, minute]).into_iter().filter(Result::is_err);
        assert_eq!(missing.count(), 2);
    }
}
