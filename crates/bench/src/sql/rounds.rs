//! A ring that goes round three times: rows a second, and the size of its table.

use std::time::Instant;

use serde_json::json;
use sqlclient::Dialect;
use sqlring::{BLOCK_SLOTS, Ring};
use testbed::ProcessCounters;

use super::Bench;
use super::server::Database;
use super::table::RingTable;
use super::trigger;
use crate::figures::median;
use crate::report::{Report, Row};

/// Times round.
const ROUNDS: u64 = 3;

/// What is measured of one time round.
#[derive(serde::Serialize)]
struct Round {
    /// Rows a second in the median cycle.
    rate: f64,
    cycle_seconds: Vec<f64>,
    /// Microseconds of processor time for a row.
    server_us: f64,
    client_us: f64,
    bytes: u64,
}

pub(super) fn mariadb(bench: &Bench<'_>, report: &mut Report) -> Result<(), String> {
    let pool = ["--innodb-buffer-pool-size=1G", "--innodb-log-file-size=1G"];
    let Some(database) = Database::make(Dialect::MariaDb, bench.inside, &pool)? else {
        return Ok(());
    };
    let rate = measure(bench, report, &database, Dialect::MariaDb, 100_000.0)?;
    let calls = trigger::measure(&database, bench.options.trigger_seconds)?;
    for (what, theirs, times) in [("one row", calls.one, 120.0), ("500 rows", calls.many, 40.0)] {
        let what = format!("MariaDB, beside a trigger with {what} a call");
        let row = Row::new(what, "/s", rate).beside([("trigger", theirs.rate)]).times(times);
        report.row(row.note(format!(
            "{} rows were sent, {} are left of {}",
            theirs.sent,
            theirs.rows_left,
            trigger::ROWS
        )));
    }
    Ok(())
}

pub(super) fn postgres(bench: &Bench<'_>, report: &mut Report) -> Result<(), String> {
    let pool = ["shared_buffers=1GB", "max_wal_size=2GB"];
    match Database::make(Dialect::Postgres, bench.inside, &pool)? {
        Some(it) => measure(bench, report, &it, Dialect::Postgres, 200_000.0).map(drop),
        None => Ok(()),
    }
}

pub(super) fn sqlite(bench: &Bench<'_>, report: &mut Report) -> Result<(), String> {
    match Database::make(Dialect::Sqlite, bench.inside, &[])? {
        Some(it) => measure(bench, report, &it, Dialect::Sqlite, 300_000.0).map(drop),
        None => Ok(()),
    }
}

/// Returns the rate of the second time round.
fn measure(
    bench: &Bench<'_>,
    report: &mut Report,
    database: &Database,
    dialect: Dialect,
    target: f64,
) -> Result<f64, String> {
    let ring = Ring { row_seconds: 300, slots: bench.options.slots };
    let (series, reserves) = (bench.options.series, bench.options.reserves);
    let table = RingTable { ring, block_slots: BLOCK_SLOTS, series, reserves };
    let mut connection = database.connect()?;
    table.make(&mut *connection)?;
    let mut rounds = Vec::new();
    for nth in 0..ROUNDS {
        let cycles = nth * ring.slots..(nth + 1) * ring.slots;
        let (used, server) = (own_seconds()?, database.processor_seconds());
        let mut cycle_seconds = Vec::new();
        for cycle in cycles {
            let begun = Instant::now();
            table.write_cycle(&mut *connection, cycle)?;
            cycle_seconds.push(begun.elapsed().as_secs_f64());
        }
        let rows = (ring.slots * table.series) as f64;
        rounds.push(Round {
            rate: table.series as f64 / median(&cycle_seconds),
            server_us: (database.processor_seconds() - server) / rows * 1e6,
            client_us: (own_seconds()? - used) / rows * 1e6,
            bytes: database.bytes(&ring.table())?,
            cycle_seconds,
        });
    }
    report.raw(dialect.name(), json!(rounds));
    let [first, second, third] = &rounds[..] else { return Err("three rounds".into()) };
    let series = ::figures::count(table.series);
    report.row(
        Row::new(format!("{dialect}, {series} series, second time round"), "/s", second.rate)
            .at_least(target)
            .note(format!(
                "processor time of a row: server {:.2} us, client {:.2} us; first time round \
                 {:.0}/s, third {:.0}/s",
                second.server_us, second.client_us, first.rate, third.rate
            )),
    );
    let grown = third.bytes as f64 / first.bytes as f64;
    let row_bytes = third.bytes as f64 / (ring.slots * table.series) as f64;
    let once = first.bytes as f64 / (ring.slots * table.series) as f64;
    report.row(
        Row::new(format!("{dialect}, size after three times round beside once"), "times", grown)
            .at_most(1.05)
            .note(format!("bytes of a row: {once:.1} after once, {row_bytes:.1} after three")),
    );
    Ok(second.rate)
}

fn own_seconds() -> Result<f64, String> {
    let own = ProcessCounters::own()?;
    Ok(own.user_seconds + own.system_seconds)
}
