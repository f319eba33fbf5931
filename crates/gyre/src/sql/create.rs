//! `gyre sql create`: says what a feed would take, and makes its tables.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use feed::{Created, Plan};
use figures::size;
use options::{CommandLine, Misuse, checked, option, switch};
use rrd::ConsolidationFunction;
use rrdtool::{Failure, Session};
use serde_json::json;
use sqlring::{FUNCTIONS, Selection};

use super::{StoreAndFile, address, origin::origin, with_store_and_file};
use crate::command_line::with_databases;

/// The longest row that can be asked for: ten years.
const ROW_SECONDS_MAX: u64 = 10 * 366 * 86_400;

pub(super) const LINE: CommandLine<Wanted> = CommandLine {
    synopsis: "gyre sql create [OPTIONS] STORE FILE",
    summary: "Say what the tables of a store would take, then make them. `gyre sql feed` fills \
              them.",
    options: &[
        option("--names", "PATTERN", "feed only databases of such names", |it, value| {
            it.names = Some(value.as_os_str().to_string_lossy().into_owned());
        }),
        checked(
            "--rows",
            "SECONDS,...",
            "feed only archives whose rows have these lengths",
            |it, value| {
                let wrong = || value.wrong("lengths of rows in seconds, such as 300,1800");
                let lengths = value.text()?.split(',').map(|text| text.parse().ok());
                let lengths: Option<Vec<u64>> = lengths.collect();
                it.row_seconds = lengths.ok_or_else(wrong)?;
                match it.row_seconds.iter().all(|length| (1..=ROW_SECONDS_MAX).contains(length)) {
                    true => Ok(()),
                    false => Err(wrong()),
                }
            },
        ),
        checked(
            "--functions",
            "CF,...",
            "feed only archives of these functions: AVERAGE, MIN, MAX, LAST",
            |it, value| {
                let function = |text: &str| {
                    FUNCTIONS
                        .into_iter()
                        .find(|function| function.name().eq_ignore_ascii_case(text))
                };
                let functions: Option<Vec<_>> = value.text()?.split(',').map(function).collect();
                it.functions =
                    functions.ok_or_else(|| value.wrong("functions of AVERAGE, MIN, MAX, LAST"))?;
                Ok(())
            },
        ),
        switch("--dry-run", "say what they would take, and make nothing", |it| it.is_dry = true),
        switch("--json", "print the result as JSON", |it| it.as_json = true),
    ],
    notes: super::PLACE_HELP,
};

#[derive(Default)]
pub(super) struct Wanted {
    names: Option<String>,
    row_seconds: Vec<u64>,
    functions: Vec<ConsolidationFunction>,
    is_dry: bool,
    as_json: bool,
    at: StoreAndFile,
}

pub(super) fn main(words: Vec<OsString>) -> ExitCode {
    with_databases(&LINE, parse(words), run)
}

fn parse(words: Vec<OsString>) -> Result<Option<Wanted>, Misuse> {
    let found = with_store_and_file(&LINE, words)?;
    Ok(found.map(|(wanted, at)| Wanted { at, ..wanted }))
}

fn run(session: &mut Session, wanted: &Wanted) -> Result<(), Failure> {
    let selection = Selection {
        names: wanted.names.clone().unwrap_or_default(),
        row_seconds: wanted.row_seconds.clone(),
        functions: wanted.functions.clone(),
    };
    let address = address(Path::new(&wanted.at.file)).map_err(Failure::of)?;
    let origin = origin(session, &wanted.at.root)?;
    let plan = feed::plan(&origin, &selection, address.dialect()).map_err(Failure::of)?;
    let made = match wanted.is_dry {
        true => None,
        false => Some(feed::create(&address, &selection, origin.place()).map_err(Failure::of)?),
    };
    let told = match wanted.as_json {
        true => format!("{:#}\n", json!({ "plan": plan, "created": made == Some(Created::New) })),
        false => text(&plan, &address.to_string(), made),
    };
    session.out.extend_from_slice(told.as_bytes());
    Ok(())
}

fn text(plan: &Plan, place: &str, made: Option<Created>) -> String {
    let Plan { databases, series, names_refused, left_out, rings, rows_per_second, rows, bytes } =
        plan;
    let mut text = format!("{databases} databases, {series} series\n");
    // Writing to a String cannot fail.
    for planned in rings {
        let (ring, series) = (planned.ring, planned.series);
        let view = ring.view();
        let _ = writeln!(
            text,
            "  {view:<26} {} rows of {} s each, {series} series",
            ring.slots, ring.row_seconds
        );
    }
    let _ = writeln!(
        text,
        "{rows_per_second:.1} rows a second; {rows} rows when all rings are full, about {}",
        size(*bytes)
    );
    if *names_refused > 0 {
        let _ = writeln!(
            text,
            "{names_refused} databases are left out: their names have more than {} characters",
            sqlring::NAME_CHARACTERS_MAX
        );
    }
    for (why, archives) in left_out {
        let _ = writeln!(text, "{archives} archives of {why} are left out: tables cannot say it");
    }
    let _ = match made {
        None => writeln!(text, "nothing was made"),
        Some(Created::New) => writeln!(text, "made the tables in {place}"),
        Some(Created::There) => writeln!(text, "the tables are in {place} already"),
    };
    text
}
