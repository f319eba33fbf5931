//! Messages of SNMPv3 (RFC 3412), protected by the user-based security model (RFC 3414).
//!
//! ```text
//! 30 len
//!    02 01 03                    version
//!    30 len                      header data
//!       02 len message-id        echoed by the agent, also in reports
//!       02 len size-max
//!       04 01 flags              1 authenticated, 2 encrypted, 4 reportable
//!       02 01 03                 the user-based security model
//!    04 len                      security parameters
//!       30 len
//!          04 len engine-id      of the agent, whose clock counts
//!          02 len boots
//!          02 len time           seconds since its start
//!          04 len user
//!          04 len mac            over the whole message, with zeros in its own place
//!          04 len salt
//!    scoped PDU, or 04 len and its encrypted bytes
//!       30 len
//!          04 len context-engine-id
//!          04 len context-name
//!          PDU
//! ```
//!
//! Reading is in steps: [`View::parse`] checks the structure, [`View::is_authentic`] the MAC,
//! [`View::open`] decrypts, [`Text::scoped`] parses what was inside. [`seal()`] writes.

mod header;
mod scoped;
mod context;
mod view;
mod seal;
mod report;

pub use crate::usm::LocalKeys;
pub use context::Context;
pub use header::{Header, SIZE_MAX};
pub use report::Report;
pub use scoped::{Scope, ScopedView};
pub use seal::seal;
pub use view::{Text, View, peek_message_id};
