//! The interface that a whole target is about, for keys that concern it.

use super::agent::AgentIndex;
use super::interface::InterfaceReference;
use super::object::Object;

/// The interfaces that the objects of a target name, as it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Named {
    /// There is none.
    #[default]
    None,
    /// All that name one name this.
    One {
        /// The agent that has it.
        agent: AgentIndex,
        /// Which it is.
        interface: InterfaceReference,
    },
    /// They name several.
    Several,
}

impl Named {
    /// A target has this object, too.
    pub(super) fn add(&mut self, agent: AgentIndex, object: &Object) {
        let Some(interface) = &object.interface else { return };
        match self {
            Self::None => *self = Self::One { agent, interface: interface.clone() },
            Self::One { agent: known, interface: same } if *known == agent && same == interface => {
            }
            _ => *self = Self::Several,
        }
    }
}
