//! The user-based security model of SNMPv3 (RFC 3414): users, their keys, authentication, privacy.
//!
//! ```text
//! password ─ 1 MB of hashing, once a user ─▶ master key ─ one hash an engine ─▶ localised keys
//!                                                                │
//!                                              HMAC state, expanded cipher key: LocalKeys
//! ```
//!
//! Secrets are wiped when they are dropped, and `Debug` shows none of them.

mod protocol;
mod level;
mod secret;
mod hash;
mod stretch;
mod user;
mod mac;
mod cipher;
mod keys;

pub use keys::LocalKeys;
pub use level::SecurityLevel;
pub use protocol::{AuthProtocol, PrivacyProtocol};
pub use secret::Secret;
pub use user::{Authentication, Key, Privacy, User, UserError};

pub(crate) use cipher::{Nonce, SALT_BYTES};
pub(crate) use mac::MAC_BYTES_MAX;
