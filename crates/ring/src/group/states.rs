//! The live states of a group's members: packed, or aside.

use std::collections::HashMap;

use livestate::{PlainPlaces, State, StateLayout};
use rrd::update::UpdateError;
use rrd::{Definition, RowSoFar, Sample, Timestamp, Workspace};

use super::{Group, Status};

/// The live states of members, by their places.
#[derive(Debug)]
pub(crate) struct States {
    pub(crate) layout: StateLayout,
    /// Where usual updates find what they change; `None` if no update of the layout is usual.
    plain: Option<PlainPlaces>,
    /// A state of this layout, for room.
    template: State,
    /// One packed state a member.
    packed: Vec<u8>,
    /// States that do not fit the packed form.
    aside: HashMap<u16, Box<State>>,
}

impl States {
    /// Those of no member. `layout_of` is a definition of the layout.
    pub(super) fn new(layout_of: &Definition) -> Self {
        let layout = StateLayout::new(layout_of);
        let template = State::fresh(&layout, layout_of, Timestamp::default());
        let plain = PlainPlaces::of(&layout, layout_of);
        Self { layout, plain, template, packed: Vec::new(), aside: HashMap::new() }
    }

    /// States of this layout, of no member.
    pub(super) fn emptied(&self) -> Self {
        let (layout, template) = (self.layout.clone(), self.template.clone());
        Self {
            layout,
            plain: self.plain.clone(),
            template,
            packed: Vec::new(),
            aside: HashMap::new(),
        }
    }

    /// Makes room for the states of so many places.
    pub(super) fn grow_to(&mut self, places: usize) {
        self.packed.resize(places * self.layout.bytes(), 0);
    }

    /// A state of this layout, to be filled.
    pub(crate) fn room(&self) -> State {
        self.template.clone()
    }

    /// Copies a member's state; primaries that stand in rows are not in it.
    pub(crate) fn copy(&self, member: u16, state: &mut State) {
        let (room, live) = (&self.template, &state.live);
        let same_layout = room.runs.len() == state.runs.len()
            && room.live.sources.len() == live.sources.len()
            && room.live.cells.len() == live.cells.len()
            && RowSoFar::are_alike(&room.live.rows_so_far, &live.rows_so_far);
        if !same_layout {
            state.clone_from(room);
        }
        match self.aside.get(&member) {
            Some(aside) => state.clone_from(aside),
            None => self.layout.unpack(self.packed(member), state),
        }
    }

    /// Keeps a member's state. Returns whether it is aside.
    fn keep(&mut self, member: u16, state: &State, was_aside: bool) -> bool {
        let bytes = self.layout.bytes();
        let packed = &mut self.packed[usize::from(member) * bytes..][..bytes];
        let fits = self.layout.pack(state, packed);
        match (fits, was_aside) {
            (true, false) => {}
            (true, true) => drop(self.aside.remove(&member)),
            (false, _) => drop(self.aside.insert(member, Box::new(state.clone()))),
        }
        !fits
    }

    /// Takes a sample into a member's state as it lies packed, if it is a usual update. Returns the
    /// time of the update before.
    #[inline]
    pub(super) fn take_plain(
        &mut self,
        member: u16,
        definition: &Definition,
        sample: &Sample<'_>,
        workspace: &mut Workspace,
    ) -> Option<Timestamp> {
        if !self.aside.is_empty() && self.aside.contains_key(&member) {
            return None;
        }
        let bytes = self.layout.bytes();
        let packed = &mut self.packed[usize::from(member) * bytes..][..bytes];
        self.plain.as_ref()?.take(packed, definition, sample, workspace)
    }

    /// A member is gone.
    pub(super) fn forget(&mut self, member: u16) {
        self.aside.remove(&member);
    }

    pub(crate) fn packed(&self, member: u16) -> &[u8] {
        let bytes = self.layout.bytes();
        &self.packed[usize::from(member) * bytes..][..bytes]
    }

    pub(crate) fn packed_mut(&mut self, member: u16) -> &mut [u8] {
        let bytes = self.layout.bytes();
        &mut self.packed[usize::from(member) * bytes..][..bytes]
    }

    pub(crate) fn aside(&self, member: u16) -> Option<&State> {
        self.aside.get(&member).map(|state| &**state)
    }

    pub(crate) fn keep_aside(&mut self, member: u16, state: State) {
        self.aside.insert(member, Box::new(state));
    }

    fn last_update(&self, member: u16) -> Timestamp {
        match self.aside.get(&member) {
            Some(state) => state.live.last_update,
            None => self.layout.last_update(self.packed(member)),
        }
    }

    /// Bytes of memory that packed states take.
    pub(super) fn memory_bytes(&self) -> usize {
        self.packed.capacity()
    }
}

impl Group {
    /// Keeps a member's state.
    pub(crate) fn put_state(&mut self, member: u16, state: &State) {
        let status = &mut self.members[usize::from(member)].status;
        let is_aside = self.states.keep(member, state, status.has(Status::ASIDE));
        status.set(Status::ASIDE, is_aside);
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
        let mut state = self.states.room();
        self.states.copy(member, &mut state);
        let smoothed = rrd::update::smooth(definition, &mut state.live, |_| ());
        self.put_state(member, &state);
        smoothed
    }

    /// The last PDP that a member has seen.
    pub(crate) fn last_pdp(&self, member: u16) -> i64 {
        self.pdp_of(self.last_update(member).seconds)
    }

    /// When a member's last update was.
    pub(crate) fn last_update(&self, member: u16) -> Timestamp {
        self.states.last_update(member)
    }
}
