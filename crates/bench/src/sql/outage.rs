//! MariaDB is away for an hour of updates: how fast the feed catches up, and in how much memory.

use serde_json::json;
use sqlclient::Dialect;

use super::Bench;
use super::server::Database;
use super::site::Site;
use crate::report::{Report, Row};

/// Cycles before, so that memory has settled.
const WARM_CYCLES: u64 = 14;
/// Cycles of an hour.
const HOUR_CYCLES: u64 = 12;

pub(super) fn measure(bench: &Bench<'_>, report: &mut Report) -> Result<(), String> {
    let rrds = bench.options.outage_rrds;
    let options = ["--innodb-buffer-pool-size=512M", "--innodb-log-file-size=1G"];
    let Some(mut database) = Database::make(Dialect::MariaDb, bench.inside, &options)? else {
        return Ok(());
    };
    let mut site = Site::make(bench.inside, "outage", rrds)?;
    site.pass(WARM_CYCLES)?;
    site.feed(&database, "")?;
    let first = site.catch_up()?;
    site.pass(2)?;
    site.catch_up()?;
    let before = site.worker.counters()?.anonymous_bytes;
    database.kill9();
    site.pass(HOUR_CYCLES)?;
    let away = site.worker.counters()?.anonymous_bytes;
    database.restart();
    let caught_up = site.catch_up()?;
    let _ = std::fs::remove_dir_all(bench.inside.join("outage")); // the space is needed

    let what = format!("an hour of {} databases caught up with", ::figures::count(rrds));
    let rate = caught_up.rows as f64 / caught_up.seconds;
    report.row(Row::new(what, "/s", rate).at_least(100_000.0).note(format!(
        "MariaDB: {} rows in {:.1} s, {} lost; before, {} rows in {:.1} s when the feed began",
        caught_up.rows, caught_up.seconds, caught_up.health.rows_lost, first.rows, first.seconds
    )));
    let grown = caught_up.anonymous_bytes_max.saturating_sub(before) as f64 / f64::from(1 << 20);
    report.row(Row::new("memory that it takes more then", "MB", grown).at_most(64.0).note(
        format!(
            "{} MB before, {} MB after the hour, {} MB at most while it caught up",
            before >> 20,
            away >> 20,
            caught_up.anonymous_bytes_max >> 20
        ),
    ));
    report.raw("outage", json!({ "rows": caught_up.rows, "seconds": caught_up.seconds }));
    Ok(())
}
