//! Readahead policies that depend on a file's type, or on its history.

use capacity::policy::{Adaptive, DEFAULT_WINDOW_PAGES, OnDemand, Tuning};
use capacity::replay::Method;
use testbed::{LoopDisk, Readahead};

use super::super::fig13::point;
use super::super::{HOUR_SECONDS, MIDNIGHT_SECONDS};
use super::history::{History, StaysOpen};
use super::{Part, bars};
use crate::Laboratory;
use crate::files::Files;
use crate::layouts::Layout;
use crate::ratio::{NEXT_TO_NONE, next_to_none, ratio};
use crate::simulated;
use crate::task::Task;
use crate::verdict::{Judged, Tolerance, Verdict, text};
use crate::ways::Way;

pub(super) const STEPS: usize = TRANSFERS.len() + 2;

const TRANSFERS: [&str; 3] = ["stdio", "pread", "mapping"];
/// Scarce memory: fewer pages than any update touches.
const PAGES_A_FILE: u64 = 2;
/// Openings of each file; the policy learns from the first one.
const OPENINGS: u64 = 4;
/// Numbers of pages that differ by less are considered equal.
const TOLERANCE: Tolerance = Tolerance { share: 0.1, least: 0.25 };

pub(super) fn run(laboratory: &mut Laboratory<'_>) -> Result<Part, String> {
    let count = laboratory.choose(100, 10);
    let disk = laboratory.disk(Files::disk_bytes(Layout::Mrtg, count))?;
    let mut files = Files::make(&disk.path(), Layout::Mrtg, count, start_seconds())?;
    let mut part = Part::default();
    let mut by_type = Vec::new();
    for transfer in TRANSFERS {
        by_type.push(type_of(laboratory, &disk, &mut files, transfer)?);
        laboratory.step()?;
    }
    for (transfer, [usual, none, advised]) in TRANSFERS.into_iter().zip(&by_type) {
        for (case, value) in [("window 128", usual), ("window 0", none), ("advice", advised)] {
            let case = format!("{transfer}, {case}");
            part.figure("readahead by file type", case, "pages brought", *value);
        }
        part.judged(Ok(type_verdict(transfer, [*usual, *none, *advised])));
    }
    let scarce = laboratory.choose(300, 40);
    let judged = scarce_memory(laboratory, scarce, &mut part)?;
    part.judged(judged);
    let found = by_history(laboratory, &disk, &mut files)?;
    for (case, value) in found.cases() {
        part.figure("readahead by file history", case, "pages brought", value);
    }
    part.verdicts.extend(found.verdicts());
    part.plots = vec![("-readahead", plot(&by_type)), ("-history", found.plot())];
    part.scale =
        format!("{count} evicted files for types and histories, {scarce} in scarce memory");
    Ok(part)
}

/// Half an hour has just ended, so the next updates have two rows each.
fn start_seconds() -> u64 {
    MIDNIGHT_SECONDS + 6 * HOUR_SECONDS
}

/// Pages loaded by the update of an evicted file: with the usual window, with no window for the
/// disk, and with advice.
fn type_of(
    laboratory: &Laboratory<'_>,
    disk: &LoopDisk,
    files: &mut Files,
    transfer: &str,
) -> Result<[f64; 3], String> {
    let mut brought = [0.0; 3];
    let ways = [(Readahead::USUAL_KIB, ""), (0, ""), (Readahead::USUAL_KIB, "-advice")];
    for ((window_kib, end), brought) in ways.into_iter().zip(&mut brought) {
        let way = Way::named(&format!("{transfer}{end}")).expect("it is one of all ways");
        *brought = mean_brought(laboratory, disk, files, [window_kib, 1], way)?;
    }
    end_half_hour(laboratory, files)?;
    Ok(brought)
}

/// Updates until half an hour has ended, so that none of the next five updates ends one.
fn end_half_hour(laboratory: &Laboratory<'_>, files: &mut Files) -> Result<(), String> {
    let end_seconds = files.last_seconds.next_multiple_of(HOUR_SECONDS / 2);
    let cycles = (end_seconds - files.last_seconds) / files.layout.step_seconds();
    laboratory.run(&Task::new(files, Way::OWN, cycles))?;
    files.last_seconds = end_seconds;
    Ok(())
}

/// The mean of the pages loaded by the last of `openings` updates of each evicted file.
fn mean_brought(
    laboratory: &Laboratory<'_>,
    disk: &LoopDisk,
    files: &mut Files,
    [window_kib, cycles]: [u64; 2],
    way: Way,
) -> Result<f64, String> {
    let _restored = Readahead::set(disk.device(), window_kib)?;
    let task = Task { evicts_each: true, ..Task::new(files, way, cycles) };
    let watched = laboratory.run(&task)?;
    files.last_seconds += cycles * files.layout.step_seconds();
    let last = &watched.brought[watched.brought.len() - files.count as usize..];
    let pages: usize = last.iter().map(Vec::len).sum();
    Ok(pages as f64 / last.len() as f64)
}

fn type_verdict(transfer: &str, [usual, none, advised]: [f64; 3]) -> Verdict {
    let what = format!(
        "readahead by file type, had by a disk for .rrd files with a window of 0, {transfer}: pages brought \
         ({} with 128 KiB)",
        text(usual)
    );
    let reason = format!("some rows share the header's page: advice brings {}, too", text(advised));
    let is_as_advice = (none - advised).abs() < TOLERANCE.least;
    Verdict::judge(what, [Some(3.0), None, None], none, TOLERANCE, "")
        .explained(is_as_advice, reason)
}

fn scarce_memory(
    laboratory: &mut Laboratory<'_>,
    count: u32,
    part: &mut Part,
) -> Result<Judged, String> {
    let cycles = laboratory.choose([12, 24], [2, 2]);
    let disk = laboratory.disk(Files::disk_bytes(Layout::Mrtg, count))?;
    let mut read = Vec::new();
    for (name, window_kib) in [("pread", 0), ("pread-advice", Readahead::USUAL_KIB)] {
        let way = Way::named(name).expect("it is one of all ways");
        let mut files = Files::make(&disk.path(), Layout::Mrtg, count, start_seconds())?;
        let memory = [window_kib, PAGES_A_FILE];
        let found = point(laboratory, &disk, &mut files, cycles, way, memory)?;
        let case = format!("{name}, window {window_kib}, {PAGES_A_FILE} pages a file");
        part.figure("readahead by file type", case, "pages read for an update", found.measured);
        read.push(found);
        files.remove()?;
    }
    laboratory.step()?;
    let what = format!(
        "readahead by file type, {PAGES_A_FILE} pages a file: page-ins with a window of 0 against those \
         with advice (the same would be 1)"
    );
    let against = |value: fn(&super::super::fig13::Point) -> f64| {
        ratio(value(&read[0]), value(&read[1]), NEXT_TO_NONE)
    };
    let Some(measured) = against(|it| it.measured) else {
        return Ok(Err(next_to_none(&what, read[1].measured)));
    };
    let others = [Some(1.0), None, against(|it| it.simulated)];
    let tolerance = Tolerance { share: 0.15, least: 0.0 };
    Ok(Ok(Verdict::judge(what, others, measured, tolerance, "")))
}

fn plot(by_type: &[[f64; 3]]) -> crate::Plot {
    let kind = |nth: usize| by_type.iter().map(|each| each[nth]).collect();
    bars(
        "Readahead by the type of a file: pages that an update brings",
        ["how the file is read", "pages brought"],
        TRANSFERS.map(str::to_owned).into(),
        vec![
            ("window of 128 KiB".into(), kind(0)),
            ("window of 0".into(), kind(1)),
            ("advice".into(), kind(2)),
        ],
    )
}

/// Pages loaded by the last of several openings of an evicted file.
struct Histories {
    opened_each: f64,
    descriptor_kept: f64,
    advised: f64,
    simulated: Simulated,
}

/// The same, simulated for the same files.
struct Simulated {
    opened_each: f64,
    descriptor_kept: f64,
    adaptive: f64,
    history: f64,
}

fn by_history(
    laboratory: &mut Laboratory<'_>,
    disk: &LoopDisk,
    files: &mut Files,
) -> Result<Histories, String> {
    let usual = [Readahead::USUAL_KIB, OPENINGS];
    let mut measured = [0.0; 3];
    let mut simulated = None;
    for (name, measured) in ["stdio", "stdio-kept", "stdio-advice"].into_iter().zip(&mut measured) {
        let way = Way::named(name).expect("it is one of all ways");
        if simulated.is_none() {
            simulated = Some(simulate(files)?);
        }
        *measured = mean_brought(laboratory, disk, files, usual, way)?;
        end_half_hour(laboratory, files)?;
    }
    laboratory.step()?;
    let [opened_each, descriptor_kept, advised] = measured;
    let simulated = simulated.expect("there were ways");
    Ok(Histories { opened_each, descriptor_kept, advised, simulated })
}

fn simulate(files: &Files) -> Result<Simulated, String> {
    let today = || match testbed::has_large_folios() {
        true => OnDemand::with_large_folios(DEFAULT_WINDOW_PAGES),
        false => OnDemand::new(DEFAULT_WINDOW_PAGES),
    };
    let mut sums = [0; 4];
    for nth in 0..files.count {
        let rows = files.newest_rows(nth)?;
        let brought = [
            last_brought(files, &rows, today()),
            last_brought(files, &rows, StaysOpen(today())),
            last_brought(files, &rows, Adaptive::new(Tuning::default())),
            last_brought(files, &rows, History::after(today())),
        ];
        sums.iter_mut().zip(brought).for_each(|(sum, pages)| *sum += pages);
    }
    let [opened_each, descriptor_kept, adaptive, history] =
        sums.map(|sum| sum as f64 / f64::from(files.count));
    Ok(Simulated { opened_each, descriptor_kept, adaptive, history })
}

fn last_brought(
    files: &Files,
    newest_rows: &[u64],
    readahead: impl capacity::policy::Readahead,
) -> usize {
    let method = Method::Stream;
    let all = simulated::brought_again(files, newest_rows.into(), method, readahead, OPENINGS);
    all[all.len() - 1]
}

impl Histories {
    fn cases(&self) -> [(&'static str, f64); 7] {
        [
            ("opened each time", self.opened_each),
            ("opened each time, simulated", self.simulated.opened_each),
            ("descriptor kept", self.descriptor_kept),
            ("descriptor kept, simulated", self.simulated.descriptor_kept),
            ("advice", self.advised),
            ("adaptive readahead across openings, simulated", self.simulated.adaptive),
            ("what the last opening read, simulated", self.simulated.history),
        ]
    }

    fn verdicts(&self) -> [Verdict; 2] {
        let kept = format!(
            "readahead by file history, the descriptor kept, stdio: pages brought by an update, {} where it is \
             opened each time",
            text(self.opened_each)
        );
        let because = "the kernel keeps what it knows with the descriptor, and goes by it nowhere at a file's \
                       beginning: a read there opens a window";
        let figures = [Some(3.0), None, Some(self.simulated.descriptor_kept)];
        let kept = Verdict::judge(kept, figures, self.descriptor_kept, TOLERANCE, because);
        let history = format!(
            "readahead by file history across openings: pages brought by an update, simulated, of a kernel whose \
             first window is what the last opening read in order {}, by adaptive readahead {}; with advice instead",
            text(self.simulated.history),
            text(self.simulated.adaptive)
        );
        [kept, Verdict::figure(history, self.advised)]
    }

    fn plot(&self) -> crate::Plot {
        bars(
            format!("Readahead by history: pages of opening {OPENINGS} of an evicted file"),
            ["what is kept, and where", "pages brought"],
            ["nothing", "descriptor", "streams (ARA)", "last opening", "advice"]
                .map(str::to_owned)
                .into(),
            vec![
                (
                    "measured".into(),
                    vec![self.opened_each, self.descriptor_kept, 0.0, 0.0, self.advised],
                ),
                (
                    "simulated".into(),
                    vec![
                        self.simulated.opened_each,
                        self.simulated.descriptor_kept,
                        self.simulated.adaptive,
                        self.simulated.history,
                        0.0,
                    ],
                ),
            ],
        )
    }
}
