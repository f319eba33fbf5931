//! A table five times as large as the server's memory for it: rows a second, a day of one series,
//! for several sizes of blocks.

use std::time::Instant;

use serde_json::json;
use sqlclient::Dialect;
use sqlring::{BLOCK_SLOTS, Ring, row_bytes};

use super::Bench;
use super::server::Database;
use super::table::RingTable;
use crate::figures::{median, percentile};
use crate::report::{Report, Row};

/// MRTG's ring of five minutes.
const SLOTS: u64 = 600;
/// How many times as large as the pool the table is.
const TIMES: u64 = 5;
/// Cycles that are measured: two of the largest blocks.
const CYCLES: u64 = 48;
/// Days that are asked for.
const DAYS: u64 = 100;
const DAY_ROWS: u64 = 288;
/// The share of the series with which PostgreSQL and SQLite are compared.
const SHARE: u64 = 4;

/// What is measured of one size of blocks.
#[derive(serde::Serialize)]
struct Measured {
    block_slots: u64,
    series: u64,
    /// Rows a second over all cycles.
    rate: f64,
    cycle_seconds: Vec<f64>,
    day_ms: f64,
    day_ms_99: f64,
    bytes: u64,
}

pub(super) fn measure(bench: &Bench<'_>, report: &mut Report) -> Result<(), String> {
    let Some(it) = table(bench, bench.options.pool_mb, BLOCK_SLOTS)? else { return Ok(()) };
    let pool = bench.options.pool_mb << 20;
    let what = format!("MariaDB, a table {:.1} times the pool", it.bytes as f64 / pool as f64);
    let note = format!(
        "{} series of {SLOTS} rows, pool of {} MB; {:.1} bytes a row",
        ::figures::count(it.series),
        bench.options.pool_mb,
        it.bytes as f64 / (it.series * SLOTS) as f64
    );
    // The name stays the same, whatever size the table has.
    let rate = Row::new("MariaDB, a table five times the pool", "/s", it.rate).at_least(60_000.0);
    report.row(rate.note(what).note(note));
    let day = Row::new("a day of one series by its name", "ms", it.day_ms).at_most(10.0);
    report.row(day.note(format!("{:.1} ms at 99%", it.day_ms_99)));
    report.raw("pool", json!(it));
    Ok(())
}

pub(super) fn compare(bench: &Bench<'_>, report: &mut Report) -> Result<(), String> {
    let mut all = Vec::new();
    for &block_slots in &bench.options.block_slots {
        let Some(it) = table(bench, bench.options.blocks_pool_mb, block_slots)? else {
            return Ok(());
        };
        let what = format!("blocks of {block_slots}: rows");
        report.row(Row::new(what, "/s", it.rate).undirected());
        let what = format!("blocks of {block_slots}: a day of one series");
        let day = Row::new(what, "ms", it.day_ms).undirected();
        report.row(day.note(format!("{:.1} ms at 99%", it.day_ms_99)));
        all.push(it);
        for dialect in [Dialect::Postgres, Dialect::Sqlite] {
            if let Some(rate) = second_round(bench, dialect, block_slots)? {
                let what = format!("blocks of {block_slots}: rows, {dialect}, in memory");
                report.row(Row::new(what, "/s", rate).undirected());
            }
        }
    }
    report.raw("blocks", json!(all));
    Ok(())
}

/// Rows a second of the second time round of a table that fits into memory.
fn second_round(
    bench: &Bench<'_>,
    dialect: Dialect,
    block_slots: u64,
) -> Result<Option<f64>, String> {
    let options: &[&str] = match dialect {
        Dialect::Postgres => &["shared_buffers=512MB", "max_wal_size=2GB"],
        Dialect::Sqlite | Dialect::MariaDb => &[],
    };
    let Some(database) = Database::make(dialect, bench.inside, options)? else { return Ok(None) };
    let ring = Ring { row_seconds: 300, slots: bench.options.slots };
    let series = bench.options.series / SHARE;
    let table = RingTable { ring, block_slots, series, reserves: true };
    let mut connection = database.connect()?;
    table.make(&mut *connection)?;
    table.fill(&mut *connection)?;
    let begun = Instant::now();
    for nth in ring.slots..2 * ring.slots {
        table.write_cycle(&mut *connection, nth)?;
    }
    Ok(Some((series * ring.slots) as f64 / begun.elapsed().as_secs_f64()))
}

fn table(bench: &Bench<'_>, pool_mb: u64, block_slots: u64) -> Result<Option<Measured>, String> {
    let pool = format!("--innodb-buffer-pool-size={pool_mb}M");
    let options = [&pool, "--innodb-log-file-size=512M"];
    let Some(database) = Database::make(Dialect::MariaDb, bench.inside, &options)? else {
        return Ok(None);
    };
    let ring = Ring { row_seconds: 300, slots: SLOTS };
    let series = (pool_mb << 20) * TIMES / (SLOTS * row_bytes(Dialect::MariaDb));
    let table = RingTable { ring, block_slots, series, reserves: true };
    let mut connection = database.connect()?;
    table.make(&mut *connection)?;
    table.fill(&mut *connection)?;
    let mut cycle_seconds = Vec::new();
    for nth in SLOTS..SLOTS + CYCLES {
        let begun = Instant::now();
        table.write_cycle(&mut *connection, nth)?;
        cycle_seconds.push(begun.elapsed().as_secs_f64());
    }
    let mut day_ms = Vec::new();
    for nth in 0..DAYS {
        let begun = Instant::now();
        let one = chance::first(nth) % series;
        let rows = table.day(&mut *connection, one, SLOTS + CYCLES - 1)?;
        day_ms.push(begun.elapsed().as_secs_f64() * 1e3);
        if rows != DAY_ROWS {
            return Err(format!("expected {DAY_ROWS} rows of a day, found {rows}"));
        }
    }
    Ok(Some(Measured {
        block_slots,
        series,
        rate: (series * CYCLES) as f64 / cycle_seconds.iter().sum::<f64>(),
        cycle_seconds,
        day_ms: median(&day_ms),
        day_ms_99: percentile(&day_ms, 99),
        bytes: database.bytes(&ring.table())?,
    }))
}
