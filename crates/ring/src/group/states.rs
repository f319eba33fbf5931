//! The live states of a group's members: packed, or aside.

use livestate::State;
use rrd::update::UpdateError;
use rrd::{Definition, Timestamp};

use super::{Group, Status};

impl Group {
    /// A state of this group's layout, to be filled.
    pub(crate) fn room(&self) -> State {
        self.template.clone()
    }

    /// Copies a member's state; primaries that stand in rows are not in it.
    pub(crate) fn state(&self, member: u16, state: &mut State) {
        let (room, live) = (&self.template, &state.live);
        let same_layout = room.runs.len() == state.runs.len()
            && room.live.sources.len() == live.sources.len()
            && room.live.cells.len() == live.cells.len();
        if !same_layout {
            state.clone_from(room);
        }
        match self.aside.get(&member) {
            Some(aside) => state.clone_from(aside),
            None => self.layout.unpack(self.packed(member), state),
        }
    }

    /// Keeps a member's state.
    pub(crate) fn put_state(&mut self, member: u16, state: &State) {
        let bytes = self.layout.bytes();
        let packed = &mut self.states[usize::from(member) * bytes..][..bytes];
        let fits = self.layout.pack(state, packed);
        let status = &mut self.members[usize::from(member)].status;
        let was_aside = status.has(Status::ASIDE);
        status.set(Status::ASIDE, !fits);
        match (fits, was_aside) {
            (true, false) => {}
            (true, true) => drop(self.aside.remove(&member)),
            (false, _) => drop(self.aside.insert(member, Box::new(state.clone()))),
        }
    }

    /// Smooths the rings of a member's seasons.
    ///
    /// # Errors
    /// A season cannot be smoothed; those before it are.
    pub(crate) fn smooth(
        &mut self,
        member: u16,
        definition: &Definition,
    ) -> Result<(), UpdateError> {
        let mut state = self.room();
        self.state(member, &mut state);
        let smoothed = rrd::update::smooth(definition, &mut state.live, |_| ());
        self.put_state(member, &state);
        smoothed
    }

    pub(crate) fn packed(&self, member: u16) -> &[u8] {
        let bytes = self.layout.bytes();
        &self.states[usize::from(member) * bytes..][..bytes]
    }

    pub(crate) fn packed_mut(&mut self, member: u16) -> &mut [u8] {
        let bytes = self.layout.bytes();
        &mut self.states[usize::from(member) * bytes..][..bytes]
    }

    pub(crate) fn aside(&self, member: u16) -> Option<&State> {
        self.aside.get(&member).map(|state| &**state)
    }

    pub(crate) fn keep_aside(&mut self, member: u16, state: State) {
        self.aside.insert(member, Box::new(state));
    }

    /// The last PDP that a member has seen.
    pub(crate) fn last_pdp(&self, member: u16) -> i64 {
        self.pdp_of(self.last_update(member).seconds)
    }

    /// When a member's last update was.
    pub(crate) fn last_update(&self, member: u16) -> Timestamp {
        match self.aside.get(&member) {
            Some(state) => state.live.last_update,
            None => self.layout.last_update(self.packed(member)),
        }
    }
}
