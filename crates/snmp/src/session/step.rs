//! What becomes of a job when something has happened to one of its datagrams.

use super::event::{Failure, RequestError};
use crate::oid::Oid;
use crate::pdu::VarBind;
use crate::value::Value;

/// The state of a job after an answer, a refusal or a timeout.
#[derive(Debug)]
pub(super) enum Step {
    /// It has more requests to send.
    Ready,
    /// It waits for its other datagrams.
    Wait,
    Done(Result<Answered, RequestError>),
}

/// The content of an [`Answer`](super::Answer); the session adds the times.
#[derive(Debug, Default)]
pub(super) struct Answered {
    pub(super) bindings: Vec<VarBind>,
    pub(super) failed: Vec<(Oid, Failure)>,
    pub(super) values: Vec<Result<Value, Failure>>,
    pub(super) responses: u32,
}
