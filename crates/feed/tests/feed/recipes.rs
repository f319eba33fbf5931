//! The statements that docs/sql.md shows, on all three databases.

use std::path::Path;
use std::sync::Arc;

use feed::{Feeder, Origin, create};
use ring::{RingOptions, RingStore};
use rrd::Timestamp;
use sqlclient::{Connection, Value};
use sqlring::{RING_COLUMNS, Selection};
use store::{Store as _, Update};

use crate::servers::Server;

const DOCUMENT: &str = include_str!("../../../../docs/sql.md");
const BEGIN_SECONDS: i64 = 1_699_999_800;
const STEP_SECONDS: i64 = 300;
const PORTS: usize = 12;
const ROWS: i64 = 8_640;

/// The indented statements behind "Recipes".
fn recipes() -> Vec<String> {
    let (_, recipes) = DOCUMENT.split_once("## Recipes").unwrap();
    let (recipes, _) = recipes.split_once("\n## ").unwrap();
    let mut statements = vec![String::new()];
    for line in recipes.lines().filter_map(|line| line.strip_prefix("    ")) {
        let last = statements.last_mut().unwrap();
        last.push_str(line.trim_end_matches(';'));
        last.push('\n');
        if line.ends_with(';') {
            statements.push(String::new());
        }
    }
    assert_eq!(statements.pop().as_deref(), Some(""), "each ends with a semicolon");
    statements
}

/// The reading of a port's source in a step: known numbers in an order of their own.
fn reading(port: usize, source: usize, step: i64) -> f64 {
    ((step * 7_919) % ROWS) as f64 + (port * 10 + source) as f64
}

fn a_month() -> (tempfile::TempDir, Arc<RingStore>) {
    let directory = tempfile::tempdir().unwrap();
    let options = RingOptions { sync: ring::Sync::Deferred, sparse: true, ..Default::default() };
    let store = RingStore::open_or_create(&directory.path().join("store"), options).unwrap();
    let specs = [
        "DS:ds0:GAUGE:600:0:U",
        "DS:ds1:GAUGE:600:0:U",
        "RRA:AVERAGE:0.5:1:8928",
        "RRA:MAX:0.5:1:8928",
    ];
    let definition = rrd::spec::definition(STEP_SECONDS as u64, specs).unwrap();
    let start = Timestamp::from_seconds(BEGIN_SECONDS);
    for port in 0..PORTS {
        let name = format!("router/port{port}.rrd");
        store.create(Path::new(&name), &definition, start).unwrap();
        let samples: Vec<String> = (1..=ROWS)
            .map(|step| {
                let seconds = BEGIN_SECONDS + step * STEP_SECONDS;
                format!("{seconds}:{}:{}", reading(port, 0, step), reading(port, 1, step))
            })
            .collect();
        let samples: Vec<&str> = samples.iter().map(String::as_str).collect();
        assert!(store.update(&[Update::numbered(&name, &samples)]).is_empty());
    }
    (directory, Arc::new(store))
}

fn answers(connection: &mut dyn Connection, sql: &str) -> Vec<Vec<Value>> {
    let mut rows = Vec::new();
    let mut take = |row: &[Value]| {
        rows.push(row.to_vec());
        std::ops::ControlFlow::Continue(())
    };
    connection.query(sql, &[], &mut take).unwrap();
    rows
}

fn recipes_tell_what_was_measured(server: &Server) {
    let (_directory, store) = a_month();
    let address = server.address();
    create(&address, &Selection::all(), "").unwrap();
    let mut feeder = Feeder::open(Origin::new(store.clone()), &address, "a test").unwrap();
    feeder.compare_names(&mut |_, _| true).unwrap();
    feeder.feed(&feeder.all(), &mut |_, _| true).unwrap();
    let mut connection = address.connect().unwrap();
    let connection = &mut *connection;
    connection
        .execute("CREATE TABLE customer (name VARCHAR(100), customer VARCHAR(100))", &[])
        .unwrap();
    for port in 0..PORTS {
        let values = [format!("router/port{port}.rrd"), format!("customer {}", port / 6)];
        let values = values.map(Value::Text);
        connection.execute("INSERT INTO customer (name, customer) VALUES (?, ?)", &values).unwrap();
    }
    let [percentile, busiest, panel] = &recipes()[..] else { panic!("{:?}", recipes()) };

    let expected = (0..PORTS / 6).map(|customer| {
        let ports = customer * 6..customer * 6 + 6;
        let rows = ports.flat_map(|port| (1..=ROWS).map(move |step| reading(port, 0, step)));
        let mut rows: Vec<f64> = rows.collect();
        rows.sort_by(f64::total_cmp);
        let value = rows[(rows.len() * 95).div_ceil(100) - 1];
        vec![Value::Text(format!("customer {customer}")), Value::Real(value)]
    });
    assert_eq!(answers(connection, percentile), expected.collect::<Vec<_>>());

    let told = answers(connection, busiest);
    assert_eq!(told.len(), 10);
    let mut expected: Vec<(f64, f64, String, String)> = Vec::new();
    for (port, source) in (0..PORTS).flat_map(|port| [(port, 0), (port, 1)]) {
        // The 288 rows that end within the day.
        let day = (2..=289).map(|step| reading(port, source, step));
        let (sum, peak) = day.fold((0.0, 0.0_f64), |(sum, peak), it| (sum + it, peak.max(it)));
        expected.push((sum / 288.0, peak, format!("router/port{port}.rrd"), format!("ds{source}")));
    }
    expected.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.2.cmp(&b.2)));
    for (row, (mean, peak, name, source)) in told.iter().zip(expected) {
        let [Value::Text(told_name), Value::Text(told_source), Value::Real(told_mean), told_peak] =
            &row[..]
        else {
            panic!("{row:?}");
        };
        assert_eq!((told_name, told_source), (&name, &source));
        assert!((told_mean - mean).abs() < 1e-6, "{told_mean}, expected {mean}");
        assert_eq!(*told_peak, Value::Real(peak));
    }

    let expected = (2..=289).flat_map(|step| {
        [0, 1].map(|source| {
            vec![
                Value::Integer(BEGIN_SECONDS + step * STEP_SECONDS),
                Value::Text(format!("ds{source}")),
                Value::Real(reading(1, source, step)),
            ]
        })
    });
    assert_eq!(answers(connection, panel), expected.collect::<Vec<_>>());
}

#[test]
fn recipes_on_sqlite() {
    recipes_tell_what_was_measured(&Server::sqlite());
}

#[test]
fn recipes_on_mariadb() {
    let Some(server) = Server::mariadb() else { return };
    recipes_tell_what_was_measured(&server);
}

#[test]
fn recipes_on_postgresql() {
    let Some(server) = Server::postgres() else { return };
    recipes_tell_what_was_measured(&server);
}

/// The tables that the document shows are those of the schema.
#[test]
fn the_picture_is_the_schema() {
    let columns = |table: &str| {
        let row = DOCUMENT.lines().find(|line| line.starts_with(&format!("| `{table}`"))).unwrap();
        let columns = row.rsplit('|').nth(1).unwrap();
        columns.split(", ").map(|it| it.trim().trim_matches('`').to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(columns("gyre_300s_600"), RING_COLUMNS);
    let server = Server::sqlite();
    let address = server.address();
    let (_directory, store) = a_month();
    create(&address, &Selection::all(), "").unwrap();
    let mut feeder = Feeder::open(Origin::new(store), &address, "a test").unwrap();
    feeder.compare_names(&mut |_, _| true).unwrap();
    let mut connection = address.connect().unwrap();
    for (shown, table) in
        [("gyre_series", "gyre_series"), ("gyre_rows_300s_600", "gyre_rows_300s_8928")]
    {
        let sql = format!("SELECT name FROM pragma_table_info('{table}') ORDER BY cid");
        let there: Vec<String> = answers(&mut *connection, &sql)
            .into_iter()
            .map(|row| match &row[..] {
                [Value::Text(name)] => name.clone(),
                row => panic!("{row:?}"),
            })
            .collect();
        assert_eq!(columns(shown), there);
    }
}
