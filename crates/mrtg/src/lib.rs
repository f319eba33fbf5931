//! The language of mrtg.cfg: parses text into validated targets. This crate is pure.
//!
//! ```text
//! files --reading--> entries (defaults applied) --target--> Configuration
//!                                   Target[] --language--> Expression over polls
//!                       Interval, Options, MaxBytes --database--> rrd::Definition
//! ```
//!
//! [`Configuration::read`] is the entry point. It reads files through the given [`Source`]. Every
//! error names file and line, and no message ever shows a community. The behaviour of MRTG 2.17.10
//! is known from running it. Where gyre differs on purpose, the item's documentation says so.

mod source;
mod error;
mod note;
mod configuration;
mod globals;
mod target;
mod settings;
mod options;
mod periods;
mod page_keys;
mod legends;
mod environment;
mod perl_number;
mod thresholds;
mod credentials;
mod snmp_options;
pub mod database;
pub mod log_file;
pub mod language;
mod reading;
mod places;
mod text;

pub use configuration::Configuration;
pub use credentials::{Credentials, Hidden, Protection};
pub use error::{Error, Problem};
pub use globals::{Globals, Interval, LogFormat};
pub use language::agent::{Agent, AgentIndex, Community, Host, SnmpVersion, Transport};
pub use language::interface::InterfaceReference;
pub use language::number::Number;
pub use language::object::{Method, Object, ObjectId};
pub use language::poll::{Direction, Poll, PollIndex, ScriptPoll, SnmpPoll};
pub use language::{
    Conversion, Expression, NoNumber, Operator, ProgramOutput, Step, Unsupported, name_of,
};
pub use legends::Legends;
pub use note::{MibProblem, Note};
pub use options::{Flag, Options};
pub use page_keys::{NamedColour, PageKeys};
pub use periods::{Period, Periods};
pub use perl_number::leading_number;
pub use settings::{RowCounts, Settings};
pub use snmp_options::SnmpOptions;
pub use source::{Position, Source};
pub use target::{LabelReader, Target};
pub use text::decode;
pub use thresholds::{
    GraphiteReceiver, Limits, MailGlobals, ThreshDir, ThresholdGlobals, Thresholds,
};
