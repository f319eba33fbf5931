//! The properties that identify interfaces, as the columns of a device's tables tell them.

use crate::plan::InterfaceReference;
use crate::report::Unfound;
use snmp::{Oid, Value, VarBind, mib};
use std::collections::HashMap;

impl InterfaceReference {
    /// Whether interfaces commonly share the property, so that one that has it may be another.
    pub(crate) fn is_often_shared(&self) -> bool {
        matches!(self, Self::Physical(_) | Self::Type(_))
    }

    /// The column with the property.
    pub(crate) fn column(&self) -> Option<Oid> {
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
    pub(crate) fn property(&self) -> Vec<u8> {
        match self {
            Self::Name(text) | Self::Description(text) | Self::Alias(text) => folded(text),
            Self::Physical(address) => address.clone(),
            Self::Address(address) => address.octets().into(),
            Self::Index(number) | Self::Type(number) => number.to_be_bytes().into(),
        }
    }

    /// Every property in a walked column, with the index of the interface that has it; an error if
    /// several have it.
    pub(crate) fn indices(
        &self,
        column: &Oid,
        rows: &[VarBind],
    ) -> HashMap<Vec<u8>, Result<u32, Unfound>> {
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
    pub(crate) fn property_in(&self, value: &Value) -> Option<Vec<u8>> {
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
