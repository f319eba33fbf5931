//! The agent's side: the response to a request, from any source of values.
//!
//! Simulated devices use it. It follows RFC 3416, section 4.2, for v2c and RFC 1157, section 4.1,
//! for v1, with RFC 3584 for values that v1 cannot represent. With SNMPv3 an [`Authority`] takes the
//! place of the community.

mod authority;

pub use authority::{Authority, EngineTime};

use crate::error::DecodeError;
use crate::message::{Community, Message, MessageView, Version};
use crate::oid::Oid;
use crate::pdu::{ErrorStatus, Operation, Pdu, VarBind};
use crate::value::Value;
use std::collections::BTreeMap;
use std::ops::Bound;

/// The values of an agent, ordered by name.
pub trait MibView {
    /// The value of an instance, or [`Value::NoSuchObject`] or [`Value::NoSuchInstance`].
    fn get(&self, oid: &Oid) -> Value;

    /// The first instance after a name.
    fn next(&self, oid: &Oid) -> Option<VarBind>;
}

/// A table of values is a view; a name that it does not have is an unknown object.
impl MibView for BTreeMap<Oid, Value> {
    fn get(&self, oid: &Oid) -> Value {
        self.get(oid).cloned().unwrap_or(Value::NoSuchObject)
    }

    fn next(&self, oid: &Oid) -> Option<VarBind> {
        let behind = (Bound::Excluded(oid), Bound::Unbounded);
        let (oid, value) = self.range::<Oid, _>(behind).next()?;
        Some(VarBind { oid: oid.clone(), value: value.clone() })
    }
}

/// The settings of an agent.
#[derive(Debug, Clone)]
pub struct Responder {
    /// The community that may read. Requests with another community get no response.
    pub community: Community,
    /// The most bytes of a response. 1,472 fit in one Ethernet frame.
    pub response_bytes_max: usize,
}

impl Responder {
    /// The datagram to send back; `None` for a wrong community, a response, or GETBULK in v1.
    pub fn respond(
        &self,
        datagram: &[u8],
        mib: &impl MibView,
    ) -> Result<Option<Vec<u8>>, DecodeError> {
        self.respond_by(datagram, |request, room_bytes| respond(request, mib, room_bytes))
    }

    /// The same with the response that `answer` gives to a request; it is told the most bytes.
    pub fn respond_by(
        &self,
        datagram: &[u8],
        answer: impl FnOnce(&Message, usize) -> Option<Message>,
    ) -> Result<Option<Vec<u8>>, DecodeError> {
        let view = MessageView::parse(datagram)?;
        if view.community() != self.community.as_bytes() {
            return Ok(None);
        }
        let request = view.to_message()?;
        Ok(answer(&request, self.response_bytes_max).map(|response| response.encode()))
    }
}

/// The response to a request, within `response_bytes_max` bytes; `None` if there is none.
pub fn respond(
    request: &Message,
    mib: &impl MibView,
    response_bytes_max: usize,
) -> Option<Message> {
    let seen = Seen { mib, version: request.version };
    let asked = &request.pdu.bindings;
    let room_bytes = response_bytes_max.saturating_sub(head_bytes(request));
    let answered = match request.pdu.operation {
        Operation::Get => seen.each(asked, |oid| seen.get(oid)),
        Operation::GetNext => seen.each(asked, |oid| seen.next(oid)),
        Operation::GetBulk { .. } if request.version == Version::V1 => return None,
        Operation::GetBulk { non_repeaters, max_repetitions } => {
            Ok(seen.bulk(asked, non_repeaters as usize, max_repetitions, room_bytes))
        }
        Operation::Set => Err(refuse_set(request.version)),
        Operation::Response { .. } | Operation::Report => return None,
    };
    let fits = |bindings: &Vec<VarBind>| bytes(bindings) <= room_bytes;
    Some(match answered {
        Ok(bindings) if fits(&bindings) => response(request, ErrorStatus::NoError, 0, bindings),
        Ok(_) => too_big(request),
        Err((status, index)) => response(request, status, index, asked.clone()),
    })
}

/// An error: its status and the number of the binding, from 1.
type Fault = (ErrorStatus, u32);

/// The view as one protocol version sees it.
struct Seen<'a, M> {
    mib: &'a M,
    version: Version,
}

impl<M: MibView> Seen<'_, M> {
    fn each(
        &self,
        asked: &[VarBind],
        answer: impl Fn(&Oid) -> VarBind,
    ) -> Result<Vec<VarBind>, Fault> {
        let answer_one = |(index, binding): (usize, &VarBind)| {
            let answer = answer(&binding.oid);
            if self.version == Version::V1 && answer.value.is_exception() {
                return Err((ErrorStatus::NoSuchName, index as u32 + 1));
            }
            Ok(answer)
        };
        asked.iter().enumerate().map(answer_one).collect()
    }

    fn get(&self, oid: &Oid) -> VarBind {
        let value = match self.mib.get(oid) {
            hidden if self.hides(&hidden) => Value::NoSuchInstance,
            value => value,
        };
        VarBind { oid: oid.clone(), value }
    }

    fn next(&self, oid: &Oid) -> VarBind {
        let mut after = oid.clone();
        while let Some(next) = self.mib.next(&after) {
            if !self.hides(&next.value) {
                return next;
            }
            after = next.oid;
        }
        VarBind { oid: oid.clone(), value: Value::EndOfMibView }
    }

    /// v1 has no type for 64-bit counters: such instances do not exist for it (RFC 3584, 4.2.2.1).
    fn hides(&self, value: &Value) -> bool {
        self.version == Version::V1 && matches!(value, Value::Counter64(_))
    }

    /// As many repetitions as were requested and fit; a response may end in the middle of a
    /// repetition.
    fn bulk(
        &self,
        asked: &[VarBind],
        non_repeaters: usize,
        max_repetitions: u32,
        room_bytes: usize,
    ) -> Vec<VarBind> {
        let (once, repeated) = asked.split_at(non_repeaters.min(asked.len()));
        let mut answers: Vec<VarBind> = once.iter().map(|asked| self.next(&asked.oid)).collect();
        let mut used_bytes = bytes(&answers);
        let mut names: Vec<Oid> = repeated.iter().map(|asked| asked.oid.clone()).collect();
        for _ in 0..max_repetitions {
            let mut ended = true;
            for name in &mut names {
                let answer = self.next(name);
                used_bytes += answer.encoded_length_bytes();
                if used_bytes > room_bytes && answers.len() >= once.len().max(1) {
                    return answers;
                }
                ended &= answer.value == Value::EndOfMibView;
                *name = answer.oid.clone();
                answers.push(answer);
            }
            if ended {
                break;
            }
        }
        answers
    }
}

/// No value can be set.
fn refuse_set(version: Version) -> Fault {
    match version {
        Version::V1 => (ErrorStatus::NoSuchName, 1),
        Version::V2c => (ErrorStatus::NoAccess, 1),
    }
}

/// The response to a request whose answer would be too long.
pub fn too_big(request: &Message) -> Message {
    let bindings = match request.version {
        Version::V1 => request.pdu.bindings.clone(),
        Version::V2c => Vec::new(),
    };
    response(request, ErrorStatus::TooBig, 0, bindings)
}

/// A response to a request.
pub fn response(
    request: &Message,
    error_status: ErrorStatus,
    error_index: u32,
    bindings: Vec<VarBind>,
) -> Message {
    let operation = Operation::Response { error_status, error_index };
    let pdu = Pdu { request_id: request.pdu.request_id, operation, bindings };
    Message { version: request.version, community: request.community.clone(), pdu }
}

fn bytes(bindings: &[VarBind]) -> usize {
    bindings.iter().map(VarBind::encoded_length_bytes).sum()
}

/// Bytes of the message without its bindings: four headers of at most 5, version, three integers of
/// at most 6.
fn head_bytes(request: &Message) -> usize {
    4 * 5 + 3 + 3 * 6 + request.community.as_bytes().len()
}
