//! A request of a poll, and what to do with its values.

use crate::interfaces::InterfaceId;
use snmp::Names;
use std::sync::Arc;

/// One request, and the meaning of each of its values. A clone shares both.
#[derive(Clone, Debug)]
pub(crate) struct Chunk {
    /// The names to ask for: sysUpTime.0 first, and none twice.
    pub(crate) names: Arc<Names>,
    /// For each name, what to do with its value.
    pub(crate) asks: Arc<[Ask]>,
}

/// What to do with a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ask {
    /// It is sysUpTime, which no variable asks for.
    Uptime,
    /// It is when the device last made or removed an interface.
    TableChange,
    /// It shows whether this interface still has its index.
    Verification(InterfaceId),
    /// It is the value of this variable.
    Variable(u32),
    /// It is the value of these variables.
    Variables(Box<[u32]>),
}

impl Ask {
    /// The value of these variables; of none, it is the uptime.
    pub(crate) fn of(variables: &[u32]) -> Self {
        match variables {
            [] => Self::Uptime,
            [only] => Self::Variable(*only),
            several => Self::Variables(several.into()),
        }
    }
}
