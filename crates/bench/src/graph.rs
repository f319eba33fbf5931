//! Graphs, exports and trends in the pipe mode: Debian's rrdtool against gyre, in one run, the two
//! taking turns over the same files, which are resident.
//!
//! Expected: a graph of rrdtool's spends its time in Cairo and Pango (antialiasing, fonts, zlib).
//! Drawn straight from one scene, with glyphs that are rendered once, PNG should take a fifth of
//! it, and SVG, which is text alone, a tenth. TREND sums each window anew, in rrdtool's order:
//! several windows side by side should take a third.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use ::options::{OwnRow, checked, switch};

use crate::graph_calls;
use crate::options::{self, choose, fill};
use crate::pipe::Pipe;
use crate::report::{Report, Row};
use crate::update::build_gyre;

/// The time of the last update.
const END_SECONDS: u64 = 1_789_999_800;
const STEP_SECONDS: u64 = 300;
const YEAR_ROWS: u64 = 105_120;
/// Updates of one command.
const UPDATES_AT_ONCE: u64 = 300;

/// How many pictures there are of one kind.
const PICTURES: usize = 50;

/// What is measured.
struct Work {
    name: &'static str,
    /// Commands of a round.
    commands: usize,
    /// How many times as fast as rrdtool it is to be.
    target: f64,
    /// How the pictures that are left end, if commands leave some.
    picture: Option<&'static str>,
    /// The command that leaves the nth picture.
    line: fn(usize) -> String,
}

const WORKS: [Work; 6] = [
    Work {
        name: "day-png",
        commands: 100,
        target: 5.0,
        picture: Some("day.png"),
        line: |nth| day(&format!("{nth}-day.png -a PNG")),
    },
    Work {
        name: "day-svg",
        commands: 100,
        target: 10.0,
        picture: Some("day.svg"),
        line: |nth| day(&format!("{nth}-day.svg -a SVG")),
    },
    Work {
        name: "stack-png",
        commands: 20,
        target: 5.0,
        picture: Some("stack.png"),
        line: |nth| stack(&format!("{nth}-stack.png -a PNG")),
    },
    Work {
        name: "stack-svg",
        commands: 20,
        target: 5.0,
        picture: Some("stack.svg"),
        line: |nth| stack(&format!("{nth}-stack.svg -a SVG")),
    },
    Work { name: "xport-json", commands: 10, target: 5.0, picture: None, line: |_| xport() },
    Work { name: "trend", commands: 5, target: 3.0, picture: None, line: |_| trend() },
];

const NAMES: [&str; 7] =
    ["day-png", "day-svg", "stack-png", "stack-svg", "xport-json", "trend", GALLERY];

/// All graphs of the gallery, through Perl.
const GALLERY: &str = "gallery";
const GALLERY_TARGET: f64 = 4.0;

pub(crate) struct Options {
    rounds: usize,
    /// Commands are divided by this.
    quick: usize,
    only: Vec<&'static str>,
    json: bool,
}

impl options::Options for Options {
    const NAME: &'static str = "graph";
    const ABOUT: &'static str = "graphs, exports and trends of the pipe mode, against rrdtool";
    const PARTS: &'static [&'static str] = &NAMES;
    const TABLE: &'static [OwnRow<Self>] = &[
        checked("--rounds", "N", "rounds, the two taking turns (5)", |o, it| {
            fill(&mut o.rounds, &it)
        }),
        checked("--only", "P,...", "some of", |o, it| choose(&mut o.only, &NAMES, &it)),
        switch("--json", "the figures as JSON", |o| o.json = true),
    ];

    fn full() -> Self {
        Self { rounds: 5, quick: 1, only: NAMES.into(), json: false }
    }

    fn quick() -> Option<Self> {
        Some(Self { rounds: 3, quick: 10, ..Self::full() })
    }
}

/// Runs the benchmark.
///
/// # Errors
/// Wrong options, a missing program, or a command that is refused.
pub(crate) fn main(words: &[String]) -> Result<(), String> {
    let options: Options = options::parse(words)?;
    let rrdtool = oracle::program("rrdtool", "the benchmark").ok_or("rrdtool is not installed")?;
    let programs = [rrdtool, build_gyre()?];
    let directory = tempfile::tempdir().map_err(|error| error.to_string())?;
    make_files(&programs[0], directory.path())?;
    let mut report = Report::default();
    for work in WORKS.iter().filter(|work| options.only.contains(&work.name)) {
        let measured = measure(&options, &programs, directory.path(), work);
        if let Some(rows) = report.attempt(work.name, measured) {
            rows.into_iter().for_each(|row| report.row(row));
        }
    }
    if options.only.contains(&GALLERY) {
        let measured = graph_calls::measure(&programs[0], options.rounds, GALLERY_TARGET);
        if let Some(row) = report.attempt(GALLERY, measured) {
            report.row(row);
        }
    }
    report.print("graph", options.json)
}

/// Lets both do the same rounds in turn.
fn measure(
    options: &Options,
    programs: &[PathBuf; 2],
    directory: &Path,
    work: &Work,
) -> Result<Vec<Row>, String> {
    let count = (work.commands / options.quick).max(1);
    // As a site's pictures are: each round draws all of them anew, and none twice in a row, which
    // would wait for the disk to take the one before.
    let commands: String = (0..count).map(|nth| (work.line)(nth % PICTURES) + "\n").collect();
    let mut millis: [Vec<f64>; 2] = Default::default();
    let mut picture_bytes = [0.0; 2];
    let mut pipes = [Pipe::start(&programs[0], directory)?, Pipe::start(&programs[1], directory)?];
    for _ in 0..options.rounds {
        for (who, pipe) in pipes.iter_mut().enumerate() {
            let round = pipe.ask(commands.as_bytes(), count)?;
            millis[who].push(round.elapsed.as_secs_f64() * 1e3 / count as f64);
            if let Some(picture) = work.picture {
                let facts = std::fs::metadata(directory.join(format!("0-{picture}")));
                picture_bytes[who] =
                    facts.map_err(|error| format!("{picture}: {error}"))?.len() as f64;
            }
        }
    }
    let name = work.name;
    let mut rows = vec![Row::of_turns(name, "ms", "rrdtool", &millis).times(work.target)];
    if work.picture.is_some() {
        let [theirs, ours] = picture_bytes;
        rows.push(
            Row::new(format!("{name}: bytes"), "bytes", ours)
                .beside([("rrdtool", theirs)])
                .times(1.0)
                .exact(),
        );
    }
    Ok(rows)
}

/// A day of two sources, as MRTG's pages show it.
fn day(picture: &str) -> String {
    format!(
        "graph {picture} -s {} -e {END_SECONDS} -w 500 -h 150 -l 0 -t Traffic -v 'Bytes per Second' \
         DEF:in=few.rrd:a:AVERAGE DEF:out=few.rrd:b:AVERAGE AREA:in#00cc00:In \
         GPRINT:in:MAX:'Max %5.1lf%s' GPRINT:in:AVERAGE:'Average %5.1lf%s\\l' LINE1:out#0000ff:Out \
         GPRINT:out:MAX:'Max %5.1lf%s' GPRINT:out:AVERAGE:'Average %5.1lf%s\\l'",
        END_SECONDS - 86_400
    )
}

/// A year of twenty sources, one upon the other.
fn stack(picture: &str) -> String {
    let start = END_SECONDS - YEAR_ROWS * STEP_SECONDS;
    let mut line = format!("graph {picture} -s {start} -e {END_SECONDS} -w 1200 -h 600 -l 0");
    for nth in 0..20_u32 {
        let color = nth * 797_003 % 0x0100_0000;
        // A String takes everything.
        let _ = write!(line, " DEF:d{nth}=many.rrd:s{nth}:AVERAGE");
        let _ = write!(line, " AREA:d{nth}#{color:06x}:'source {nth}':STACK");
    }
    line
}

/// A hundred series of 600 rows.
fn xport() -> String {
    let start = END_SECONDS - 600 * STEP_SECONDS;
    let mut line = format!("xport -s {start} -e {END_SECONDS} -m 600 --json");
    for nth in 0..100 {
        let source = nth % 20;
        let _ = write!(line, " DEF:d{nth}=many.rrd:s{source}:AVERAGE XPORT:d{nth}:'series {nth}'");
    }
    line
}

/// The means of a moving day over a year.
fn trend() -> String {
    let start = END_SECONDS - YEAR_ROWS * STEP_SECONDS;
    format!(
        "graph trend.png -s {start} -e {END_SECONDS} -w {YEAR_ROWS} -h 50 -g \
         DEF:a=year.rrd:a:AVERAGE CDEF:t=a,86400,TREND VDEF:m=t,AVERAGE PRINT:m:%.10le"
    )
}

/// The databases, the same for both programs.
fn make_files(rrdtool: &Path, directory: &Path) -> Result<(), String> {
    let sources = |count: usize| (0..count).map(|nth| format!("s{nth}")).collect::<Vec<_>>();
    let few = ["a".to_owned(), "b".to_owned()];
    make(rrdtool, directory, "few.rrd", &few, 800, "RRA:AVERAGE:0.5:1:800")?;
    let archives = "RRA:AVERAGE:0.5:1:700 RRA:AVERAGE:0.5:288:400";
    make(rrdtool, directory, "many.rrd", &sources(20), YEAR_ROWS, archives)?;
    let archive = format!("RRA:AVERAGE:0.5:1:{}", YEAR_ROWS + 600);
    make(rrdtool, directory, "year.rrd", &few[..1], YEAR_ROWS, &archive)
}

fn make(
    rrdtool: &Path,
    directory: &Path,
    file: &str,
    sources: &[String],
    rows: u64,
    archives: &str,
) -> Result<(), String> {
    let start = END_SECONDS - rows * STEP_SECONDS;
    let mut lines = format!("create {file} --start {start} --step {STEP_SECONDS} {archives}");
    for source in sources {
        let _ = write!(lines, " DS:{source}:GAUGE:600:U:U");
    }
    let mut count = 1;
    for nth in 1..=rows {
        if nth % UPDATES_AT_ONCE == 1 {
            let _ = write!(lines, "\nupdate {file}");
            count += 1;
        }
        let _ = write!(lines, " {}", start + nth * STEP_SECONDS);
        for source in 0..sources.len() as u64 {
            let wave = (nth as f64 / 45.0 + source as f64).sin() + 2.0;
            let _ = write!(lines, ":{:.3}", wave * (1000 + nth * 7919 % 300) as f64);
        }
    }
    lines.push('\n');
    Pipe::start(rrdtool, directory)?.ask(lines.as_bytes(), count).map(drop)
}
