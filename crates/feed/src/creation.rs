//! Makes the tables of a feed and removes them, and says before what they will cost.

use sqlclient::{Address, Connection, Value};
use sqlring::{
    Dialect, FUNCTIONS, Layout, Ring, SCHEMA_VERSION, Selection, create_tables, drop_ring,
    drop_tables, is_fit, row_bytes,
};
use std::collections::{BTreeMap, HashMap};

use rrd::{Archive, Definition};
use store::NamePattern;

use crate::Error;
use crate::load;
use crate::origin::Origin;

/// What a feed would take.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Plan {
    /// Databases that are fed.
    pub databases: usize,
    /// Their data sources.
    pub series: usize,
    /// Databases whose names no table can have.
    pub names_refused: usize,
    /// What tables cannot say (functions, ticks below a second), with the archives of selected
    /// databases that are left out for it.
    pub left_out: BTreeMap<String, usize>,
    /// The rings, those of the shortest rows first.
    pub rings: Vec<PlannedRing>,
    /// Rows that are written in a second, on average.
    pub rows_per_second: f64,
    /// Rows once all rings are full.
    pub rows: u64,
    /// Bytes on disk then.
    pub bytes: u64,
}

/// The table of a ring.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct PlannedRing {
    /// The ring.
    #[serde(flatten)]
    pub ring: Ring,
    /// Series that have rows in it.
    pub series: usize,
}

/// Says what a feed of the selected databases would take.
///
/// # Errors
/// The store cannot be read; [`Error::Nothing`].
pub fn plan(origin: &Origin, selection: &Selection, dialect: Dialect) -> Result<Plan, Error> {
    let (mut databases, mut series, mut names_refused) = (0, 0, 0);
    let (mut rows_per_second, mut rows) = (0.0, 0);
    let mut rings: HashMap<Ring, usize> = HashMap::new();
    let mut left_out = BTreeMap::new();
    for name in origin.names_like(&NamePattern::meant(&selection.names))? {
        if !is_fit(&name) {
            names_refused += 1;
            continue;
        }
        // A database that cannot be read is told of by the feed.
        let Ok(outline) = origin.store().outline(&origin.path(&name)) else { continue };
        let archives = &outline.definition.archives;
        for why in archives.iter().filter_map(|archive| why_left_out(&outline.definition, archive))
        {
            *left_out.entry(why).or_default() += 1;
        }
        let layout = Layout::of(&outline.definition, selection);
        if layout.rings.is_empty() {
            continue;
        }
        databases += 1;
        series += layout.sources.len();
        rows_per_second += layout.rows_per_second();
        rows += layout.rows_when_full();
        for fed in &layout.rings {
            *rings.entry(fed.ring).or_default() += layout.sources.len();
        }
    }
    if databases == 0 {
        return Err(Error::Nothing);
    }
    let rings = rings.into_iter().map(|(ring, series)| PlannedRing { ring, series });
    let mut rings: Vec<PlannedRing> = rings.collect();
    rings.sort_by_key(|planned| planned.ring);
    let bytes = rows.saturating_mul(row_bytes(dialect));
    Ok(Plan { databases, series, names_refused, left_out, rings, rows_per_second, rows, bytes })
}

/// What of an archive no table can say.
fn why_left_out(definition: &Definition, archive: &Archive) -> Option<String> {
    match definition.tick.is_second() {
        true if FUNCTIONS.contains(&archive.cf) => None,
        true => Some(archive.cf.to_string()),
        false => Some(format!("a tick of {} s", definition.tick)),
    }
}

/// What was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Created {
    /// The tables.
    New,
    /// Nothing: they were there, with the same selection.
    There,
}

/// Makes the tables besides those of rings, which come with the first databases. `place` is where
/// the store is that feeds them ([`Origin::at`]); tables that are there with the same selection are
/// fed from this place from now on.
///
/// # Errors
/// [`Error::Exists`] if there are tables with another selection; the database fails.
pub fn create(address: &Address, selection: &Selection, place: &str) -> Result<Created, Error> {
    let mut connection = address.connect()?;
    let place = Value::Text(place.to_owned());
    if let Some(there) = selected(&mut *connection)? {
        if there != *selection {
            return Err(Error::Exists);
        }
        connection.execute("UPDATE gyre_feed SET place = ? WHERE id = 1", &[place])?;
        return Ok(Created::There);
    }
    for sql in create_tables(connection.dialect()) {
        connection.execute(&sql, &[])?;
    }
    let text = serde_json::to_string(selection).expect("all fields have a text");
    connection.execute(
        "INSERT INTO gyre_feed (id, version, selection, epoch, beats, beat_seconds, feeder, place) \
         VALUES (1, ?, ?, 0, 0, 0, '', ?)",
        &[Value::Integer(SCHEMA_VERSION), Value::Text(text), place],
    )?;
    Ok(Created::New)
}

/// What is selected; `None` if there are no tables, or not all of them.
fn selected(connection: &mut dyn Connection) -> Result<Option<Selection>, Error> {
    match load::selection(connection) {
        Ok(selection) => Ok(Some(selection)),
        Err(Error::NotCreated) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Removes all tables and views of a feed. Returns how many rings there were.
///
/// # Errors
/// [`Error::NotCreated`]; [`Error::Taken`] while a process feeds them; the database fails.
pub fn drop_all(address: &Address, feeder: &str) -> Result<usize, Error> {
    let mut connection = address.connect()?;
    load::selection(&mut *connection)?;
    let lease = crate::lease::Lease::take(address, &mut *connection, feeder)?;
    let rings = load::rings(&mut *connection)?;
    for ring in &rings {
        for sql in drop_ring(*ring) {
            connection.execute(&sql, &[])?;
        }
    }
    for sql in drop_tables() {
        connection.execute(&sql, &[])?;
    }
    drop(lease);
    Ok(rings.len())
}
