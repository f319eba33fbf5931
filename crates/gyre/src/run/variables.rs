//! From an object of mrtg.cfg to the variable that the collector asks for.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use collector::{InterfaceReference, Name, Object, Variable};
use snmp::Oid;

/// The names of the quantities asked for so far, each kept once.
#[derive(Debug, Default)]
pub(super) struct Objects {
    all: HashSet<Arc<Object>>,
    /// The columns that were met last: those of nearly all interfaces are few.
    recent: VecDeque<Column>,
}

/// A column as the configuration says it, and its names.
#[derive(Debug)]
struct Column {
    prefix: mrtg::ObjectId,
    suffix: mrtg::ObjectId,
    object: Arc<Object>,
}

/// The most columns to compare with.
const RECENT_MAX: usize = 16;

impl Objects {
    /// The variable; `None` if the object's name is none that SNMP has.
    pub(super) fn variable(&mut self, said: &mrtg::Object) -> Option<Variable> {
        let object = match &said.interface {
            Some(_) => self.column(said)?,
            None => {
                let narrow = said.narrow_oid(None).and_then(whole);
                self.kept(Object { name: whole(said.oid(None)?)?, narrow })
            }
        };
        Some(Variable { interface: said.interface.as_ref().map(interface), object })
    }

    fn column(&mut self, said: &mrtg::Object) -> Option<Arc<Object>> {
        let is_it = |it: &&Column| it.prefix == said.prefix && it.suffix == said.suffix;
        if let Some(known) = self.recent.iter().find(is_it) {
            return Some(known.object.clone());
        }
        let with_place = |whole: mrtg::ObjectId| name_around_index(&whole, said.suffix.as_slice());
        let narrow = said.narrow_oid(Some(0)).and_then(with_place);
        let object = self.kept(Object { name: with_place(said.oid(Some(0))?)?, narrow });
        let (prefix, suffix) = (said.prefix.clone(), said.suffix.clone());
        self.recent.truncate(RECENT_MAX - 1);
        self.recent.push_front(Column { prefix, suffix, object: object.clone() });
        Some(object)
    }

    fn kept(&mut self, object: Object) -> Arc<Object> {
        if let Some(known) = self.all.get(&object) {
            return known.clone();
        }
        let object = Arc::new(object);
        self.all.insert(object.clone());
        object
    }
}

/// Where a walk begins; `None` if that depends on an interface that is still to be found, or is no
/// name that SNMP has.
pub(super) fn root(object: &mrtg::Object) -> Option<Oid> {
    match object.interface {
        None | Some(mrtg::InterfaceReference::Index(_)) => {
            Oid::from_arcs(object.oid(None)?.as_slice()).ok()
        }
        Some(_) => None,
    }
}

fn interface(said: &mrtg::InterfaceReference) -> InterfaceReference {
    use mrtg::InterfaceReference as Said;
    match said.clone() {
        Said::Index(index) => InterfaceReference::Index(index),
        Said::Name(name) => InterfaceReference::Name(name),
        Said::Description(description) => InterfaceReference::Description(description),
        Said::Address(address) => InterfaceReference::Address(address),
        Said::Physical(address) => InterfaceReference::Physical(address),
        Said::Type(kind) => InterfaceReference::Type(kind),
        Said::Alias(alias) => InterfaceReference::Alias(alias),
    }
}

fn whole(name: mrtg::ObjectId) -> Option<Name> {
    Some(Name::whole(Oid::from_arcs(name.as_slice()).ok()?))
}

/// Splits a name at the place of its index.
fn name_around_index(whole: &mrtg::ObjectId, suffix: &[u32]) -> Option<Name> {
    let arcs = whole.as_slice();
    let prefix = arcs.get(..arcs.len().checked_sub(suffix.len() + 1)?)?;
    Some(Name { prefix: Oid::from_arcs(prefix).ok()?, suffix: suffix.into() })
}
