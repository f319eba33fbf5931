//! The interface that a whole target is about, for keys that concern it.

use super::agent::AgentIndex;
use super::interface::InterfaceReference;
use super::object::Object;

/// An interface of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentInterface {
    /// The agent to ask.
    pub agent: AgentIndex,
    /// Which of its interfaces.
    pub interface: InterfaceReference,
}

/// The interfaces that the objects of a target name, as it is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Named {
    /// There is none.
    #[default]
    None,
    /// All that name one name this.
    One(AgentInterface),
    /// They name several.
    Several,
}

impl Named {
    /// A target has this object, too.
    pub(super) fn add(&mut self, agent: AgentIndex, object: &Object) {
        let Some(interface) = &object.interface else { return };
        match self {
            Self::None => {
                *self = Self::One(AgentInterface { agent, interface: interface.clone() });
            }
            Self::One(known) if known.agent == agent && known.interface == *interface => {}
            _ => *self = Self::Several,
        }
    }

    /// The only interface, or what there is instead.
    pub(crate) fn only(self) -> Result<AgentInterface, &'static str> {
        match self {
            Self::One(only) => Ok(only),
            Self::None => Err("none"),
            Self::Several => Err("several"),
        }
    }
}
