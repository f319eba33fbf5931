//! Figures 3 to 5 and 8 to 11: a site that falls behind, and the effect of a journal and of advice.

use testbed::Readahead;

use super::{HOUR_SECONDS, MIDNIGHT_SECONDS};
use crate::cycle::Cycle;
use crate::files::Files;
use crate::laboratory::Watched;
use crate::layouts::Layout;
use crate::outcome::Table;
use crate::plot::{Plot, Series, Shape};
use crate::simulated::Life;
use crate::task::Task;
use crate::verdict::{Tolerance, Verdict};
use crate::ways::Way;
use crate::{Experiment, Laboratory, Outcome};

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "fig3-11",
    question: "What do a journal, advice, and both do for a site that reads more than it writes?",
    reference: "160,000 targets in 300 s: 90,000 blocks of 512 bytes read a second against 12,000 \
                written, 20 to 80% of updates missed; with a journal or with advice a cycle takes under \
                60 s, with advice about 100 blocks are read a second",
    seconds: [300, 8],
    run,
};

/// Targets of the reference's site, which has memory for 16 pages of each.
const REFERENCE_TARGETS: f64 = 160_000.0;
const PAGES_A_FILE: u64 = 16;
const STEP_SECONDS: f64 = 300.0;
const START_SECONDS: u64 = MIDNIGHT_SECONDS + 6 * HOUR_SECONDS;
const TOLERANCE: Tolerance = Tolerance { share: 0.25, least: 0.1 };

/// Converts blocks of 512 bytes a second on that site to pages for each update.
fn pages_of_blocks(blocks_a_second: f64) -> f64 {
    blocks_a_second * 512.0 / 4096.0 * STEP_SECONDS / REFERENCE_TARGETS
}

/// One way to run the site.
struct Site {
    layout: Layout,
    way: Way,
    window_kib: u64,
    has_journal: bool,
    files: u32,
    watched: Watched,
    /// Simulated pages read and written for an update, with today's kernel; there is no simulation
    /// with a journal.
    simulated: Option<[f64; 2]>,
}

/// The sizes of the experiment: all cycles, cycles to warm the cache, and cycles that updates wait
/// in a journal.
#[derive(Clone, Copy)]
struct Extent {
    cycles: u64,
    warm: u64,
    journal_cycles: u64,
}

fn run(laboratory: &mut Laboratory<'_>) -> Result<Outcome, String> {
    // Two hours warm the cache, and two are counted; a journal is written every hour.
    let [cycles, warm, journal_cycles] = laboratory.choose([48, 24, 12], [4, 2, 2]);
    let (extent, ways) = (Extent { cycles, warm, journal_cycles }, Way::all_here());
    let windows = laboratory.windows_kib()?;
    let layouts = laboratory.choose(&Layout::REFERENCE[..], &[Layout::Mrtg]);
    let of = |layout: Layout| windows_of(layout, &windows);
    let sites = |layout: &Layout| -> usize {
        ways.iter().map(|way| 2 * way.windows_of(of(*layout)).len()).sum()
    };
    laboratory.expect_steps(layouts.iter().map(sites).sum());
    let mut sites = Vec::new();
    for &layout in layouts {
        let count = laboratory.files_of(layout, 500);
        let disk = laboratory.disk(Files::disk_bytes(layout, count))?;
        for &way in &ways {
            for &window_kib in way.windows_of(of(layout)) {
                let _restored = Readahead::set(disk.device(), window_kib)?;
                for has_journal in [false, true] {
                    let files = Files::make(&disk.path(), layout, count, START_SECONDS)?;
                    sites.push(site(laboratory, &files, (way, window_kib), has_journal, extent)?);
                    files.remove()?;
                    laboratory.step_with(&table(&sites))?;
                }
            }
        }
    }
    let of_reference: Vec<&Site> = sites.iter().filter(|site| site.is_of_reference()).collect();
    let verdicts = of_reference.iter().flat_map(|site| verdicts(site, warm));
    let others = sites.iter().filter(|site| !site.is_of_reference());
    Ok(Outcome {
        scale: format!(
            "{} for 160,000, {PAGES_A_FILE} pages of page cache each as there; {cycles} cycles, {warm} of them \
             to warm the cache",
            laboratory.counts(layouts, 500)
        ),
        table: table(&sites),
        plots: vec![
            (
                "",
                plot(&of_reference, "pages read for an update", |site, it| {
                    site.of_update(it.pages_read)
                }),
            ),
            ("-cycles", plot(&of_reference, "seconds for 160,000 targets", Site::cycle_seconds)),
        ],
        verdicts: verdicts.chain(others.map(|site| pages_read(site, warm))).collect(),
        not_measured: not_measured(),
    })
}

/// Long files that are mapped with a window of megabytes are read as a whole for each update, which
/// takes very long; figure 13 includes them.
fn windows_of(layout: Layout, windows: &[u64]) -> &[u64] {
    if layout == Layout::Mrtg { windows } else { &windows[..1] }
}

fn not_measured() -> Vec<String> {
    let mut not_measured = crate::rrdtool::missing();
    not_measured.push("polling, and the share of the processor that Perl took".into());
    not_measured
}

fn site(
    laboratory: &Laboratory<'_>,
    files: &Files,
    (way, window_kib): (Way, u64),
    has_journal: bool,
    Extent { cycles, warm, journal_cycles }: Extent,
) -> Result<Site, String> {
    let task = Task {
        pages_a_file: Some(PAGES_A_FILE),
        journal_cycles: if has_journal { journal_cycles } else { 0 },
        ..Task::new(files, way, cycles)
    };
    let watched = laboratory.run(&task)?;
    let cache_pages = watched.cache_pages(PAGES_A_FILE, files.count);
    let life = Life { files, way, window_kib, cache_pages, cycles };
    let simulated = (!has_journal).then(|| life.live()).transpose()?;
    let simulated = simulated.map(|lived| lived.mean(warm));
    let (layout, files) = (files.layout, files.count);
    Ok(Site { layout, way, window_kib, has_journal, files, watched, simulated })
}

impl Site {
    fn name(&self) -> String {
        let mut name = self.way.name.to_owned();
        if !self.is_of_reference() {
            name = format!("{}, {name}, readahead {} KiB", self.layout.name(), self.window_kib);
        }
        name + if self.has_journal { ", journal" } else { "" }
    }

    /// Whether the reference had it: files of 800 rows, and its window.
    fn is_of_reference(&self) -> bool {
        self.layout == Layout::Mrtg && self.window_kib == Readahead::USUAL_KIB
    }

    fn of_update(&self, pages: u64) -> f64 {
        pages as f64 / f64::from(self.files)
    }

    /// The seconds of a cycle, scaled to the number of the reference's files.
    fn cycle_seconds(&self, cycle: &Cycle) -> f64 {
        cycle.seconds * REFERENCE_TARGETS / f64::from(self.files)
    }
}

fn table(sites: &[Site]) -> Table {
    let mut table = Table::new(&[
        "layout",
        "way",
        "readahead_kib",
        "journal",
        "at_utc",
        "read_per_update",
        "written_per_update",
        "seconds_for_160000",
    ]);
    for site in sites {
        for cycle in &site.watched.cycles {
            table.push(vec![
                site.layout.name().into(),
                site.way.name.into(),
                site.window_kib.into(),
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

/// The ways of the reference's site, and those that it could have used. The curve of `pread` would
/// coincide with that of stdio.
const DRAWN: [&str; 4] = ["stdio", "stdio-advice", "mapping", "mapping-advice"];

fn plot(sites: &[&Site], y: &str, value: impl Fn(&Site, &Cycle) -> f64) -> Plot {
    let drawn = sites.iter().filter(|site| DRAWN.contains(&site.way.name));
    let series = |site: &&Site| Series {
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
        series: drawn.map(series).collect(),
    }
}

/// Pages read for an update; compared with the reference's blocks, where it counted them.
fn pages_read(site: &Site, warm: u64) -> Verdict {
    let was_counted = site.is_of_reference() && !site.has_journal;
    let reference = match (site.way.has_advice(), site.way.name) {
        _ if !was_counted => None, // drawn, but without a number
        (true, _) => Some(pages_of_blocks(100.0)),
        (false, "pread") => None, // the reference did not do this
        (false, _) => Some(pages_of_blocks(90_000.0)),
    };
    let because = match site.way.name {
        _ if site.way.has_advice() => "pages of rows that end once in two hours have to be read",
        "mapping" => {
            "today's kernel reads 32 pages around each fault, and the whole file of 26 is among them"
        }
        _ => {
            "today's kernel begins with 4 pages, not 16, and reads nothing ahead of a read at random"
        }
    };
    Verdict::judge(
        format!("{}: pages read for an update", site.name()),
        [reference, None, site.simulated.map(|[read, _]| read)],
        site.watched.per_update(warm, site.files, |cycle| cycle.pages_read as f64),
        TOLERANCE,
        because,
    )
}

fn verdicts(site: &Site, warm: u64) -> [Verdict; 3] {
    let mean = |count: fn(&Cycle) -> f64| site.watched.per_update(warm, site.files, count);
    let is_old = !site.way.has_advice() && !site.has_journal && site.way.name != "pread";
    let (name, read) = (site.name(), pages_read(site, warm));
    let written = (!site.has_journal).then(|| pages_of_blocks(12_000.0));
    let written = Verdict::judge(
        format!("{name}: pages written for an update"),
        [written, None, site.simulated.map(|[_, written]| written)],
        mean(|cycle| cycle.pages_written as f64),
        TOLERANCE,
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

/// Why a site that fell behind then does not here: whether the figures of an update explain it, and
/// how.
fn faster(pages_read: f64, seconds: f64) -> (bool, String) {
    let then = pages_of_blocks(90_000.0);
    if pages_read < then / 2.0 {
        let [here, then] = [pages_read, then].map(crate::verdict::text);
        return (true, format!("{here} pages are read for an update, not {then}"));
    }
    // The most time for a page with which everything would be done in time, if all else took no
    // time.
    let allowed_seconds = STEP_SECONDS / REFERENCE_TARGETS / then;
    let taken_seconds = seconds / pages_read;
    let [taken, allowed] =
        [taken_seconds, allowed_seconds].map(|it| crate::verdict::text(it * 1e6));
    let reason = format!(
        "a page that is read takes {taken} µs here, and the reference's site would have kept up with {allowed} µs"
    );
    (taken_seconds < allowed_seconds, reason)
}

/// Why a site that kept up then does not here, as above.
fn waiting(seconds: f64, processor_seconds: f64) -> (bool, String) {
    let share = 1.0 - processor_seconds / seconds;
    (share > 0.5, format!("{:.0}% of the time the program is not on a processor", share * 100.0))
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
        // No faster than necessary then, so it is no reason.
        assert!(!faster(25.7, 0.01).0);
        assert!(waiting(1.0, 0.2).0 && !waiting(1.0, 0.8).0);
    }
}
