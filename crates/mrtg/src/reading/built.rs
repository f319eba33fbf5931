//! Targets that were built, and what they refer to.

use crate::language::Interner;
use crate::{Agent, AgentIndex, Note, Poll, PollIndex, Target};

/// Targets in their order, and the agents and polls that they refer to.
pub(super) struct Built {
    pub(super) agents: Interner<Agent>,
    pub(super) polls: Interner<Poll>,
    pub(super) targets: Vec<Target>,
    pub(super) notes: Vec<Note>,
}

impl Built {
    /// Appends the targets that follow these in the configuration. All is then as if they had been
    /// built one after the other; `None` if there are more agents or polls than can be numbered.
    pub(super) fn append(&mut self, following: Self) -> Option<()> {
        let agents = following.agents.into_members().into_iter();
        let agents: Vec<u32> = agents.map(|it| self.agents.number(it)).collect::<Option<_>>()?;
        let polls = following.polls.into_members().into_iter().map(|mut poll| {
            if let Poll::Snmp(poll) = &mut poll {
                poll.agent = AgentIndex(*agents.get(poll.agent.0 as usize)?);
            }
            self.polls.number(poll)
        });
        let polls: Vec<u32> = polls.collect::<Option<_>>()?;
        self.targets.reserve_exact(following.targets.len());
        for mut target in following.targets {
            target
                .expression
                .renumber(|poll| PollIndex(polls.get(poll.0 as usize).copied().unwrap_or(poll.0)));
            self.targets.push(target);
        }
        for note in following.notes {
            if !self.notes.iter().any(|told| told.stands_for(&note)) {
                self.notes.push(note);
            }
        }
        Some(())
    }
}
