//! From an object of mrtg.cfg to the variable that the collector asks for.

use collector::{InterfaceReference, Name, Variable};
use mrtg::Object;
use snmp::Oid;

/// The variable; `None` if the object's name is none that SNMP has.
pub(super) fn variable(object: &Object) -> Option<Variable> {
    let Some(interface) = interface(object) else {
        return Some(Variable {
            interface: None,
            name: Name::whole(oid(object.oid(None))?),
            narrow: object.narrow_oid(None).and_then(|narrow| oid(Some(narrow))).map(Name::whole),
        });
    };
    let with_place = |whole: mrtg::ObjectId| name_around_index(&whole, object.suffix.as_slice());
    Some(Variable {
        interface: Some(interface),
        name: with_place(object.oid(Some(0))?)?,
        narrow: object.narrow_oid(Some(0)).and_then(with_place),
    })
}

/// Where a walk begins; `None` if that depends on an interface that is still to be found, or is no
/// name that SNMP has.
pub(super) fn root(object: &Object) -> Option<Oid> {
    match interface(object) {
        Some(_) => None,
        None => oid(object.oid(None)),
    }
}

/// The interface reference; `None` if it is an index, which is part of the object's name already.
fn interface(object: &Object) -> Option<InterfaceReference> {
    use mrtg::InterfaceReference as Said;
    Some(match object.interface.clone()? {
        Said::Index(_) => return None,
        Said::Name(name) => InterfaceReference::Name(name),
        Said::Description(description) => InterfaceReference::Description(description),
        Said::Address(address) => InterfaceReference::Address(address),
        Said::Physical(address) => InterfaceReference::Physical(address),
        Said::Type(kind) => InterfaceReference::Type(kind),
    })
}

fn oid(object: Option<mrtg::ObjectId>) -> Option<Oid> {
    Oid::from_arcs(object?.as_slice()).ok()
}

/// Splits a name at the place of its index.
fn name_around_index(whole: &mrtg::ObjectId, suffix: &[u32]) -> Option<Name> {
    let arcs = whole.as_slice();
    let prefix = arcs.get(..arcs.len().checked_sub(suffix.len() + 1)?)?;
    Some(Name { prefix: Oid::from_arcs(prefix).ok()?, suffix: suffix.into() })
}
