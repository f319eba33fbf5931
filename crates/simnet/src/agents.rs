//! The answers of all devices, with the faults that are in them.

use crate::config::Versions;
use crate::fault::{BrokenBulk, Condition, Fault, Life};
use crate::mib::DeviceMib;
use crate::tally::Tally;
use crate::topology::{Device, Topology};
use crate::traffic::Traffic;
use snmp::agent::{Authority, Responder, respond, response, too_big};
use snmp::v3::peek_message_id;
use snmp::{ErrorStatus, Message, Operation};
use std::sync::Arc;
use std::time::Duration;

pub(crate) struct Agents {
    pub(crate) topology: Arc<Topology>,
    pub(crate) traffic: Traffic,
    /// By device; empty without users of SNMPv3.
    pub(crate) authorities: Vec<Authority>,
    pub(crate) responder: Responder,
    pub(crate) versions: Versions,
}

/// A device that is asked, at the time of the question.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub(crate) device: &'a Device,
    pub(crate) condition: Option<&'a Condition>,
    /// Since 1970.
    pub(crate) now: Duration,
}

impl Agents {
    /// As with a real agent, a datagram that is not SNMP, or has another community, gets no answer.
    pub(crate) fn answer(
        &self,
        asked: Asked<'_>,
        datagram: &[u8],
        tally: &mut Tally,
    ) -> Option<Vec<u8>> {
        let Asked { device, condition, now } = asked;
        let life = Life::new(device, condition, now);
        let room_bytes = self.responder.response_bytes_max;
        let mib = DeviceMib::new(device, &self.traffic, now, life, room_bytes);
        let mib = match condition {
            Some(condition) => mib.in_condition(condition),
            None => mib,
        };
        let authority = self.authorities.get(device.number as usize);
        let is_v3 = authority.is_some() && peek_message_id(datagram).is_ok();
        let mut was_asked = false;
        let mut respond = |request: &Message, room_bytes| {
            was_asked = true;
            tally.count_request(request, is_v3);
            let answer = respond_with_faults(request, &mib, room_bytes, condition);
            tally.count_response(answer.as_ref());
            answer
        };
        let answer = match authority.filter(|_| is_v3) {
            Some(authority) => {
                authority.respond_by(datagram, life.engine_time(now), room_bytes, respond)
            }
            None => self.responder.respond_by(datagram, |request, room_bytes| {
                self.versions.has(request.version).then(|| respond(request, room_bytes))?
            }),
        };
        match (&answer, was_asked) {
            (Err(_), _) => tally.malformed += 1,
            (Ok(Some(_)), false) => tally.reports += 1,
            (Ok(None), false) => tally.refused += 1,
            (Ok(_), true) => {}
        }
        answer.ok().flatten()
    }
}

fn respond_with_faults(
    request: &Message,
    mib: &DeviceMib<'_>,
    room_bytes: usize,
    condition: Option<&Condition>,
) -> Option<Message> {
    let Some(condition) = condition else { return respond(request, mib, room_bytes) };
    let broken = condition.find(|fault| match fault {
        Fault::Bulk(broken) => Some(broken),
        _ => None,
    });
    let is_bulk = matches!(request.pdu.operation, Operation::GetBulk { .. });
    let asked = || request.pdu.bindings.clone();
    let mut answer = match broken.filter(|_| is_bulk) {
        Some(BrokenBulk::Silent) => return None,
        Some(BrokenBulk::Error) => response(request, ErrorStatus::GenErr, 1, asked()),
        Some(BrokenBulk::Nonsense) => response(request, ErrorStatus::NoError, 0, asked()),
        None => respond(request, mib, room_bytes)?,
    };
    for fault in condition.faults() {
        match fault {
            Fault::TooBig(bytes_max) if answer.encode().len() > bytes_max => {
                answer = too_big(request);
            }
            Fault::WrongId => answer.pdu.request_id = answer.pdu.request_id.wrapping_add(1),
            _ => {}
        }
    }
    Some(answer)
}
