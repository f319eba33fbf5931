//! What guards the doors of a process that others reach, whichever protocol they speak there.
//!
//! The crate knows no protocol: `server` and `daemon` ask it who a token lets in, and whether an
//! address leads out of this machine.
#![forbid(unsafe_code)]
#![allow(clippy::disallowed_methods, reason = "it reads the files that say who is let in")]

mod tokens_file;
mod tls;
mod exposure;
mod proxy_users;

pub use exposure::{Exposed, is_exposed};
pub use proxy_users::{PROXY_ADDRESSES_EXPECTED, ProxyIncomplete, ProxyUsers};
pub use tls::{Tls, TlsError, TlsFiles, names_of_client};
pub use tokens_file::{TokensError, TokensFile, bytes_of_tokens};
