//! Everything at once, when the store starts.

use std::collections::BTreeSet;

use journal::RrdId;
use redb::ReadTransaction;

use super::entry::{DefinitionId, GroupEntry, GroupId, RrdView};
use super::error::Failure;
use super::guard::Callers;
use super::loaded::{Loaded, check_definition, decode};
use super::open::Held;
use super::tables::{DEFINITIONS, GROUPS, RRDS};
use super::{Catalogue, CatalogueError};

impl Catalogue {
    /// Hands over every definition, then some groups, then every RRD of those.
    ///
    /// # Errors
    /// As [`Catalogue::load`]; the catalogue was opened whole.
    pub fn load_groups(
        &self,
        groups: &BTreeSet<GroupId>,
        mut visit: impl FnMut(Loaded<'_>),
    ) -> Result<(), CatalogueError> {
        let Held::InPart(part) = self.held() else {
            return Err(CatalogueError::Unusable { action: "loading" });
        };
        self.guard
            .run("loading", |callers| part.load(groups, |loaded| callers.run(|| visit(loaded))))
    }

    /// Hands over every definition, then every group, then every RRD.
    ///
    /// # Errors
    /// [`CatalogueError::Io`], [`CatalogueError::Damaged`], [`CatalogueError::Unusable`].
    pub fn load(&self, mut visit: impl FnMut(Loaded<'_>)) -> Result<(), CatalogueError> {
        if let Held::InPart(part) = self.held() {
            return self
                .guard
                .run("loading", |callers| part.load_all(|loaded| callers.run(|| visit(loaded))));
        }
        self.read("loading", |at, callers| {
            let definitions = load_definitions(at, callers, &mut visit)?;
            load_groups(at, callers, &mut visit)?;
            load_rrds(at, callers, definitions, &mut visit)
        })
    }
}

/// Returns how many there are.
fn load_definitions(
    at: &ReadTransaction,
    callers: &Callers,
    visit: &mut impl FnMut(Loaded<'_>),
) -> Result<u32, Failure> {
    let mut count = 0;
    for entry in at.open_table(DEFINITIONS)?.range::<u32>(..)? {
        let (id, value) = entry?;
        let id = id.value();
        if id != count {
            return Err(Failure::Value(format!("definitions: expected {count}, found {id}")));
        }
        let definition = decode(value.value()).map_err(Failure::value("definition", id))?;
        callers.run(|| visit(Loaded::Definition(DefinitionId(id), definition)));
        count += 1;
    }
    Ok(count)
}

fn load_groups(
    at: &ReadTransaction,
    callers: &Callers,
    visit: &mut impl FnMut(Loaded<'_>),
) -> Result<(), Failure> {
    for entry in at.open_table(GROUPS)?.range::<u32>(..)? {
        let (id, value) = entry?;
        let id = id.value();
        let group = GroupEntry::decode(value.value()).map_err(Failure::value("group", id))?;
        callers.run(|| visit(Loaded::Group(GroupId(id), group)));
    }
    Ok(())
}

fn load_rrds(
    at: &ReadTransaction,
    callers: &Callers,
    definitions: u32,
    visit: &mut impl FnMut(Loaded<'_>),
) -> Result<(), Failure> {
    for entry in at.open_table(RRDS)?.range::<u32>(..)? {
        let (id, value) = entry?;
        let id = id.value();
        let view = RrdView::decode(value.value()).map_err(Failure::value("rrd", id))?;
        check_definition(id, view.definition, definitions)?;
        callers.run(|| visit(Loaded::Rrd(RrdId(id), view)));
    }
    Ok(())
}
