//! Finds the index of each interface of a device.

use crate::group::CellName;
use crate::plan::{InterfaceReference, Variable};
use crate::report::Unfound;
use snmp::{Oid, Value, VarBind, mib};
use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

/// How long to wait before the tables of a device are walked again for an interface that was not
/// found.
const WALK_AGAIN_AFTER: Duration = Duration::from_secs(300);

/// However often a device makes and removes interfaces, its tables are walked no more often than
/// this for one that was not found.
const WALK_AT_MOST_EACH: Duration = Duration::from_secs(60);

/// The interfaces that the variables of one device refer to.
#[derive(Debug, Default)]
pub(crate) struct Interfaces {
    all: Vec<Interface>,
}

/// Where a variable finds the index in its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Place {
    /// It needs none.
    None,
    /// This index, which is neither looked up nor verified.
    Index(u32),
    /// That of an interface that is looked up.
    Of(InterfaceId),
}

/// An interface of [`Interfaces`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct InterfaceId(u32);

#[derive(Debug)]
struct Interface {
    reference: InterfaceReference,
    index: Result<u32, Unfound>,
    /// When the last search failed.
    missed_at: Option<Duration>,
}

impl Interfaces {
    /// The interfaces that variables refer to, without duplicates, and for each variable the place
    /// of its index.
    pub(crate) fn of(variables: &[Variable]) -> (Self, Vec<Place>) {
        let mut all = Vec::new();
        let mut known = HashMap::new();
        let ids = variables.iter().map(|variable| match &variable.interface {
            None => Place::None,
            Some(InterfaceReference::Index(index)) => Place::Index(*index),
            Some(reference) => Place::Of(*known.entry(reference).or_insert_with(|| {
                all.push(Interface::new(reference.clone()));
                InterfaceId(all.len() as u32 - 1)
            })),
        });
        let ids = ids.collect();
        (Self { all }, ids)
    }

    /// Takes over the indices that `old` knows.
    pub(crate) fn inherit(&mut self, old: Self) {
        let mut known: HashMap<_, _> =
            old.all.into_iter().map(|each| (each.reference.clone(), each)).collect();
        for each in &mut self.all {
            if let Some(old) = known.remove(&each.reference) {
                *each = old;
            }
        }
    }

    pub(crate) fn index(&self, id: InterfaceId) -> Result<u32, Unfound> {
        self.all[id.0 as usize].index.clone()
    }

    /// The name to ask for in order to check that an interface still has its index.
    pub(crate) fn verification(&self, id: InterfaceId) -> Option<CellName> {
        let interface = &self.all[id.0 as usize];
        let column = interface.reference.column()?;
        match &interface.reference {
            InterfaceReference::Address(address) => {
                let below = address.octets().map(u32::from);
                Some(CellName::Whole(column.extended(&below).ok()?))
            }
            _ => Some(CellName::Column(column)),
        }
    }

    /// Takes the answer to [`Self::verification`]; says whether the interface is still there.
    pub(crate) fn verify(&mut self, id: InterfaceId, answer: &Value) -> bool {
        let interface = &mut self.all[id.0 as usize];
        let Ok(index) = interface.index else {
            return false;
        };
        let still = match &interface.reference {
            InterfaceReference::Address(_) => *answer == Value::Integer(index as i32),
            reference => reference.property_in(answer) == Some(reference.property()),
        };
        if !still {
            interface.index = Err(Unfound::Moved);
            interface.missed_at = None;
        }
        still
    }

    /// Forgets every index that was looked up: the device has restarted.
    pub(crate) fn forget(&mut self) {
        for each in &mut self.all {
            *each = Interface::new(each.reference.clone());
        }
    }

    /// The device has made or removed interfaces: what was missing may be there, and a property that
    /// several interfaces may share is looked up again.
    pub(crate) fn doubt(&mut self, now: Duration) {
        for each in &mut self.all {
            match each.index {
                Ok(_) if each.reference.is_often_shared() => {
                    *each = Interface::new(each.reference.clone());
                }
                Ok(_) => {}
                Err(_) => {
                    let may_walk = |missed_at: &Duration| now < *missed_at + WALK_AT_MOST_EACH;
                    each.missed_at = each.missed_at.filter(may_walk);
                }
            }
        }
    }

    /// The columns to walk in order to find the interfaces without an index.
    pub(crate) fn columns_to_walk(&self, now: Duration) -> Vec<Oid> {
        let wanted = self.all.iter().filter(|each| each.is_due(now));
        let columns: BTreeSet<Oid> = wanted.filter_map(|each| each.reference.column()).collect();
        columns.into_iter().collect()
    }

    /// Takes the rows of a walked column, or the error of the walk. Returns the interfaces found.
    pub(crate) fn look_up(
        &mut self,
        column: &Oid,
        rows: &Result<Vec<VarBind>, Unfound>,
        now: Duration,
    ) -> Vec<InterfaceId> {
        let mut found = Vec::new();
        // One pass over the rows for all interfaces: an access node may have ten thousand of them,
        // and this thread polls no other device meanwhile.
        let mut indices = None;
        for (nth, each) in self.all.iter_mut().enumerate() {
            let reference = &each.reference;
            if each.index.is_ok() || reference.column().as_ref() != Some(column) {
                continue;
            }
            each.index = match rows {
                Ok(rows) => {
                    let indices = indices.get_or_insert_with(|| reference.indices(column, rows));
                    let found = indices.get(&reference.property()).cloned();
                    found.unwrap_or(Err(Unfound::None))
                }
                Err(error) => Err(error.clone()),
            };
            match each.index {
                Ok(_) => found.push(InterfaceId(nth as u32)),
                Err(_) => each.missed_at = Some(now),
            }
        }
        found
    }
}

impl Interface {
    fn new(reference: InterfaceReference) -> Self {
        Self { reference, index: Err(Unfound::NotLookedUp), missed_at: None }
    }

    fn is_due(&self, now: Duration) -> bool {
        let again = |missed_at: Duration| now >= missed_at + WALK_AGAIN_AFTER;
        self.index.is_err() && self.missed_at.is_none_or(again)
    }
}

impl InterfaceReference {
    /// Whether interfaces commonly share the property, so that one that has it may be another.
    fn is_often_shared(&self) -> bool {
        matches!(self, Self::Physical(_) | Self::Type(_))
    }

    /// The column with the property.
    fn column(&self) -> Option<Oid> {
        match self {
            Self::Index(_) => None,
            Self::Name(_) => Some(mib::IF_NAME),
            Self::Description(_) => Some(mib::IF_DESCR),
            Self::Alias(_) => Some(mib::IF_ALIAS),
            Self::Address(_) => Some(mib::IP_AD_ENT_IF_INDEX),
            Self::Physical(_) => Some(mib::IF_PHYS_ADDRESS),
            Self::Type(_) => Some(mib::IF_TYPE),
        }
    }

    /// The property in the form that is compared.
    fn property(&self) -> Vec<u8> {
        match self {
            Self::Name(text) | Self::Description(text) | Self::Alias(text) => folded(text),
            Self::Physical(address) => address.clone(),
            Self::Address(address) => address.octets().into(),
            Self::Index(number) | Self::Type(number) => number.to_be_bytes().into(),
        }
    }

    /// Every property in a walked column, with the index of the interface that has it; an error if
    /// several have it.
    fn indices(&self, column: &Oid, rows: &[VarBind]) -> HashMap<Vec<u8>, Result<u32, Unfound>> {
        let mut indices = HashMap::with_capacity(rows.len());
        for (property, index) in rows.iter().filter_map(|row| self.read_row(column, row)) {
            let shared = |known: &mut Result<u32, Unfound>| *known = Err(Unfound::Several);
            indices.entry(property).and_modify(shared).or_insert(Ok(index));
        }
        indices
    }

    /// The property in a row, and the index of the row's interface.
    fn read_row(&self, column: &Oid, row: &VarBind) -> Option<(Vec<u8>, u32)> {
        let Self::Address(_) = self else {
            return Some((self.property_in(&row.value)?, row.oid.index_below(column)?));
        };
        let mut octets = [0; 4];
        let mut arcs = row.oid.below(column)?;
        for octet in &mut octets {
            *octet = u8::try_from(arcs.next()?).ok()?;
        }
        Some((octets.into(), u32::try_from(row.value.as_number()?).ok()?))
    }

    /// The property in a value of the column.
    fn property_in(&self, value: &Value) -> Option<Vec<u8>> {
        match (self, value) {
            (Self::Name(_) | Self::Description(_) | Self::Alias(_), Value::OctetString(text)) => {
                Some(folded(text))
            }
            (Self::Physical(_), Value::OctetString(address)) => Some(address.clone()),
            (Self::Type(_), value) => {
                let kind = u32::try_from(value.as_number()?).ok()?;
                Some(kind.to_be_bytes().into())
            }
            _ => None,
        }
    }
}

/// Text in the form that is compared: without blanks at the end, and with all blanks equal. Agents
/// pad names to fixed widths with spaces or NULs. MRTG compares up to the first space.
fn folded(text: &[u8]) -> Vec<u8> {
    let end = text.iter().rposition(|byte| *byte > b' ').map_or(0, |last| last + 1);
    text[..end].iter().map(|byte| *byte.max(&b' ')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    fn row(column: &Oid, index: &[u32], value: Value) -> VarBind {
        VarBind { oid: column.extended(index).unwrap(), value }
    }

    fn text(text: &str) -> Value {
        Value::OctetString(text.into())
    }

    fn interfaces_with(reference: InterfaceReference) -> (Interfaces, InterfaceId) {
        let variable = Variable::column(reference, mib::IF_HC_IN_OCTETS, None);
        let (interfaces, ids) = Interfaces::of(&[variable]);
        let Place::Of(id) = ids[0] else { panic!("it is looked up") };
        (interfaces, id)
    }

    fn find(reference: InterfaceReference, rows: &[(&[u32], Value)]) -> Result<u32, Unfound> {
        let (mut interfaces, id) = interfaces_with(reference);
        let columns = interfaces.columns_to_walk(Duration::ZERO);
        let [column] = &columns[..] else {
            panic!("one column, not {columns:?}");
        };
        let rows = rows.iter().map(|(index, value)| row(column, index, value.clone()));
        interfaces.look_up(column, &Ok(rows.collect()), Duration::ZERO);
        interfaces.index(id)
    }

    #[test]
    fn each_property_is_found_in_its_table() {
        let eth0 = || InterfaceReference::Name(b"eth0".into());
        let named: &[(&[u32], Value)] = &[(&[1], text("lo")), (&[7], text("eth0  \0"))];
        assert_eq!(find(eth0(), named), Ok(7));
        let described = InterfaceReference::Description(b"Fast Ethernet 1".into());
        assert_eq!(find(described, &[(&[4], text("Fast\0Ethernet 1 "))]), Ok(4));
        let physical = InterfaceReference::Physical(vec![0, 1, 2, 3, 4, 5]);
        let mac = Value::OctetString(vec![0, 1, 2, 3, 4, 5]);
        assert_eq!(find(physical, &[(&[3], mac)]), Ok(3));
        let ethernet = InterfaceReference::Type(6);
        assert_eq!(find(ethernet, &[(&[1], Value::Integer(24)), (&[2], Value::Integer(6))]), Ok(2));
        let address = InterfaceReference::Address(Ipv4Addr::new(10, 0, 0, 1));
        assert_eq!(find(address, &[(&[10, 0, 0, 1], Value::Integer(12))]), Ok(12));
    }

    #[test]
    fn a_shared_property_finds_none() {
        let eth0 = InterfaceReference::Name(b"eth0".into());
        let twice: &[(&[u32], Value)] = &[(&[1], text("eth0")), (&[7], text("eth0"))];
        assert_eq!(find(eth0.clone(), twice), Err(Unfound::Several));
        assert_eq!(find(eth0, &[(&[1], text("eth00"))]), Err(Unfound::None));
    }

    #[test]
    fn one_that_was_not_found_is_looked_for_again_later() {
        let (mut interfaces, _) = interfaces_with(InterfaceReference::Name(b"eth0".into()));
        let now = Duration::from_secs(1000);
        assert_eq!(interfaces.columns_to_walk(now), [mib::IF_NAME]);
        interfaces.look_up(&mib::IF_NAME, &Ok(Vec::new()), now);
        assert!(interfaces.columns_to_walk(now).is_empty());
        assert_eq!(interfaces.columns_to_walk(now + WALK_AGAIN_AFTER), [mib::IF_NAME]);
    }

    #[test]
    fn one_that_moved_is_noticed_by_its_own_column() {
        let (mut interfaces, id) = interfaces_with(InterfaceReference::Name(b"eth0".into()));
        let rows = vec![row(&mib::IF_NAME, &[7], text("eth0"))];
        interfaces.look_up(&mib::IF_NAME, &Ok(rows), Duration::ZERO);
        assert_eq!(interfaces.verification(id), Some(CellName::Column(mib::IF_NAME)));
        assert!(interfaces.verify(id, &text("eth0 ")));
        assert!(!interfaces.verify(id, &text("eth1")));
        assert_eq!(interfaces.index(id), Err(Unfound::Moved));
        assert_eq!(interfaces.columns_to_walk(Duration::ZERO), [mib::IF_NAME]);
    }
}
