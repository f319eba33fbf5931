//! The catalogue for a process that asks for a few keys: what is read is checked, all else is not
//! read.

use std::collections::BTreeSet;

use disk::MediumFile;
use journal::{LogPosition, RrdId};
use redb::{Key, TableDefinition, TableHandle, Value};

use super::entry::{GroupEntry, GroupId, Meta, RrdEntry, RrdView};
use super::error::Failure;
use super::loaded::{Loaded, check_definition, decode};
use super::tables::{
    DEFINITIONS, FOREIGN, GROUPS, META, NAMED, NAMES, Numbers, RRDS, applied, check_format, meta,
};
use super::tree::{Keys, Tree, TreeFile};
use super::{CatalogueError, DefinitionId};

/// Members of a group have ids side by side.
const MEMBER_BITS: u32 = 12;
/// Every number.
const ALL: (u32, u32) = (0, u32::MAX);

/// The catalogue's tables, of which keys can be looked up.
#[derive(Debug)]
pub(super) struct Part {
    file: TreeFile,
    meta: Tree,
    named: Tree,
    definitions: Tree,
    groups: Tree,
    rrds: Tree,
    names: Tree,
    foreign: Tree,
}

impl Part {
    /// Finds the tables.
    pub(super) fn open(file: Box<dyn MediumFile>) -> Result<Self, Failure> {
        let file = TreeFile::open(file)?;
        Ok(Self {
            meta: table(&file, META)?,
            named: table(&file, NAMED)?,
            definitions: table(&file, DEFINITIONS)?,
            groups: table(&file, GROUPS)?,
            rrds: table(&file, RRDS)?,
            names: table(&file, NAMES)?,
            foreign: table(&file, FOREIGN)?,
            file,
        })
    }

    pub(super) fn make_durable(&self) -> Result<(), Failure> {
        self.file.make_durable()
    }

    pub(super) fn meta(&self) -> Result<Meta, Failure> {
        check_format(self)?;
        meta(self)
    }

    pub(super) fn applied(&self) -> Result<LogPosition, Failure> {
        applied(self)
    }

    pub(super) fn id_of(&self, name: &str) -> Result<Option<RrdId>, Failure> {
        let found = self.file.get(&self.names, name.as_bytes())?;
        let id = |bytes: Vec<u8>| bytes.first_chunk().map(|id| RrdId(u32::from_le_bytes(*id)));
        Ok(found.and_then(id))
    }

    pub(super) fn entry(&self, rrd: RrdId) -> Result<Option<RrdEntry>, Failure> {
        let Some(value) = self.file.get(&self.rrds, &rrd.0.to_le_bytes())? else { return Ok(None) };
        let view = RrdView::decode(&value).map_err(Failure::value("rrd", rrd.0))?;
        Ok(Some(view.to_entry()))
    }

    pub(super) fn foreign(&self, rrd: RrdId) -> Result<Option<Vec<u8>>, Failure> {
        self.file.get(&self.foreign, &rrd.0.to_le_bytes())
    }

    pub(super) fn named(&self, name: &str) -> Result<Option<Vec<u8>>, Failure> {
        self.file.get(&self.named, name.as_bytes())
    }

    /// Hands over every definition, then some groups, then every RRD of those.
    pub(super) fn load(
        &self,
        groups: &BTreeSet<GroupId>,
        mut visit: impl FnMut(Loaded<'_>),
    ) -> Result<(), Failure> {
        let definitions = self.load_definitions(&mut visit)?;
        for group in groups {
            let Some(value) = self.file.get(&self.groups, &group.0.to_le_bytes())? else {
                continue;
            };
            let entry = GroupEntry::decode(&value).map_err(Failure::value("group", group.0))?;
            visit(Loaded::Group(*group, entry));
        }
        for group in groups {
            let first = group.0 << MEMBER_BITS;
            let members = (first, first | ((1 << MEMBER_BITS) - 1));
            self.load_rrds(members, definitions, &mut visit)?;
        }
        Ok(())
    }

    /// Hands over every definition, then every group, then every RRD.
    pub(super) fn load_all(&self, mut visit: impl FnMut(Loaded<'_>)) -> Result<(), Failure> {
        let definitions = self.load_definitions(&mut visit)?;
        self.visit(&self.groups, ALL, |id, value| {
            let entry = GroupEntry::decode(value).map_err(Failure::value("group", id))?;
            visit(Loaded::Group(GroupId(id), entry));
            Ok(())
        })?;
        self.load_rrds(ALL, definitions, &mut visit)
    }

    /// Returns how many there are.
    fn load_definitions(&self, visit: &mut impl FnMut(Loaded<'_>)) -> Result<u32, Failure> {
        let mut count = 0;
        self.visit(&self.definitions, ALL, |id, value| {
            if id != count {
                return Err(Failure::Value(format!("definitions: expected {count}, found {id}")));
            }
            count += 1;
            let definition = decode(value).map_err(Failure::value("definition", id))?;
            visit(Loaded::Definition(DefinitionId(id), definition));
            Ok(())
        })?;
        Ok(count)
    }

    fn load_rrds(
        &self,
        ids: (u32, u32),
        definitions: u32,
        visit: &mut impl FnMut(Loaded<'_>),
    ) -> Result<(), Failure> {
        self.visit(&self.rrds, ids, |id, value| {
            let view = RrdView::decode(value).map_err(Failure::value("rrd", id))?;
            check_definition(id, view.definition, definitions)?;
            visit(Loaded::Rrd(RrdId(id), view));
            Ok(())
        })
    }

    /// Whether another look at the file leads to the same definitions, groups and RRDs: the
    /// checksums of their roots are the same, and so is all that these are made of.
    pub(super) fn has_what(&self, other: &Self) -> bool {
        self.definitions == other.definitions
            && self.groups == other.groups
            && self.rrds == other.rrds
    }

    /// Visits numbers from the first to the last, both included.
    fn visit(
        &self,
        tree: &Tree,
        (first, last): (u32, u32),
        mut visit: impl FnMut(u32, &[u8]) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let (first, last) = (first.to_le_bytes(), last.to_le_bytes());
        self.file.visit(tree, Keys { first: &first, last: &last }, |id, value| {
            let id = id.first_chunk().ok_or_else(|| Failure::Value("a key is no number".into()))?;
            visit(u32::from_le_bytes(*id), value)
        })
    }
}

impl Numbers for Part {
    fn number(&self, name: &'static str) -> Result<Option<u64>, Failure> {
        let found = self.file.get(&self.meta, name.as_bytes())?;
        Ok(found.and_then(|bytes| bytes.first_chunk().map(|number| u64::from_le_bytes(*number))))
    }
}

/// A table, which must be there, of keys and values as wide as it says.
fn table<K: Key + 'static, V: Value + 'static>(
    file: &TreeFile,
    definition: TableDefinition<'_, K, V>,
) -> Result<Tree, Failure> {
    let name = definition.name();
    let tree = file.table(name)?;
    if tree.widths() == (K::fixed_width(), V::fixed_width()) {
        return Ok(tree);
    }
    let (expected, found) = ("gyre's tables", format!("another table {name}"));
    Err(CatalogueError::NotAStore { expected, found }.into())
}
