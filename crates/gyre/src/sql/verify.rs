//! `gyre sql verify`: compares every row of the tables with the archives.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use feed::{Feeder, Origin, Verified};
use options::{CommandLine, Misuse, switch};
use rrdtool::{Failure, Session};
use sqlclient::Address;

use super::{StoreAndFile, address, feeder, origin::origin, with_store_and_file};
use crate::command_line::with_databases;
use crate::progress::Progress;

pub(super) const LINE: CommandLine<Wanted> = CommandLine {
    synopsis: "gyre sql verify [--mend] [--json] STORE FILE",
    summary: "Compare every row of the tables with the archives, bit for bit; fails if one \
              differs. Rows that are still to be fed are counted.",
    options: &[
        switch("--mend", "feed databases that differ anew", |it| it.mends = true),
        switch("--json", "print the result as JSON", |it| it.as_json = true),
    ],
    notes: super::PLACE_HELP,
};

#[derive(Default)]
pub(super) struct Wanted {
    as_json: bool,
    mends: bool,
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
    let address = address(Path::new(&wanted.at.file)).map_err(Failure::of)?;
    let origin = origin(session, &wanted.at.root)?;
    let mut progress = Progress::new("databases");
    let found = feed::verify(&origin, &address, &mut |done, all| {
        progress.show(done, all);
        true
    });
    progress.clear();
    let found = found.map_err(Failure::of)?;
    let told = match wanted.as_json {
        true => format!("{:#}\n", serde_json::to_value(&found).map_err(Failure::of)?),
        false => text(&found),
    };
    session.out.extend_from_slice(told.as_bytes());
    match found.differences_count {
        0 => Ok(()),
        _ if wanted.mends => {
            let mended = mend(origin, &address, &found).map_err(Failure::of)?;
            session.out.extend_from_slice(format!("{mended} databases were fed anew\n").as_bytes());
            Ok(())
        }
        1 => Err(Failure::misuse("one difference")),
        count => Err(Failure::misuse(format!("{count} differences"))),
    }
}

/// Feeds the databases anew that differ. Returns how many there were.
fn mend(origin: Origin, address: &Address, found: &Verified) -> Result<usize, feed::Error> {
    let mut feeder = Feeder::open(origin, address, &feeder("gyre sql verify"))?;
    feeder.compare_names(&mut |_, _| true)?;
    let mut mended = 0;
    for name in &found.names {
        mended += usize::from(feeder.mend(name)?);
    }
    while feeder.take_out_trash()? {}
    Ok(mended)
}

fn text(found: &Verified) -> String {
    let mut text = String::new();
    // Writing to a String cannot fail.
    for difference in &found.differences {
        let _ = writeln!(text, "{}: {}", difference.name, difference.what);
    }
    let Verified { databases, rows, rows_behind, .. } = found;
    let verdict = if found.differences_count == 0 { "no difference" } else { "differences" };
    let _ = writeln!(
        text,
        "{verdict}: {databases} databases, {rows} rows compared, {rows_behind} still to be fed"
    );
    text
}
