//! `gyre sql feed`: feeds what is new.

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use feed::{Feeder, Tally};
use figures::duration;
use options::{CommandLine, Misuse, checked, switch};
use rrdtool::{Failure, Session};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use sqlclient::Address;

use super::{StoreAndFile, address, feeder, origin::origin, with_store_and_file};
use crate::command_line::{understood, with_databases};
use crate::progress::Progress;

pub(super) const LINE: CommandLine<Wanted> = CommandLine {
    synopsis: "gyre sql feed [--every SECONDS] [--json] STORE FILE",
    summary: "Feed the rows of a store, or of a tree of .rrd files, that its tables do not have \
              yet. It can be cut short at any time, and goes on where it was.",
    options: &[
        checked(
            "--every",
            "SECONDS",
            "do so again and again, so many seconds from one begin to the next",
            |it, value| {
                it.every = Some(value.seconds(1.0..=86_400.0)?);
                Ok(())
            },
        ),
        switch("--json", "print what was fed as JSON, a line each time", |it| it.as_json = true),
    ],
    notes: super::PLACE_HELP,
};

#[derive(Default)]
pub(super) struct Wanted {
    every: Option<Duration>,
    as_json: bool,
    at: StoreAndFile,
}

/// How long a feed sleeps before it asks whether it is to stop.
const NAP: Duration = Duration::from_millis(50);

pub(super) fn main(words: Vec<OsString>) -> ExitCode {
    let wanted = match understood(&LINE, parse(words)) {
        Ok(wanted) => wanted,
        Err(code) => return code,
    };
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // Without it the signal ends the process, which loses nothing either.
        let _ = flag::register(signal, Arc::clone(&stop));
    }
    loop {
        let began = Instant::now();
        // The store is left to others in between.
        let code = with_databases(&LINE, Ok(Some(&wanted)), |session, wanted| {
            once(session, wanted, &stop)
        });
        let Some(every) = wanted.every else { return code };
        while began.elapsed() < every {
            if stop.load(Ordering::Relaxed) {
                return ExitCode::SUCCESS;
            }
            thread::sleep(NAP);
        }
    }
}

fn parse(words: Vec<OsString>) -> Result<Option<Wanted>, Misuse> {
    let found = with_store_and_file(&LINE, words)?;
    Ok(found.map(|(wanted, at)| Wanted { at, ..wanted }))
}

fn once(session: &mut Session, wanted: &Wanted, stop: &AtomicBool) -> Result<(), Failure> {
    let began = Instant::now();
    let address = address(Path::new(&wanted.at.file)).map_err(Failure::of)?;
    let origin = origin(session, &wanted.at.root)?;
    let name = feeder("gyre sql feed");
    let mut feeder = Feeder::open(origin, &address, &name).map_err(Failure::of)?;
    let done = all(&mut feeder, stop);
    let tally = feeder.tally();
    let told = match wanted.as_json {
        true => format!("{}\n", serde_json::to_value(tally).map_err(Failure::of)?),
        false => told(&tally, &address, began.elapsed()),
    };
    session.out.extend_from_slice(told.as_bytes());
    match (done, feeder.unreadable()) {
        (Err(feed::Error::Stopped), _) => Ok(()),
        (Err(error), _) => Err(Failure::of(error)),
        (Ok(()), Some(why)) => {
            let count = tally.unreadable;
            Err(Failure::misuse(format!("{count} databases were not fed, the first {why}")))
        }
        (Ok(()), None) => Ok(()),
    }
}

/// Feeds everything that is new, and deletes what is gone.
fn all(feeder: &mut Feeder, stop: &AtomicBool) -> Result<(), feed::Error> {
    let goes_on = || !stop.load(Ordering::Relaxed);
    let mut progress = Progress::new("new databases");
    feeder.compare_names(&mut |done, all| {
        progress.show(done, all);
        goes_on()
    })?;
    progress.clear();
    let mut progress = Progress::new("databases");
    let numbers = feeder.all();
    let fed = feeder.feed(&numbers, &mut |done, all| {
        progress.show(done, all);
        goes_on()
    });
    progress.clear();
    fed?;
    while goes_on() && feeder.take_out_trash()? {}
    Ok(())
}

fn told(tally: &Tally, address: &Address, took: Duration) -> String {
    let mut counts = vec![format!("{} rows", tally.rows)];
    let others = [
        (tally.databases_begun, "databases begun"),
        (tally.databases_removed, "databases removed"),
        (tally.infinite, "infinite values unknown there"),
        (tally.rows_lost, "rows lost: the ring had gone round"),
        (tally.names_refused, "databases left out for their names"),
    ];
    let others = others.into_iter().filter(|(count, _)| *count > 0);
    counts.extend(others.map(|(count, what)| format!("{count} {what}")));
    format!("{} fed to {address} in {}\n", counts.join(", "), duration(took.as_secs_f64()))
}
