//! Changes into tables, in one transaction.

use journal::{Generation, LogPosition, RrdId};
use redb::{ReadableTable, ReadableTableMetadata};

use super::changes::{Change, Changes};
use super::entry::{DefinitionId, RrdEntry, RrdView};
use super::error::Failure;
use super::open::Held;
use super::tables::{Tables, applied};
use super::{Catalogue, CatalogueError};

impl Catalogue {
    /// Applies all of the changes and stores how far the log is applied with them; on return they
    /// are durable. The position never goes back.
    ///
    /// # Errors
    /// [`CatalogueError::NameTaken`], [`CatalogueError::SlotTaken`] and
    /// [`CatalogueError::Definition`] where a change contradicts what is there: nothing is applied,
    /// and the catalogue goes on. After [`CatalogueError::Io`] it does not: opening it again finds
    /// all of the changes or none. [`CatalogueError::Damaged`], [`CatalogueError::Unusable`].
    pub fn commit(
        &self,
        changes: &Changes,
        applied_now: LogPosition,
    ) -> Result<(), CatalogueError> {
        let Held::Whole(database) = self.held() else {
            return Err(CatalogueError::Unusable { action: "committing" });
        };
        self.guard.run("committing", |_| {
            let mut transaction = database.begin_write()?;
            transaction.set_two_phase_commit(true); // see the module's description
            let mut tables = Tables::open(&transaction)?;
            for change in &changes.0 {
                apply(&mut tables, change)?;
            }
            let applied_before = applied(&tables.meta)?;
            tables.put_applied(applied_now.max(applied_before))?;
            drop(tables);
            Ok(transaction.commit()?)
        })
    }
}

fn apply(tables: &mut Tables<'_>, change: &Change) -> Result<(), Failure> {
    match change {
        Change::PutDefinition { id, encoded } => put_definition(tables, *id, encoded)?,
        Change::PutGroup { id, entry } => {
            tables.groups.insert(id.0, entry.encode().as_slice())?;
        }
        Change::RemoveGroup { id } => drop(tables.groups.remove(id.0)?),
        Change::PutRrd { rrd, entry } => put_rrd(tables, *rrd, entry)?,
        Change::Rename { rrd, generation, name } => rename(tables, *rrd, *generation, name)?,
        Change::Redefine { rrd, generation, definition } => {
            if let Some(held) = holder(tables, *rrd, *generation)? {
                let entry = RrdEntry { definition: *definition, ..held };
                tables.rrds.insert(rrd.0, entry.encode().as_slice())?;
            }
        }
        Change::RemoveRrd { rrd, generation } => remove_rrd(tables, *rrd, *generation)?,
        Change::PutForeign { rrd, bytes } => {
            tables.foreign.insert(rrd.0, bytes.as_slice())?;
        }
        Change::RemoveForeign { rrd } => drop(tables.foreign.remove(rrd.0)?),
        Change::PutNamed { name, bytes } => {
            tables.named.insert(name.as_str(), bytes.as_slice())?;
        }
    }
    Ok(())
}

fn put_definition(
    tables: &mut Tables<'_>,
    definition: DefinitionId,
    encoded: &[u8],
) -> Result<(), Failure> {
    let refuse = |what| Failure::Own(CatalogueError::Definition { definition, what });
    let count = tables.definitions.len()?;
    if u64::from(definition.0) > count {
        return Err(refuse("numbers before it are free"));
    }
    if u64::from(definition.0) == count {
        tables.definitions.insert(definition.0, encoded)?;
        return Ok(());
    }
    let same = tables.definitions.get(definition.0)?.is_some_and(|held| held.value() == encoded);
    if same { Ok(()) } else { Err(refuse("there is another one of that number")) }
}

fn put_rrd(tables: &mut Tables<'_>, rrd: RrdId, entry: &RrdEntry) -> Result<(), Failure> {
    if let Some(held) = entry_of(tables, rrd)? {
        // The same or a later one: the log is being applied again, and renames may have followed.
        if held.generation >= entry.generation {
            return Ok(());
        }
        let (found, wanted) = (held.generation, entry.generation);
        return Err(CatalogueError::SlotTaken { rrd, found, wanted }.into());
    }
    take_name(tables, rrd, &entry.name)?;
    tables.rrds.insert(rrd.0, entry.encode().as_slice())?;
    Ok(())
}

fn rename(
    tables: &mut Tables<'_>,
    rrd: RrdId,
    generation: Generation,
    name: &str,
) -> Result<(), Failure> {
    let Some(held) = holder(tables, rrd, generation)? else { return Ok(()) };
    if held.name == name {
        return Ok(());
    }
    take_name(tables, rrd, name)?;
    tables.names.remove(held.name.as_bytes())?;
    let entry = RrdEntry { name: name.into(), ..held };
    tables.rrds.insert(rrd.0, entry.encode().as_slice())?;
    Ok(())
}

fn remove_rrd(tables: &mut Tables<'_>, rrd: RrdId, generation: Generation) -> Result<(), Failure> {
    if let Some(held) = holder(tables, rrd, generation)? {
        tables.names.remove(held.name.as_bytes())?;
        tables.rrds.remove(rrd.0)?;
        tables.foreign.remove(rrd.0)?;
    }
    Ok(())
}

/// Gives a free name to an RRD.
fn take_name(tables: &mut Tables<'_>, rrd: RrdId, name: &str) -> Result<(), Failure> {
    let holder = tables.names.insert(name.as_bytes(), rrd.0)?.map(|id| RrdId(id.value()));
    match holder {
        None => Ok(()),
        // The transaction ends here, and the name stays its holder's.
        Some(holder) => Err(CatalogueError::NameTaken { name: name.into(), holder }.into()),
    }
}

/// The RRD in a place, if it is of that generation.
fn holder(
    tables: &Tables<'_>,
    rrd: RrdId,
    generation: Generation,
) -> Result<Option<RrdEntry>, Failure> {
    Ok(entry_of(tables, rrd)?.filter(|entry| entry.generation == generation))
}

fn entry_of(tables: &Tables<'_>, rrd: RrdId) -> Result<Option<RrdEntry>, Failure> {
    let Some(value) = tables.rrds.get(rrd.0)? else { return Ok(None) };
    let view = RrdView::decode(value.value()).map_err(Failure::value("rrd", rrd.0))?;
    Ok(Some(view.to_entry()))
}
