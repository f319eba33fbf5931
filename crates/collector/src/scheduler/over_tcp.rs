//! Devices that are asked over connections.

use super::Scheduler;
use snmp::peek_request_id;
use std::sync::Arc;
use std::time::Duration;

impl Scheduler {
    /// Takes a message from a device's connection.
    pub fn handle_stream(&mut self, now: Duration, stream: u32, message: &[u8]) {
        let id = peek_request_id(message).ok();
        let is_own = id.and_then(|id| self.key.slot(id)) == Some(stream);
        let slot = self.slots.get_mut(stream as usize).and_then(Option::as_mut);
        let traffic = match slot.filter(|slot| is_own && slot.is_over_tcp()) {
            Some(slot) => {
                let round = slot.round;
                slot.device.handle(now, message);
                self.wake(stream);
                &mut self.rounds.at_mut(round).traffic
            }
            None => {
                let Some(traffic) = self.rounds.foreign_traffic() else { return };
                traffic.foreign += 1;
                traffic
            }
        };
        traffic.received += 1;
        traffic.received_bytes += message.len() as u64;
    }

    /// A device's connection has ended, or cannot be made. The next poll needs a new one. An end
    /// between two polls is no trouble if it `is_orderly`.
    pub fn stream_ended(&mut self, stream: u32, why: &Arc<str>, is_orderly: bool) {
        let slot = self.slots.get_mut(stream as usize).and_then(Option::as_mut);
        let Some(slot) = slot.filter(|slot| slot.is_over_tcp()) else { return };
        let was_polled = slot.device.break_off(why.clone());
        if was_polled || !is_orderly {
            let traffic = &mut self.rounds.at_mut(slot.round).traffic;
            traffic.broken_connections += 1;
            let name = &slot.device.plan().name;
            traffic.connection_error = Some(format!("{name}: {why}").into());
        }
        if was_polled {
            self.wake(stream);
        }
    }

    /// A connection that is to be closed: the device is gone, or did not answer over it.
    pub fn next_closing(&mut self) -> Option<u32> {
        self.closings.pop()
    }
}
