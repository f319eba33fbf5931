//! SNMP messages, and a session as a state machine. This crate is pure.
//!
//! ```text
//! datagram -> MessageView (borrowed, lazy) -> Message (owned, validated) -> datagram
//! SNMPv3:     v3::View, authentic? decrypted -> Pdu (owned, validated) -> v3::seal -> datagram
//!
//!   submit(request) ─▶ Session ─▶ transmit(now) ─▶ datagram out
//!   datagram in ─▶ handle(now, ..) ─▶ next_event() ─▶ answer or failure
//! ```
//!
//! The codec also reads non-canonical encodings of real agents (long lengths, padded integers); it
//! writes the canonical form. No function panics on untrusted bytes. The crate has no socket or
//! clock: the caller's event loop passes datagrams and the time.
#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::indexing_slicing, clippy::expect_used))]

mod error;
mod oid;
mod reader;
mod writer;
mod value;
mod pdu;
mod message;
mod usm;
pub mod v3;
mod peek;
mod request_id;
mod session;
pub mod agent;
pub mod mib;

pub use error::{DecodeError, Found};
pub use message::{Community, Message, MessageView, Version};
pub use oid::{ARCS_MAX, Arcs, Oid, OidError, OidView};
pub use pdu::{Bindings, ErrorStatus, Operation, Pdu, VarBind, VarBindView};
pub use peek::peek_request_id;
pub use request_id::{RequestIdKey, RequestIds, SLOTS_MAX};
pub use session::{
    Answer, Config, Event, Failure, Limits, Names, Request, RequestError, RequestToken, Security,
    Session, TableNames, Tally,
};
pub use usm::{
    AuthProtocol, Authentication, Key, Privacy, PrivacyProtocol, Secret, SecurityLevel, User,
    UserError,
};
pub use value::{Value, ValueView};
