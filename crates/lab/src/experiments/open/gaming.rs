//! Influencing readahead without advice: the pages that are read if a program seeks, or reads in
//! another order.

use disk::{File, Mode};
use testbed::Readahead;

use super::super::MIDNIGHT_SECONDS;
use super::{Figure, Part, bars};
use crate::Laboratory;
use crate::files::Files;
use crate::layouts::{Layout, PAGE_BYTES};
use crate::verdict::{Tolerance, Verdict, text};

pub(super) const STEPS: usize = GAMES.len();

/// Seeks without effect before each read.
const SEEKS: usize = 8;
/// The pages with rows of the averages and of the maxima, in the middle of a file.
const ROW_PAGES: [u64; 2] = [7, 20];

/// One way to read the three pages of an update.
type Game = (&'static str, fn(&File) -> std::io::Result<()>);

const GAMES: [Game; 4] = [
    ("header, then rows", |file| pages(file, [0, ROW_PAGES[0], ROW_PAGES[1]], 0)),
    ("the same, seeks that do nothing between", |file| {
        pages(file, [0, ROW_PAGES[0], ROW_PAGES[1]], SEEKS)
    }),
    ("rows first, then the header", |file| pages(file, [ROW_PAGES[1], ROW_PAGES[0], 0], 0)),
    ("random access advised", |file| {
        file.advise_random()?;
        pages(file, [0, ROW_PAGES[0], ROW_PAGES[1]], 0)
    }),
];

fn pages(file: &File, order: [u64; 3], seeks: usize) -> std::io::Result<()> {
    let mut page = [0; PAGE_BYTES as usize];
    for nth in order {
        for _ in 0..seeks {
            file.seek_to(file.len_bytes()?)?;
            file.seek_to(nth * PAGE_BYTES)?;
        }
        file.seek_to(nth * PAGE_BYTES)?;
        file.read_next(&mut page)?;
    }
    Ok(())
}

pub(super) fn run(laboratory: &mut Laboratory<'_>) -> Result<Part, String> {
    let count = laboratory.choose(100, 5);
    let disk = laboratory.disk(Files::disk_bytes(Layout::Mrtg, count))?;
    let _restored = Readahead::set(disk.device(), Readahead::USUAL_KIB)?;
    let files = Files::make(&disk.path(), Layout::Mrtg, count, MIDNIGHT_SECONDS)?;
    let mut brought = Vec::new();
    for (_, game) in GAMES {
        brought.push(mean_brought(laboratory, &files, game)?);
        laboratory.step()?;
    }
    let figures = GAMES.iter().zip(&brought).map(|((name, _), pages)| Figure {
        question: "gaming readahead",
        case: (*name).into(),
        what: "pages brought",
        value: *pages,
    });
    let tolerance = Tolerance { share: 0.0, least: 0.5 };
    let judge = |nth: usize| {
        let what = format!("gaming readahead, {}: pages brought where 3 are needed", GAMES[nth].0);
        Verdict::judge(what, [Some(3.0), None, None], brought[nth], tolerance, "")
    };
    let names = ["header, rows", "with seeks", "rows, header", "advice"].map(str::to_owned);
    let plot = bars(
        "Readahead gamed: pages that three reads bring",
        ["what is read, and how", "pages in memory"],
        names.into(),
        vec![("800-rows".into(), brought.clone())],
    );
    let [plain, sought, _, advised] = [0, 1, 2, 3].map(|nth| brought[nth]);
    let offsets = format!(
        "Linux goes by the offsets of reads alone: without seeks as many come, {}",
        text(plain)
    );
    let window = format!(
        "a read of the header opens a window whatever came before it: without readahead {} pages come",
        text(advised)
    );
    Ok(Part {
        scale: format!("{count} files for gaming and reading"),
        figures: figures.collect(),
        verdicts: vec![
            judge(1).explained((plain - sought).abs() < tolerance.least, offsets),
            judge(2).explained((advised - 3.0).abs() < tolerance.least, window),
            judge(3),
        ],
        plots: vec![("", plot)],
        ..Part::default()
    })
}

fn mean_brought(
    laboratory: &Laboratory<'_>,
    files: &Files,
    game: fn(&File) -> std::io::Result<()>,
) -> Result<f64, String> {
    let mut all = 0;
    for nth in 0..files.count {
        laboratory.check()?;
        files.evict_one(nth)?;
        let path = files.path(nth);
        let read = File::open(&path, Mode::Read).and_then(|file| game(&file));
        read.map_err(|error| format!("{}: {error}", path.display()))?;
        all += files.came(nth)?.len();
    }
    Ok(all as f64 / f64::from(files.count))
}
