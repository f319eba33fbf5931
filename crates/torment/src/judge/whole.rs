//! Compares everything that gyre shows, at the end of a trial.

use std::fs;
use std::path::Path;

use files::{Access, RrdFile};
use oracle::Reply;

use super::{Pipe, first_difference, settle};
use crate::Checked;
use crate::client::Answer;
use crate::daemon::Daemon;
use crate::ledger::Entry;
use crate::shadow::Shadow;
use crate::site::{Site, text_of};
use crate::world::{Kept, World};

/// Compares FETCH, DUMP, `fetch`, `dump`, `export` and a backup with rrdtool. No daemon runs before
/// or after. All changes that are not open must have been applied.
pub(crate) fn compare_all(
    site: &Site,
    world: &World,
    shadow: &mut Shadow,
    entries: &mut [Entry],
) -> Checked<()> {
    let backup = site.room.join("backup");
    if site.kept == Kept::Ring {
        // The backup of the present state, including the journal.
        back_up(site, &backup)?;
    }
    let mut daemon = Daemon::listening(site, world)?;
    settle(&mut daemon, shadow, entries).map_err(at("DUMP"))?;
    compare_fetch(&daemon, shadow, entries).map_err(at("FETCH"))?;
    if site.kept == Kept::Files {
        daemon.client().and_then(|mut client| client.ask("FLUSHALL\n"));
        let present = entries.iter().filter(|entry| entry.exists());
        for entry in present {
            let mut client = daemon.client().ok_or("the daemon is gone")?;
            let answer = client.ask(&format!("FLUSH {}\n", entry.name()));
            let Some(Answer::Done { .. }) = answer else {
                return Err(format!("FLUSH {}: {answer:?}", entry.name()));
            };
        }
    }
    daemon.end()?;
    compare_verbs(site, world, shadow, entries)?;
    if site.kept == Kept::Ring {
        verify(site, &site.ring())?;
        compare_exported(site, &site.ring(), shadow, entries).map_err(at("export"))?;
        let restored = site.room.join("restored");
        let mut command = site.gyre();
        command.arg("restore").arg(&backup).arg(&restored);
        site.succeed(command).map_err(at("restore"))?;
        compare_exported(site, &restored, shadow, entries).map_err(at("export of the backup"))?;
        verify(site, &restored).map_err(at("the backup"))?;
    } else {
        compare_files(site, shadow, entries)?;
    }
    site.check_log()
}

fn back_up(site: &Site, to: &Path) -> Checked<()> {
    let mut command = site.gyre();
    command.arg("backup").arg(site.ring()).arg(to);
    let output = site.output(command)?;
    // Torn pages are reported; the journal in the backup has their rows.
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let mut told = said.lines().filter(|line| line.starts_with('/')).peekable();
    let only_torn = told.peek().is_some() && told.all(|line| line.contains("copied as is"));
    match output.status.success() || only_torn {
        true => Ok(()),
        false => Err(format!("backup: {}", text_of(&output))),
    }
}

fn at(what: &str) -> impl Fn(String) -> String {
    move |reason| format!("{what}: {reason}")
}

/// The daemon's FETCH, compared with `rrdtool fetch`.
fn compare_fetch(daemon: &Daemon<'_>, shadow: &mut Shadow, entries: &[Entry]) -> Checked<()> {
    for entry in entries.iter().filter(|entry| entry.exists()) {
        let mut client = daemon.client().ok_or("the daemon is gone")?;
        let end = entry.last_seconds();
        let words = format!("AVERAGE {} {end}", end - 3000);
        let answer = client.ask(&format!("FETCH {} {words}\n", entry.name()));
        let Some(Answer::Done { lines, .. }) = answer else {
            return Err(format!("{}: {answer:?}", entry.name()));
        };
        let expected = shadow.fetch(entry, &format!("AVERAGE -s {} -e {end}", end - 3000))?;
        let rows =
            |line: &&String| line.split_once(": ").is_some_and(|it| it.0.parse::<i64>().is_ok());
        let text = |lines: &[String]| {
            let rows: Vec<String> =
                lines.iter().filter(rows).map(|line| in_ten_digits(line)).collect();
            rows.join("\n")
        };
        let (found, expected) = (text(&lines), text(&expected));
        if found != expected {
            let difference = first_difference(&found, &expected);
            return Err(format!("{} {words}: {difference}", entry.name()));
        }
    }
    Ok(())
}

/// A row of numbers with as many digits as `rrdtool fetch` prints.
fn in_ten_digits(row: &str) -> String {
    let digits = |word: &str| match word.parse::<f64>() {
        Ok(value) if value.is_finite() => format!("{value:.10e}"),
        _ => word.to_owned(),
    };
    row.split(' ').map(digits).collect::<Vec<_>>().join(" ")
}

/// `dump` and `fetch` of each database, as text.
fn compare_verbs(
    site: &Site,
    world: &World,
    shadow: &mut Shadow,
    entries: &mut [Entry],
) -> Checked<()> {
    let mut pipe = Pipe::start(site)?;
    settle(&mut pipe, shadow, entries).map_err(at("dump"))?;
    for entry in entries.iter().filter(|entry| entry.exists()) {
        let end = entry.last_seconds();
        for (function, seconds) in world.layouts[entry.member.layout].fetchable() {
            // More rows than any ring has, and a part of a ring.
            for rows in [50, 7] {
                let start = end - rows * seconds;
                let words = format!("{function} -r {seconds} -s {start} -e {end}");
                let found = match pipe.ask("fetch", entry.name(), &words)? {
                    Reply::Ok(lines) => lines.join("\n"),
                    Reply::Error(error) => return Err(format!("fetch {}: {error}", entry.name())),
                };
                let expected = shadow.fetch(entry, &words)?.join("\n");
                if found != expected {
                    let difference = first_difference(&found, &expected);
                    return Err(format!("fetch {} {words}: {difference}", entry.name()));
                }
            }
        }
    }
    Ok(())
}

fn verify(site: &Site, ring: &Path) -> Checked<()> {
    let mut command = site.gyre();
    command.arg("verify").arg(ring);
    let output = site.output(command)?;
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("verify: {}", text_of(&output))),
    }
}

/// The exported files of a ring store, bit by bit.
fn compare_exported(site: &Site, ring: &Path, shadow: &Shadow, entries: &[Entry]) -> Checked<()> {
    let directory = site.room.join("exported");
    if directory.exists() {
        fs::remove_dir_all(&directory).map_err(|error| error.to_string())?;
    }
    let mut command = site.gyre();
    command.arg("export").arg(ring).arg("--all").arg(&directory);
    site.succeed(command)?;
    let present = entries.iter().filter(|entry| entry.exists());
    for entry in present {
        compare_file(&directory.join(entry.name()), shadow, entry)?;
    }
    Ok(())
}

/// The files themselves, bit by bit.
fn compare_files(site: &Site, shadow: &Shadow, entries: &[Entry]) -> Checked<()> {
    let present = entries.iter().filter(|entry| entry.exists());
    present.into_iter().try_for_each(|entry| compare_file(&site.path(entry.name()), shadow, entry))
}

fn compare_file(path: &Path, shadow: &Shadow, entry: &Entry) -> Checked<()> {
    let found = RrdFile::open(path, Access::Read).and_then(|file| file.snapshot());
    let found = found.map_err(|error| error.to_string())?;
    let (found, expected) = (bits(&found), bits(&shadow.snapshot(entry)?));
    let differs = found.iter().zip(&expected).position(|(found, expected)| found != expected);
    match differs {
        None if found.len() == expected.len() => Ok(()),
        _ => Err(format!(
            "{}: value {differs:?} of {}, expected {}",
            entry.name(),
            found.len(),
            expected.len()
        )),
    }
}

/// The bits of each number of a database, because NaN does not equal itself.
fn bits(snapshot: &rrd::Snapshot) -> Vec<String> {
    let live = &snapshot.live;
    let sources = live.sources.iter().map(|source| {
        format!("{:?} {} {:x}", source.last_reading, source.unknown_seconds, source.value.to_bits())
    });
    let cells = live.cells.iter().map(|cell| {
        let values = [cell.value, cell.primary, cell.secondary].map(f64::to_bits);
        format!("{values:x?} {}", cell.unknown_pdps)
    });
    let rows = snapshot.rows.iter().flatten().map(|value| format!("{:x}", value.to_bits()));
    let rest = format!("{:?} {:?}", live.last_update, live.forecast.words);
    std::iter::once(rest).chain(sources).chain(cells).chain(rows).collect()
}
