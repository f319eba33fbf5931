//! All connections.

use std::time::{Duration, Instant};

use super::connection::Connection;

/// One that has sent nothing for so long gives way to another one.
const SILENT: Duration = Duration::from_secs(1);
/// And one that has sent something, but not for so long.
const IDLE: Duration = Duration::from_secs(60);

/// The number of a connection; it may be that of another one later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slot(pub(crate) usize);

/// All connections.
#[derive(Debug, Default)]
pub(crate) struct Connections {
    slots: Vec<Option<Connection>>,
    free: Vec<Slot>,
}

impl Connections {
    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    pub(crate) fn add(&mut self, connection: Connection) -> Slot {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(None);
            Slot(self.slots.len() - 1)
        });
        self.slots[slot.0] = Some(connection);
        slot
    }

    /// `None` if it was closed meanwhile.
    pub(crate) fn get_mut(&mut self, slot: Slot) -> Option<&mut Connection> {
        self.slots.get_mut(slot.0)?.as_mut()
    }

    /// Takes a connection out; dropping it closes it.
    pub(crate) fn remove(&mut self, slot: Slot) -> Option<Connection> {
        let connection = self.slots.get_mut(slot.0)?.take()?;
        self.free.push(slot);
        Some(connection)
    }

    pub(crate) fn slots(&self) -> Vec<Slot> {
        self.iter().map(|(slot, _)| slot).collect()
    }

    /// Those over which nothing came for so long.
    pub(crate) fn idle(&self, idle_max: Duration, now: Instant) -> Vec<Slot> {
        let is_idle = |it: &Connection| now.duration_since(it.heard) >= idle_max;
        self.iter().filter(|(_, it)| is_idle(it)).map(|(slot, _)| slot).collect()
    }

    /// The one that gives way to another: it never sent anything whole, else it is idle for longest.
    /// None of which something waits in the kernel.
    pub(crate) fn least_wanted(&self, now: Instant) -> Option<Slot> {
        let patience = |it: &Connection| if it.has_sent { IDLE } else { SILENT };
        let idle = self.iter().filter(|(_, it)| now.duration_since(it.heard) >= patience(it));
        let idle = idle.filter(|(_, it)| it.waiting_bytes() == 0);
        idle.min_by_key(|(_, it)| (it.has_sent, it.heard)).map(|(slot, _)| slot)
    }

    /// The one that has left a line or frame unfinished for the longest time.
    pub(crate) fn longest_unfinished(&self) -> Option<Slot> {
        let unfinished = self.iter().filter_map(|(slot, it)| Some((it.unfinished_since?, slot)));
        unfinished.min_by_key(|(since, _)| *since).map(|(_, slot)| slot)
    }

    fn iter(&self) -> impl Iterator<Item = (Slot, &Connection)> {
        let slots = self.slots.iter().enumerate();
        slots.filter_map(|(nth, slot)| Some((Slot(nth), slot.as_ref()?)))
    }
}
