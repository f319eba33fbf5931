//! Figures 3 to 5 and 8 to 11: a site that falls behind, and what a journal and advice do for it.

use testbed::Readahead;

use super::{HOUR_SECONDS, MIDNIGHT_SECONDS};
use crate::files::Files;
use crate::laboratory::Watched;
use crate::layouts::Layout;
use crate::outcome::Table;
use crate::plot::{Plot, Series, Shape};
use crate::simulated;
use crate::task::{Cycle, Task};
use crate::verdict::{Tolerance, Verdict};
use crate::ways::Way;
use crate::{Experiment, Laboratory, Outcome};

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "fig3-11",
    question: "What do a journal, advice, and both do for a site that reads more than it writes?",
    reference: "160,000 targets in 300 s: 90,000 blocks of 512 bytes read a second against 12,000 \
                written, 20 to 80% of updates missed; with a journal or with advice a cycle takes under \
                60 s, with advice about 100 blocks are read a second",
    seconds: [400, 8],
    run,
};

/// Targets of the reference's site, whose memory has 16 pages for each.
const REFERENCE_TARGETS: f64 = 160_000.0;
const PAGES_A_FILE: u64 = 16;
const STEP_SECONDS: f64 = 300.0;

/// Blocks of 512 bytes a second on that site, as pages for each update.
fn pages_of_blocks(blocks_a_second: f64) -> f64 {
    blocks_a_second * 512.0 / 4096.0 * STEP_SECONDS / REFERENCE_TARGETS
}

/// One way to run the site.
struct Site {
    way: Way,
    has_journal: bool,
    files: u32,
    watched: Watched,
    /// Pages read and written for an update, of today's kernel; simulations know no journal.
    simulated: Option<[f64; 2]>,
}

fn run(laboratory: &mut Laboratory<'_>) -> Result<Outcome, String> {
    let [files, cycles, journal_cycles] = laboratory.choose([1000, 36, 12], [60, 4, 2]);
    let ways = ["stdio", "stdio-advice", "mapping", "mapping-advice"].map(Way::named);
    laboratory.expect_steps(2 * ways.len());
    let count = u32::try_from(files).unwrap_or(u32::MAX);
    let disk = laboratory.disk(Files::disk_bytes(Layout::Mrtg, count))?;
    let _restored = Readahead::set(disk.device(), Readahead::USUAL_KIB)?;
    let mut sites = Vec::new();
    for way in ways.into_iter().flatten() {
        for has_journal in [false, true] {
            let start_seconds = MIDNIGHT_SECONDS + 6 * HOUR_SECONDS;
            let files = Files::make(&disk.path(), Layout::Mrtg, count, start_seconds)?;
            let task = Task {
                pages_a_file: Some(PAGES_A_FILE),
                journal_cycles: if has_journal { journal_cycles } else { 0 },
                ..Task::new(&files, way, cycles)
            };
            let watched = laboratory.run(&task)?;
            // Until the first hour is over, caches fill.
            let of_time = [journal_cycles, cycles - journal_cycles];
            let simulated = match has_journal {
                true => None,
                false => Some(simulated(&files, way, &watched, of_time)?),
            };
            sites.push(Site { way, has_journal, files: count, watched, simulated });
            files.remove()?;
            laboratory.step_with(&table(&sites))?;
        }
    }
    let warm = journal_cycles;
    Ok(Outcome {
        scale: format!(
            "{count} files of 800 rows for 160,000, {PAGES_A_FILE} pages of page cache each as there, \
             readahead {} KiB; {cycles} cycles, {warm} of them to warm the cache",
            Readahead::USUAL_KIB
        ),
        table: table(&sites),
        plots: vec![
            (
                "",
                plot(&sites, "pages read for an update", |site, it| site.of_update(it.pages_read)),
            ),
            ("-cycles", plot(&sites, "seconds for 160,000 targets", Site::cycle_seconds)),
        ],
        verdicts: sites.iter().flat_map(|site| verdicts(site, warm)).collect(),
        not_measured: vec!["polling, and the share of the processor that Perl took".into()],
    })
}

/// Pages read and written for an update, in the cycles after the warm ones.
fn simulated(
    files: &Files,
    way: Way,
    watched: &Watched,
    [warm, counted]: [u64; 2],
) -> Result<[f64; 2], String> {
    let cache_pages = watched.cache_pages(PAGES_A_FILE, files.count);
    let window_kib = Readahead::USUAL_KIB;
    let read = simulated::pages_read(files, way, window_kib, cache_pages, [warm, counted])?;
    // What is written is the same, whatever is read ahead.
    let day = simulated::day(files, way, cache_pages, warm + counted)?;
    let written: f64 = day[warm as usize..].iter().map(|[_, written]| written).sum();
    Ok([read, written / counted as f64])
}

impl Site {
    fn name(&self) -> String {
        format!("{}{}", self.way.name, if self.has_journal { ", journal" } else { "" })
    }

    fn of_update(&self, pages: u64) -> f64 {
        pages as f64 / f64::from(self.files)
    }

    /// What a cycle of so many files would take for the reference's.
    fn cycle_seconds(&self, cycle: &Cycle) -> f64 {
        cycle.seconds * REFERENCE_TARGETS / f64::from(self.files)
    }
}

fn table(sites: &[Site]) -> Table {
    let columns =
        ["way", "journal", "at_utc", "read_per_update", "written_per_update", "seconds_for_160000"];
    let mut table = Table::new(&columns);
    for site in sites {
        for cycle in &site.watched.cycles {
            table.push(vec![
                site.way.name.into(),
                if site.has_journal { "journal" } else { "none" }.into(),
                super::time_of_day(cycle.at_seconds).into(),
                site.of_update(cycle.pages_read).into(),
                site.of_update(cycle.pages_written).into(),
                site.cycle_seconds(cycle).into(),
            ]);
        }
    }
    table
}

fn plot(sites: &[Site], y: &str, value: impl Fn(&Site, &Cycle) -> f64) -> Plot {
    let series = |site: &Site| Series {
        name: site.name(),
        points: site
            .watched
            .cycles
            .iter()
            .map(|cycle| [(cycle.at_seconds - MIDNIGHT_SECONDS) as f64, value(site, cycle)])
            .collect(),
        is_dashed: site.has_journal,
    };
    Plot {
        title: format!("A site with {PAGES_A_FILE} pages of memory a file"),
        x: "time of day, UTC".into(),
        y: y.into(),
        shape: Shape::Day,
        series: sites.iter().map(series).collect(),
    }
}

fn verdicts(site: &Site, warm: u64) -> [Verdict; 3] {
    let mean = |count: fn(&Cycle) -> f64| site.watched.per_update(warm, site.files, count);
    let is_old = !site.way.has_advice() && !site.has_journal;
    let read = match (is_old, site.way.has_advice()) {
        (true, _) => Some(pages_of_blocks(90_000.0)),
        (_, true) if !site.has_journal => Some(pages_of_blocks(100.0)),
        _ => None, // drawn, but not told
    };
    let tolerance = Tolerance { share: 0.25, least: 0.1 };
    let because = match site.way.name {
        "mapping" => {
            "today's kernel reads 32 pages around each fault, and the whole file of 26 is among them"
        }
        _ => {
            "today's kernel begins with 4 pages, not 16, and reads nothing ahead of a read at random"
        }
    };
    let name = site.name();
    let read = Verdict::judge(
        format!("{name}: pages read for an update"),
        [read, None, site.simulated.map(|[read, _]| read)],
        mean(|cycle| cycle.pages_read as f64),
        tolerance,
        because,
    );
    let written = (!site.has_journal).then(|| pages_of_blocks(12_000.0));
    let written = Verdict::judge(
        format!("{name}: pages written for an update"),
        [written, None, site.simulated.map(|[_, written]| written)],
        mean(|cycle| cycle.pages_written as f64),
        tolerance,
        "every row that becomes final is on a page of its own",
    );
    let counted = &site.watched.cycles[warm as usize..];
    let slowest = counted.iter().map(|cycle| site.cycle_seconds(cycle)).fold(0.0, f64::max);
    let (expected, holds) = match is_old {
        true => ("over 300", slowest > STEP_SECONDS),
        false => ("under 60", slowest < 60.0),
    };
    let what = format!("{name}: seconds of the slowest cycle for 160,000 targets ({expected})");
    let (shows, reason) = match is_old {
        true => faster(read.measured, mean(|cycle| cycle.seconds)),
        false => waiting(mean(|cycle| cycle.seconds), mean(|cycle| cycle.processor_seconds)),
    };
    let slowest = Verdict::claim(what, slowest, holds).explained(shows, reason);
    [read, written, slowest]
}

/// Why a site that fell behind then does not here: whether the figures of an update show it, and how.
fn faster(pages_read: f64, seconds: f64) -> (bool, String) {
    let then = pages_of_blocks(90_000.0);
    if pages_read < then / 2.0 {
        let [here, then] = [pages_read, then].map(crate::verdict::text);
        return (true, format!("{here} pages are read for an update, not {then}"));
    }
    // What a page may take at most, all else being free, if all is to be done in time.
    let allowed_seconds = STEP_SECONDS / REFERENCE_TARGETS / then;
    let taken_seconds = seconds / pages_read;
    let [taken, allowed] =
        [taken_seconds, allowed_seconds].map(|it| crate::verdict::text(it * 1e6));
    let reason = format!(
        "a page that is read takes {taken} µs here, and the reference's site kept up with {allowed} µs"
    );
    (taken_seconds < allowed_seconds, reason)
}

/// Why a site that kept up then does not here, as above.
fn waiting(seconds: f64, processor_seconds: f64) -> (bool, String) {
    let share = 1.0 - processor_seconds / seconds;
    (share > 0.5, format!("{:.0}% of the time the disk is waited for", share * 100.0))
}

#[cfg(test)]
mod tests {
    use super::{faster, waiting};

    #[test]
    fn reasons_have_the_figures_that_show_them() {
        assert_eq!(
            faster(0.15, 1e-4),
            (true, "0.15 pages are read for an update, not 21.1".into())
        );
        let (shows, reason) = faster(25.7, 0.001);
        assert!(shows, "{reason}");
        assert!(reason.starts_with("a page that is read takes 38.9 µs here"), "{reason}");
        // No faster than it had to be then: no reason.
        assert!(!faster(25.7, 0.01).0);
        assert!(waiting(1.0, 0.2).0 && !waiting(1.0, 0.8).0);
    }
}
