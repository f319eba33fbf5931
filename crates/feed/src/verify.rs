//! Compares every row of the tables with the archives.

use std::ops::{ControlFlow, Range};

use rrd::Snapshot;
use sqlclient::{Address, Connection, Value};
use sqlring::{Cells, Dialect, FedRing, Layout, Ring, rows_of_block, stored};
use std::collections::{BTreeSet, HashMap, HashSet};
use store::NamePattern;

use crate::Error;
use crate::books::{Books, Fed};
use crate::feeder::Progress;
use crate::load;
use crate::origin::Origin;

/// Rows that are in memory together.
const ROWS_AT_ONCE: u64 = 500_000;
/// Differences that are told one by one.
const TOLD_MAX: usize = 100;
/// How often a database is looked at that differs while rows are being fed.
const LOOKS: usize = 5;

/// What a comparison found.
#[derive(Clone, Debug, Default, serde::Serialize)]
pub struct Verified {
    /// Databases that were compared.
    pub databases: usize,
    /// Rows that were compared, unknown ones included.
    pub rows: u64,
    /// Rows that are still to be fed.
    pub rows_behind: u64,
    /// The first differences.
    pub differences: Vec<Difference>,
    /// How many differences there are.
    pub differences_count: u64,
    /// The databases that differ.
    pub names: BTreeSet<String>,
}

/// A difference between tables and archives.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Difference {
    /// The database.
    pub name: String,
    /// What differs.
    pub what: String,
}

/// Compares all databases. A store that is fed meanwhile may be ahead of its tables.
///
/// # Errors
/// The store or the tables cannot be read, or the work was stopped.
pub fn verify(
    origin: &Origin,
    address: &Address,
    progress: &mut Progress<'_>,
) -> Result<Verified, Error> {
    let mut connection = address.connect()?;
    let books = load::books(&mut *connection)?;
    let mut verifier =
        Verifier { origin, connection: &mut *connection, found: Verified::default() };
    verifier.compare_names(&books)?;
    let mut fed: Vec<u32> = books.iter().map(|(number, _)| number).collect();
    fed.sort_unstable_by_key(|number| books.get(*number).map(|fed| fed.first_series));
    let all = fed.len();
    for numbers in runs(&books, &fed) {
        if !progress(verifier.found.databases, all) {
            return Err(Error::Stopped);
        }
        verifier.compare(&books, numbers)?;
    }
    Ok(verifier.found)
}

/// Databases in the order of their series, in parts whose rows fit in memory.
fn runs<'n>(books: &Books, numbers: &'n [u32]) -> Vec<&'n [u32]> {
    let rows = |number: &u32| {
        books.get(*number).map_or(0, |fed| books.layout(fed.layout).rows_when_full())
    };
    let (mut runs, mut first, mut sum) = (Vec::new(), 0, 0);
    for (nth, number) in numbers.iter().enumerate() {
        if nth > first && sum + rows(number) > ROWS_AT_ONCE {
            runs.push(&numbers[first..nth]);
            (first, sum) = (nth, 0);
        }
        sum += rows(number);
    }
    runs.push(&numbers[first..]);
    runs
}

struct Verifier<'a> {
    origin: &'a Origin,
    connection: &'a mut dyn Connection,
    found: Verified,
}

/// A row of a table.
struct Found {
    time_seconds: i64,
    cells: Cells<f64>,
}

/// The rows of some series by their rings, series and slots.
type Rows = HashMap<(Ring, u32, u64), Found>;

impl Verifier<'_> {
    fn compare_names(&mut self, books: &Books) -> Result<(), Error> {
        let names = self.origin.names_like(&NamePattern::meant(&books.selection.names))?;
        let new: Vec<&String> =
            names.iter().filter(|name| books.number_of(name).is_none()).collect();
        for name in new {
            let Ok(outline) = self.origin.store().outline(&self.origin.path(name)) else {
                continue;
            };
            if sqlring::is_fit(name)
                && !Layout::of(&outline.definition, &books.selection).rings.is_empty()
            {
                self.differ(name, "it is not fed".to_owned());
            }
        }
        let there: HashSet<&str> = names.iter().map(String::as_str).collect();
        for (_, fed) in books.iter().filter(|(_, fed)| !there.contains(&*fed.name)) {
            self.differ(&fed.name, "the store does not have it".to_owned());
        }
        Ok(())
    }

    fn compare(&mut self, books: &Books, numbers: &[u32]) -> Result<(), Error> {
        let (Some(first), Some(last)) = (numbers.first(), numbers.last()) else { return Ok(()) };
        let (Some(first), Some(last)) = (books.get(*first), books.get(*last)) else {
            return Ok(());
        };
        let end = last.first_series + books.layout(last.layout).sources.len() as u32;
        let rings: HashSet<Ring> = numbers
            .iter()
            .filter_map(|number| books.get(*number))
            .flat_map(|fed| books.layout(fed.layout).rings.iter().map(|fed| fed.ring))
            .collect();
        let mut rows = Rows::new();
        for ring in rings {
            self.read(ring, first.first_series..end, &mut rows)?;
        }
        for &number in numbers {
            let Some(fed) = books.get(number) else { continue };
            self.found.databases += 1;
            let compared = self.compare_one(books.layout(fed.layout), fed, &rows);
            let Some(compared) = compared else { continue };
            match compared.differences.is_empty() {
                true => self.add(compared),
                false => self.look_again(&fed.name, compared)?,
            }
        }
        Ok(())
    }

    fn read(&mut self, ring: Ring, series: Range<u32>, rows: &mut Rows) -> Result<(), Error> {
        let sql = rows_of_block(ring);
        for block in 0..ring.blocks() {
            let values = [block as i64, i64::from(series.start), i64::from(series.end)];
            let values = values.map(Value::Integer);
            self.connection.query(&sql, &values, &mut |row| {
                if let [
                    Value::Integer(series),
                    Value::Integer(slot),
                    Value::Integer(time),
                    cells @ ..,
                ] = row
                {
                    let cell = |nth: usize| match cells.get(nth) {
                        Some(Value::Real(value)) => Some(*value),
                        _ => None,
                    };
                    let cells = [cell(0), cell(1), cell(2), cell(3)];
                    let found = Found { time_seconds: *time, cells };
                    rows.insert((ring, *series as u32, *slot as u64), found);
                }
                ControlFlow::Continue(())
            })?;
        }
        Ok(())
    }

    /// `None` if the store does not have it, which is told elsewhere.
    fn compare_one(&self, layout: &Layout, fed: &Fed, rows: &Rows) -> Option<Compared> {
        let mut compared = Compared { name: fed.name.to_string(), ..Compared::default() };
        let snapshot = match self.origin.store().snapshot(&self.origin.path(&fed.name)) {
            Ok(snapshot) => snapshot,
            Err(error) if error.is_missing() => return None,
            Err(error) => {
                compared.differ(format!("it cannot be read: {error}"));
                return Some(compared);
            }
        };
        for ring in &layout.rings {
            compared.ring(ring, fed, &snapshot, rows, self.connection.dialect());
        }
        Some(compared)
    }

    /// Rows may have been fed, or the database changed, between the look at the tables and that at
    /// the store.
    fn look_again(&mut self, name: &str, mut compared: Compared) -> Result<(), Error> {
        for _ in 1..LOOKS {
            let books = load::books(self.connection)?;
            let fed = books.number_of(name).and_then(|number| books.get(number));
            let Some(fed) = fed else { break };
            let layout = books.layout(fed.layout);
            let mut rows = Rows::new();
            let series = fed.first_series..fed.first_series + layout.sources.len() as u32;
            for ring in &layout.rings {
                self.read(ring.ring, series.clone(), &mut rows)?;
            }
            match self.compare_one(layout, fed, &rows) {
                None => return Ok(()),
                Some(again) => compared = again,
            }
            if compared.differences.is_empty() {
                break;
            }
        }
        self.add(compared);
        Ok(())
    }

    fn add(&mut self, compared: Compared) {
        self.found.rows += compared.rows;
        self.found.rows_behind += compared.rows_behind;
        compared.differences.into_iter().for_each(|what| self.differ(&compared.name, what));
    }

    fn differ(&mut self, name: &str, what: String) {
        self.found.differences_count += 1;
        self.found.names.insert(name.to_owned());
        if self.found.differences.len() < TOLD_MAX {
            self.found.differences.push(Difference { name: name.to_owned(), what });
        }
    }
}

/// A row as the store has it.
struct Row {
    key: (Ring, u32, u64),
    time_seconds: i64,
    expected: Cells<f64>,
}

impl Row {
    fn is_shown_by(&self, found: Option<&Found>) -> bool {
        let is_unknown = self.expected.iter().all(Option::is_none);
        match found {
            None => is_unknown,
            // It was fed after the store was looked at.
            Some(found) if found.time_seconds > self.time_seconds => true,
            Some(found) if found.time_seconds == self.time_seconds => {
                let bits = |cells: &Cells<f64>| cells.map(|cell| cell.map(f64::to_bits));
                bits(&found.cells) == bits(&self.expected)
            }
            Some(found) => is_unknown && found.cells.iter().all(Option::is_none),
        }
    }

    fn difference(&self, found: Option<&Found>) -> String {
        let Self { key: (ring, series, slot), time_seconds, expected } = self;
        let found = found.map_or("no row".to_owned(), |found| {
            format!("{:?} of {}", found.cells, found.time_seconds)
        });
        format!(
            "{}, series {series}, slot {slot}: expected {expected:?} of {time_seconds}, found {found}",
            ring.table()
        )
    }
}

/// What the comparison of one database found.
#[derive(Default)]
struct Compared {
    name: String,
    rows: u64,
    rows_behind: u64,
    differences: Vec<String>,
}

impl Compared {
    fn ring(
        &mut self,
        ring: &FedRing,
        fed: &Fed,
        snapshot: &Snapshot,
        rows: &Rows,
        dialect: Dialect,
    ) {
        let archives = ring.archives;
        let Some(any) = archives.iter().flatten().next().copied() else { return };
        let fits = archives.iter().flatten().all(|nth| snapshot.rows.len() > *nth)
            && snapshot.definition.archives[any].rows == ring.ring.slots;
        if !fits {
            return self.differ(format!("it has other archives than {}", ring.ring.table()));
        }
        let newest_seconds = snapshot.newest_row_seconds(any);
        let sources = snapshot.definition.sources.len();
        for age in 0..ring.ring.slots {
            let time_seconds = newest_seconds - (age * ring.ring.row_seconds) as i64;
            let row = (ring.ring.slots - 1 - age) as usize;
            for source in 0..sources {
                let value =
                    |nth: usize| stored(snapshot.rows[nth][row * sources + source], dialect);
                let expected = archives.map(|nth| value(nth?));
                let series = fed.first_series + source as u32;
                let key = (ring.ring, series, ring.ring.slot_of(time_seconds));
                let row = Row { key, time_seconds, expected };
                self.row(&row, rows.get(&key), time_seconds > fed.mark.seconds);
            }
        }
    }

    /// Compares a row; one that is not fed yet may differ.
    fn row(&mut self, row: &Row, found: Option<&Found>, is_to_come: bool) {
        self.rows += 1;
        match (row.is_shown_by(found), is_to_come) {
            (true, _) => {}
            (false, true) => self.rows_behind += 1,
            (false, false) => self.differ(row.difference(found)),
        }
    }

    fn differ(&mut self, what: String) {
        self.differences.push(what);
    }
}
