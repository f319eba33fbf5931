//! Who may see and change what.
//!
//! ```text
//!  file of tokens:   NAME     ROLE  PROOF                PREFIX...
//!                    grafana  read  sha256:9f86d081...   router/ switch/
//!                    anna     admin proxy
//!
//!  request ──▶ Token::read ──▶ Tokens::find ──▶ Grant ──▶ Grant::sees(name)
//! ```
//!
//! The crate knows neither files nor connections: it is handed text and bytes.
#![forbid(unsafe_code)]

mod role;
mod scope;
mod token;
mod proof;
mod grant;
mod tokens;
mod current;
mod wrong;

pub use current::Current;
pub use grant::Grant;
pub use proof::Proof;
pub use role::Role;
pub use scope::Scope;
pub use token::{TOKEN_BYTES, Token, TokenHash};
pub use tokens::Tokens;
pub use wrong::{Problem, Wrong};
