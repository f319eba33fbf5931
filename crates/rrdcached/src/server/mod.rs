//! The daemon's side of the protocol: lines to requests, replies to lines.
//!
//! It touches no socket. A line is taken apart in place, without a copy: a word is a stretch of the
//! line, from which the backslashes are taken out. Bytes may be anything; what is no request is
//! told in rrdcached's words.

pub mod command;
mod words;
mod wrong;
mod operand;
mod request;
mod create;
pub mod answer;

pub use answer::{Answer, Told};
pub use command::{Command, TABLE};
pub use create::CreateRequest;
pub use request::{FetchRequest, NoTime, Request, Spoken};
pub use words::{Words, split_line};
pub use wrong::Wrong;
