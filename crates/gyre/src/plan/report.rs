//! The plan as text: verdicts, the fleet and the machine, a table.

use std::fmt::Write as _;

use planner::{Fleet, FleetGroup, Machine, PlanError, Prediction};

use super::answers::{Answer, Answers, Limit};
use super::machine::Found;
use super::subject::Subject;
use super::ways::Named;
use super::words::{at_most, bytes, duration, every, figure, used};
use figures::{count, share, size, some, step};

/// The width of the first column, and of the column of each way.
const INDENT: usize = 28;
const WIDTH: usize = 13;
/// The most layouts that get a line of their own.
const LAYOUTS_MAX: usize = 8;

/// The verdicts, what is planned, the table, and the fleets that it is compared with.
pub(super) fn text(subject: &Subject, found: &Found, answers: &Answers) -> String {
    let mut out = String::new();
    verdicts(&mut out, answers, &found.machine);
    out.push('\n');
    planned(&mut out, subject, &answers.first);
    machine(&mut out, found);
    table(&mut out, answers);
    for answer in &answers.others {
        compared(&mut out, answers, answer);
    }
    out
}

fn verdicts(out: &mut String, answers: &Answers, machine: &Machine) {
    let fleet = &answers.first.question.fleet;
    let databases = fleet.databases();
    let fitting = answers.first.predictions.iter().flatten().filter(|it| it.fits()).count();
    let all = some(databases, "database", "databases");
    let name = match answers.first.question.name.as_str() {
        "as it is" => String::new(),
        name => format!(", {name}"),
    };
    // Writing to a String cannot fail, here and below.
    let _ = match fitting {
        0 => writeln!(out, "DOES NOT FIT: {all}{name}"),
        _ => writeln!(out, "FITS: {all}{name}, in {}", ways(fitting, answers.ways.len())),
    };
    let first = answers.ways.iter().zip(&answers.first.predictions).zip(&answers.limits);
    for (((way, _), prediction), limit) in first {
        let words = verdict(prediction, limit, databases, machine);
        let _ = writeln!(out, "  {way:<10} {words}");
    }
}

fn ways(fitting: usize, all: usize) -> String {
    match (fitting, all) {
        (_, 1) => "the way that is asked for".into(),
        (fitting, all) if fitting == all => format!("each of {all} ways"),
        (fitting, all) => format!("{fitting} of {all} ways"),
    }
}

/// Whether one way carries the databases, and how many it carries.
fn verdict(
    prediction: &Result<Prediction, PlanError>,
    limit: &Result<Limit, PlanError>,
    databases: u64,
    machine: &Machine,
) -> String {
    let (prediction, limit) = match (prediction, limit) {
        (Ok(prediction), Ok(limit)) => (prediction, limit),
        (Err(error), _) | (_, Err(error)) => return format!("cannot: {error}"),
    };
    let bound = used(prediction.bound(), prediction, machine);
    let lacks = super::words::name(limit.lacks);
    match prediction.fits() {
        true if limit.databases > databases => {
            let more = at_most(limit.databases - databases);
            format!("fits ({bound}); room for {more} more, limited by {lacks}")
        }
        true => format!("fits ({bound}); no room for more, limited by {lacks}"),
        false => format!(
            "does not fit: {bound}; room for {}, limited by {lacks}",
            at_most(limit.databases)
        ),
    }
}

fn planned(out: &mut String, subject: &Subject, answer: &Answer) {
    let fleet = &answer.question.fleet;
    let from = match &subject.path {
        Some(path) => format!("{} {}", subject.kind, path.display()),
        None => subject.kind.to_owned(),
    };
    let rate = figure(fleet.updates_per_second());
    let _ = writeln!(out, "planned     {from}; {rate} updates a second");
    for note in &subject.notes {
        let _ = writeln!(out, "            {note}");
    }
    layouts(out, fleet);
}

fn layouts(out: &mut String, fleet: &Fleet) {
    for group in fleet.groups.iter().take(LAYOUTS_MAX) {
        let _ = writeln!(out, "            {}", layout(group));
    }
    if let Some(rest) = fleet.groups.get(LAYOUTS_MAX..).filter(|rest| !rest.is_empty()) {
        let databases = rest.iter().map(|group| group.databases).sum();
        let layouts = some(rest.len() as u64, "layout", "layouts");
        let _ = writeln!(out, "            {} of {layouts} more", count(databases));
    }
}

fn layout(group: &FleetGroup) -> String {
    let definition = &group.definition;
    let own_step = match definition.step_seconds == group.cadence_seconds {
        true => String::new(),
        false => format!(", a step of {}", step(definition.step_in_seconds())),
    };
    format!(
        "{} {}{own_step}: {}, {}, {} rows",
        count(group.databases),
        every(group.cadence_in_seconds()),
        some(definition.sources.len() as u64, "source", "sources"),
        some(definition.archives.len() as u64, "archive", "archives"),
        count(definition.archives.iter().map(|archive| archive.rows).sum()),
    )
}

fn machine(out: &mut String, found: &Found) {
    let machine = &found.machine;
    let disk = &machine.disk;
    let _ = writeln!(
        out,
        "memory      {} {}; {}",
        size(machine.memory_bytes),
        found.memory_from,
        some(machine.cores.into(), "processor", "processors")
    );
    let _ = writeln!(out, "disk        {} {}", size(machine.disk_bytes), found.room_from);
    let _ = writeln!(
        out,
        "            {} reads and {} writes a second at random, {}/s in order, a sync {} ({})",
        figure(disk.random_reads_per_second),
        figure(disk.random_writes_per_second),
        bytes(disk.sequential_bytes_per_second),
        milliseconds(disk.synced_write_seconds),
        found.disk_from
    );
}

fn milliseconds(seconds: f64) -> String {
    format!("{} ms", figure(seconds * 1000.0))
}

/// Formats a figure of a prediction.
type Cell = fn(&Prediction) -> String;

/// The rows of the table.
const LINES: [(&str, Cell); 15] = [
    ("page-ins a second", |it| figure(it.reads.page_ins_per_second)),
    ("  an update", |it| figure(it.reads.page_ins_per_update)),
    ("  in the worst cycle", |it| figure(it.reads.page_ins_per_update_max)),
    ("written a second", |it| bytes(it.written.bytes())),
    ("  an update", |it| bytes(it.written.bytes() / it.updates_per_second)),
    ("cycle, mean", |it| duration(it.cycle.seconds)),
    ("  the longest", |it| duration(it.cycle.seconds_max)),
    ("  the first after a boot", |it| duration(it.cycle.first_seconds)),
    ("restart after a kill", |it| duration(it.restart_seconds)),
    ("memory required", |it| bytes(it.memory.needed_bytes())),
    ("page cache used", |it| bytes(it.memory.page_cache_bytes)),
    ("  pages a file", |it| it.pages_per_file.map_or("-".into(), |pages| format!("{pages:.1}"))),
    ("disk", |it| size(it.disk_bytes)),
    ("C, steps to a checkpoint", |it| it.pace.map_or("-".into(), |it| it.flush_cycles.to_string())),
    ("K, rows of a tile at most", |it| {
        it.pace.map_or("-".into(), |it| it.tile_rows_max.to_string())
    }),
];

fn table(out: &mut String, answers: &Answers) {
    head(out, &answers.first.question.name, &answers.ways);
    LINES.iter().for_each(|(name, cell)| line(out, name, &answers.first.predictions, *cell));
}

fn head(out: &mut String, name: &str, ways: &[Named]) {
    let _ = match name.len() < INDENT {
        true => write!(out, "\n{name:<INDENT$}"),
        false => write!(out, "\n{name}\n{:INDENT$}", ""),
    };
    ways.iter().for_each(|(way, _)| {
        let _ = write!(out, "{way:>WIDTH$}");
    });
    out.push('\n');
}

fn line(out: &mut String, name: &str, all: &[Result<Prediction, PlanError>], cell: Cell) {
    let _ = write!(out, "{name:<INDENT$}");
    for prediction in all {
        let _ = write!(out, "{:>WIDTH$}", prediction.as_ref().map_or("-".into(), cell));
    }
    out.push('\n');
}

/// The comparison with another fleet, in a few rows.
fn compared(out: &mut String, answers: &Answers, answer: &Answer) {
    let name = match answer.question.name.as_str() {
        "as it is" => "as it is".into(),
        name => format!("what if {name}"),
    };
    head(out, &name, &answers.ways);
    let cadence = step(answer.question.fleet.shortest_cadence_seconds());
    let longest = format!("  longest cycle, of {cadence}");
    let lines: [(&str, Cell); 4] = [
        ("  fits", |it| match it.fits() {
            true => format!("yes, {}", share(it.bound().strain())),
            false => format!("no, {}", super::words::name(it.bound().resource)),
        }),
        ("  page-ins a second", |it| figure(it.reads.page_ins_per_second)),
        ("  written a second", |it| bytes(it.written.bytes())),
        (&longest, |it| duration(it.cycle.seconds_max)),
    ];
    lines.iter().for_each(|(name, cell)| line(out, name, &answer.predictions, *cell));
}
