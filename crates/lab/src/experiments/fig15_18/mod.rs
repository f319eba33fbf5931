//! Figures 15 to 18: more and more targets until the site breaks.

mod protocol;
mod mode;
mod site;
mod real_size;
mod verdicts;
mod plots;

use ring::Pace;
use testbed::Readahead;

use crate::files::Files;
use crate::growing::Turn;
use crate::layouts::Layout;
use crate::outcome::{Cell, Table};
use crate::ways::Way;
use crate::{Experiment, Laboratory, Outcome};
use mode::{Extent, Mode};
use protocol::Scale;
use real_size::RealSize;
use site::Site;

pub(crate) const EXPERIMENT: Experiment = Experiment {
    name: "fig15-18",
    question: "How many targets can a site have until it breaks?",
    reference: "with advice 320,000 on 16 GB of memory, then more page faults, every two hours and every \
                half hour first; with a journal too over 400,000, then writing an hour takes longer than one",
    seconds: [1200, 5],
    run,
};

/// Disk space of a ring store apart from its databases, mainly for its log.
const RING_DISK_BYTES: u64 = 1 << 30;
/// The most disk space of the store at its real size, which takes as much as is written.
const REAL_DISK_BYTES: u64 = 16 << 30;

fn run(laboratory: &mut Laboratory<'_>) -> Result<Outcome, String> {
    let extent = laboratory.choose(
        Extent {
            scale: Scale(160),
            warm_cycles: 12,
            files_max: [15_000, 75_000],
            ring_max: 400_000,
        },
        Extent { scale: Scale(3200), warm_cycles: 12, files_max: [150; 2], ring_max: 120 },
    );
    let (modes, real_sizes) = (modes(laboratory), real_size::sizes(laboratory));
    laboratory.expect_steps(modes.len() + real_sizes.len());
    let mut sites = Vec::new();
    let files_bytes = Files::disk_bytes(Layout::Mrtg, extent.files_max[1]);
    let disk = laboratory.disk(files_bytes.max(RING_DISK_BYTES))?;
    let restored = Readahead::set(disk.device(), Readahead::USUAL_KIB)?;
    for mode in modes {
        sites.push(Site::run(laboratory, &disk, &extent, mode)?);
        laboratory.step_with(&table(&sites, &[]))?;
    }
    drop((restored, disk));
    let disk = laboratory.disk(laboratory.choose(REAL_DISK_BYTES, RING_DISK_BYTES))?;
    let (mut reals, mut not_measured) = (Vec::new(), not_measured());
    for (layout, databases) in real_sizes {
        match RealSize::run(laboratory, &disk, layout, databases) {
            Ok(real) => reals.push(real),
            // If the disk or memory is too small for this number, the others are still run.
            Err(reason) => not_measured.push(format!("{databases} databases: {reason}")),
        }
        laboratory.step_with(&table(&sites, &reals))?;
    }
    Ok(Outcome {
        scale: scale(&extent),
        table: table(&sites, &reals),
        plots: plots::of(&sites),
        verdicts: verdicts::of(&sites, &reals),
        not_measured,
    })
}

fn scale(extent: &Extent) -> String {
    let Extent { scale, warm_cycles, .. } = extent;
    let own = extent.memory_bytes(Mode::Ring { tile_rows_max: 1 }) - scale.cache_bytes();
    format!(
        "1/{} of the reference's targets, page cache ({} MiB for 10 GiB, and {:.1} MiB for inodes and the \
         program) and cycle ({:.2} s for 300); 20,000 targets more every 4 cycles, after its end 15%; \
         {warm_cycles} cycles to warm the cache; {} writers; the ring store then at its real size, in real \
         time",
        scale.0,
        scale.cache_bytes() >> 20,
        own as f64 / f64::from(1 << 20),
        scale.share(false, 0, 1).cycle_seconds,
        mode::WRITERS,
    )
}

fn modes(laboratory: &Laboratory<'_>) -> Vec<Mode> {
    let files = |way| Mode::Files { way, has_journal: false };
    let mut modes: Vec<Mode> = Way::all_here().into_iter().map(files).collect();
    if laboratory.choose(false, true) {
        modes.retain(|mode| *mode == files(Way::OWN));
    }
    modes.push(Mode::Files { way: Way::OWN, has_journal: true });
    modes.extend([Pace::default().tile_rows_max, 1].map(|rows| Mode::Ring { tile_rows_max: rows }));
    modes
}

fn not_measured() -> Vec<String> {
    let mut missing = crate::rrdtool::missing();
    missing.push(
        "polling, and Perl's share of the processors, which ended the reference's own run: what is \
         measured here is the updates alone"
            .into(),
    );
    missing
}

fn table(sites: &[Site], reals: &[RealSize]) -> Table {
    let mut table = Table::new(&[
        "mode",
        "targets",
        "databases",
        "at_utc",
        "read_per_update",
        "read_per_added",
        "pages_read_behind",
        "simulated",
        "written_per_update",
        "cycle_seconds",
        "processor_seconds",
        "cached_pages",
        "anonymous_bytes",
    ]);
    for site in sites {
        for (nth, turn) in site.turns.iter().enumerate() {
            let cached_pages = Some(site.cached_pages[nth]);
            let simulated = site.simulated.as_ref().map(|it| it[nth]);
            let scale = f64::from(site.scale.0);
            table.push(row(&site.mode.name(), scale, turn, simulated, cached_pages));
        }
    }
    reals.iter().for_each(|real| real.put(&mut table));
    table
}

/// A row of the table for a cycle. Targets and times are scaled up to the reference's; pages read
/// are given for older and for added databases.
fn row(
    name: &str,
    scale: f64,
    turn: &Turn,
    simulated: Option<u64>,
    cached_pages: Option<u64>,
) -> Vec<Cell> {
    let each = |pages: u64, databases: u32| Cell::from(pages as f64 / f64::from(databases));
    let older = turn.databases - turn.added;
    vec![
        name.into(),
        (f64::from(turn.databases) * scale).into(),
        u64::from(turn.databases).into(),
        super::time_of_day(turn.cycle.at_seconds).into(),
        each(turn.older_pages_read(), older),
        each(turn.added_pages_read, turn.added),
        turn.kept_pages_read.into(),
        simulated.map_or(Cell::None, |pages| each(pages, older)),
        each(turn.cycle.pages_written, turn.databases),
        (turn.cycle.synced_seconds * scale).into(),
        (turn.cycle.processor_seconds * scale).into(),
        cached_pages.map_or(Cell::None, Cell::from),
        turn.anonymous_bytes.into(),
    ]
}
