//! The views, compared with the archives by other means than `verify`.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;

use sqlclient::{Address, Connection, Value};
use sqlring::Dialect;
use store::Store;

/// The known values of a row by name, source and time, of one view and column.
type Rows = BTreeMap<(String, String, i64), f64>;

/// The columns of a view by the functions of archives.
const COLUMNS: [(&str, &str); 4] =
    [("AVERAGE", "average"), ("MIN", "minimum"), ("MAX", "maximum"), ("LAST", "last")];

/// Asserts that views show what archives hold, and nothing else.
pub(crate) fn assert_equal(store: &dyn Store, address: &Address) {
    let mut connection = address.connect().unwrap();
    let dialect = connection.dialect();
    let mut expected: BTreeMap<(String, &str), Rows> = BTreeMap::new();
    for name in store.names("").unwrap() {
        let whole = store.snapshot(Path::new(&name)).unwrap();
        let definition = &whole.definition;
        for (nth, archive) in definition.archives.iter().enumerate() {
            let seconds = archive.row_seconds(definition.step_seconds);
            let view = format!("gyre_rows_{seconds}s_{}", archive.rows);
            let cf = archive.cf.name();
            let column = COLUMNS.iter().find(|(function, _)| *function == cf).unwrap().1;
            let rows = expected.entry((view, column)).or_default();
            let newest = whole.newest_row_seconds(nth);
            let columns = definition.sources.len();
            for (place, value) in whole.rows[nth].iter().enumerate() {
                let age = archive.rows - 1 - (place / columns) as u64;
                let time = newest - (age * seconds) as i64;
                // MariaDB has neither infinity nor a zero with a sign.
                let (is_kept, value) = match dialect {
                    Dialect::MariaDb => (value.is_finite(), value + 0.0),
                    _ => (!value.is_nan(), *value),
                };
                let source = &definition.sources[place % columns].name;
                if is_kept {
                    rows.insert((name.clone(), source.clone(), time), value);
                }
            }
        }
    }
    for ((view, column), expected) in &expected {
        let found = known(&mut *connection, view, column);
        for (key, value) in &found {
            let bits = expected.get(key).map(|value| value.to_bits());
            assert_eq!(Some(value.to_bits()), bits, "{view}.{column} of {key:?} has {value}");
        }
        assert_eq!(found.len(), expected.len(), "{view}.{column} lacks rows");
    }
}

fn known(connection: &mut dyn Connection, view: &str, column: &str) -> Rows {
    let sql = format!("SELECT name, source, time, {column} FROM {view} WHERE {column} IS NOT NULL");
    let mut rows = Rows::new();
    let mut take = |row: &[Value]| {
        let [Value::Text(name), Value::Text(source), Value::Integer(time), Value::Real(value)] =
            row
        else {
            panic!("{row:?}");
        };
        rows.insert((name.clone(), source.clone(), *time), *value);
        ControlFlow::Continue(())
    };
    connection.query(&sql, &[], &mut take).unwrap();
    rows
}
