//! A configuration as a whole.

use std::path::PathBuf;

use crate::{Agent, AgentIndex, Globals, Note, Poll, PollIndex, Target};

/// A validated configuration.
#[derive(Clone, Debug)]
pub struct Configuration {
    /// The global keys.
    pub globals: Globals,
    /// The SNMP agents: one for each distinct `community@host:...` with its options.
    pub agents: Vec<Agent>,
    /// The polls; identical polls appear once.
    pub polls: Vec<Poll>,
    /// The targets, in the order in which they are first mentioned.
    pub targets: Vec<Target>,
    /// Remarks for the operator.
    pub notes: Vec<Note>,
    /// Every file that was read, the main file first; a reload reads them again.
    pub files: Vec<PathBuf>,
}

impl Configuration {
    /// The poll at an index of this configuration.
    ///
    /// # Panics
    /// If the index is another configuration's.
    #[must_use]
    pub fn poll(&self, index: PollIndex) -> &Poll {
        &self.polls[index.0 as usize]
    }

    /// The agent at an index of this configuration.
    ///
    /// # Panics
    /// If the index is another configuration's.
    #[must_use]
    pub fn agent(&self, index: AgentIndex) -> &Agent {
        &self.agents[index.0 as usize]
    }
}
