//! A store of many databases is updated by two threads without a pause; a tenth of them is fed to
//! SQLite by the process's feed. Each cycle is five minutes of a network.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use serde_json::json;
use sqlclient::{Connection, Dialect, Value};
use sqlring::Ring;

use super::Bench;
use super::server::Database;
use super::site::Site;
use crate::figures::median;
use crate::report::{Report, Row};
use crate::store::{Command, Pattern, Reply};
use crate::workload::{THREADS, cycle_seconds};

/// After so many cycles, groups are flushed all the time.
const WARM_CYCLES: u64 = 20;
/// Cycles in which the way of rows to the tables is watched.
const WATCHED_CYCLES: u64 = 3;
/// Rows that are looked for in each.
const LOOKED_FOR: usize = 20;
/// They are among so many that were acknowledged last, which is less than a batch.
const BATCH_RRDS: usize = 900;
const LOOK: Duration = Duration::from_millis(20);
/// The longest wait for a row.
const PATIENCE: Duration = Duration::from_secs(60);
/// The ring of the rows that are looked for, as the workload has it.
const RING: Ring = Ring { row_seconds: 300, slots: 600 };

pub(super) fn measure(bench: &Bench<'_>, report: &mut Report) -> Result<(), String> {
    let (rrds, cycles) = (bench.options.rrds, bench.options.cycles);
    let mut site = Site::make(bench.inside, "busy", rrds)?;
    site.pass(WARM_CYCLES.min(cycles * 2))?;
    let before = site.pass(cycles)?;
    let database = Database::make(Dialect::Sqlite, bench.inside, &[])?.ok_or("SQLite is within")?;
    site.feed(&database, names(rrds))?;
    let first = site.catch_up()?;
    let fed = site.pass(cycles)?;
    let behind = site.catch_up()?;
    let seen = watch(&mut site, &database)?;
    site.worker.done(&Command::EndFeed)?;
    let after = site.pass(cycles)?;
    let _ = std::fs::remove_dir_all(bench.inside.join("busy")); // the space is needed

    let none = (before.median_seconds() + after.median_seconds()) / 2.0;
    let (count, fed_count) = (::figures::count(rrds), first.health.databases);
    let what = format!("a cycle of {count} databases, a tenth fed, beside none fed");
    let times = fed.median_seconds() / none;
    report.row(Row::new(what, "times", times).at_most(1.2).note(format!(
        "{fed_count} databases are fed to SQLite; {:.2} s a cycle, without a feed {:.2} before and \
         {:.2} after; cycles follow each other without a pause, {:.1} s later all rows were there",
        fed.median_seconds(),
        before.median_seconds(),
        after.median_seconds(),
        behind.seconds
    )));
    let pages = fed.read_bytes as f64 / 4096.0 + fed.major_faults as f64;
    report.row(Row::new("pages that its senders read", "pages", pages).exact().at_most(0.0));
    let slowest = seen.iter().copied().fold(0.0, f64::max);
    let row = Row::new("an update acknowledged, its row visible", "s", slowest).at_most(5.0);
    report.row(row.note(format!(
        "the slowest of {}, median {:.2} s; cycles without a pause",
        seen.len(),
        median(&seen)
    )));
    report
        .raw("busy", json!({ "before": before, "fed": fed, "after": after, "seen_seconds": seen }));
    Ok(())
}

/// A tenth of the databases: 2,000 of 20,834 routers, or 10 of 100.
fn names(rrds: u64) -> &'static str {
    if rrds >= 1_000_000 { "router-0[01]*/*" } else { "router-0000*/*" }
}

/// A row that is to come.
struct Expected {
    series: u64,
    seconds: i64,
    acknowledged: Instant,
}

/// Seconds from acknowledgements to rows in the view's table.
fn watch(site: &mut Site, database: &Database) -> Result<Vec<f64>, String> {
    let mut connection = database.connect()?;
    let series = series_of(&mut *connection)?;
    let deliveries: Vec<Vec<u64>> =
        (0..THREADS).map(|thread| site.workload.deliveries(thread).collect()).collect();
    let (sender, expected) = std::sync::mpsc::channel::<Expected>();
    std::thread::scope(|scope| {
        let looking = scope.spawn(move || -> Result<Vec<f64>, String> {
            let seen = expected.iter().map(|row| look_for(&mut *connection, &row));
            seen.collect()
        });
        for _ in 0..WATCHED_CYCLES {
            let cycle = site.take_cycle();
            let command = Command::Cycle { cycle, pattern: Pattern::InStep, announce: true };
            site.worker.tell(&command)?;
            let mut sent = 0;
            loop {
                match site.worker.hear()?.ok_or("the worker ended")? {
                    Reply::Acknowledged { thread, rrds } if sent < LOOKED_FOR => {
                        let acknowledged = Instant::now();
                        let acknowledged_rrds = &deliveries[thread as usize][..rrds as usize];
                        let batch = acknowledged_rrds.iter().rev().take(BATCH_RRDS);
                        let fed = |rrd: &u64| series.get(&site.workload.name(*rrd));
                        let Some(&series) = batch.filter_map(fed).next() else { continue };
                        let seconds = cycle_seconds(cycle);
                        // The receiver is gone where it failed, which is told below.
                        let _ = sender.send(Expected { series, seconds, acknowledged });
                        sent += 1;
                    }
                    Reply::Acknowledged { .. } => {}
                    Reply::Cycle(_) => break,
                    other => return Err(format!("a cycle: answered by {other:?}")),
                }
            }
        }
        drop(sender);
        let seen = looking.join().expect("looking does not panic")?;
        match seen.is_empty() {
            true => Err("no acknowledged update was of a database that is fed".into()),
            false => Ok(seen),
        }
    })
}

/// The first series of each database.
fn series_of(connection: &mut dyn Connection) -> Result<HashMap<String, u64>, String> {
    let mut series = HashMap::new();
    let sql = "SELECT name, series FROM gyre_series WHERE source = 'ds0'";
    let mut take = |row: &[Value]| {
        if let [Value::Text(name), Value::Integer(number)] = row {
            series.insert(name.clone(), number.unsigned_abs());
        }
        ControlFlow::Continue(())
    };
    connection.query(sql, &[], &mut take).map_err(|error| error.to_string())?;
    Ok(series)
}

fn look_for(connection: &mut dyn Connection, row: &Expected) -> Result<f64, String> {
    let slot = RING.slot_of(row.seconds);
    let sql = format!(
        "SELECT time FROM {} WHERE block = ? AND series = ? AND slot = ? AND time >= ?",
        RING.table()
    );
    let numbers = [RING.block_of(slot) as i64, row.series as i64, slot as i64, row.seconds];
    while row.acknowledged.elapsed() < PATIENCE {
        let mut is_there = false;
        let mut take = |_: &[Value]| {
            is_there = true;
            ControlFlow::Break(())
        };
        let values = numbers.map(Value::Integer);
        connection.query(&sql, &values, &mut take).map_err(|error| error.to_string())?;
        if is_there {
            return Ok(row.acknowledged.elapsed().as_secs_f64());
        }
        std::thread::sleep(LOOK);
    }
    Err(format!("no row of series {} came within {PATIENCE:?}", row.series))
}
