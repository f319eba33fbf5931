//! What is wrong with devices, on demand: each fault has a name, perhaps a value, and devices.
//!
//! ```text
//! loss=1%:all     latency=800+200:5%     reboot=60:127.16.0.7     bulk=silent:3-9,12
//! KIND=VALUE:DEVICES
//! ```

mod names;
mod error;
mod kind;
mod choice;
mod rule;
mod shown;
mod listing;
mod restart;
mod condition;
mod life;

pub use choice::{Choice, Item};
pub(crate) use condition::{Condition, Conditions};
pub use error::FaultError;
pub use kind::{BrokenBulk, BrokenWalk, Fault};
pub(crate) use life::Life;
pub(crate) use listing::as_rules;
pub use rule::{Mending, Rule};
