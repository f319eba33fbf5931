//! The language of `Target[]`: which objects of which agents to poll, and what to calculate from
//! the values.
//!
//! ```text
//! expression  one or more polls with + - * / ( ) and constants between them
//! poll        [-]interface:agent | object&object:agent | `script`
//! object      OID or name, then perhaps .index or a reference
//! interface   index | /IP | \description | #name | !mac | %type
//! agent       community@host[:port[!address[!port]]][:timeout][:retries][:backoff][:version][|conversion]
//! ```

pub mod poll;
pub mod agent;
pub mod object;
pub mod interface;
pub mod number;
mod named;
mod conversion;
mod expression;
mod scan;
mod mib;
pub(crate) mod mib_file;
mod names;
mod program_output;
mod intern;
mod parse;

pub use conversion::Conversion;
pub use expression::{Expression, Operator, Step};
pub(crate) use intern::Interner;
pub use mib::name_of;
pub(crate) use named::Named;
pub(crate) use names::Names;
pub(crate) use parse::{Context, Parsed, parse};
pub use program_output::{NoNumber, ProgramOutput};
pub(crate) use scan::Misread;

/// A feature of the language that is parsed but not supported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Unsupported {
    /// `|name` after the agent, and the name is none of gyre's own, or `ConversionCode` defines what
    /// names mean.
    #[error(
        "it converts values with a function (`|name`) in Perl, which gyre does not run; without \
         ConversionCode there are |first_number, |hexadecimal and |octets"
    )]
    Conversion,
    /// `WaLK`, `GeTNEXT` or `CnTWaLK` before an OID with a reference to an interface.
    #[error("it walks from an interface that is still to be found: write its index")]
    Walk,
    /// A name that MRTG does not know without a MIB file (`LoadMIBs`).
    #[error("it names an object that only a MIB file explains, and none of LoadMIBs does")]
    Name,
    /// SNMP version 3 without a user.
    #[error("it asks for SNMP version 3, but its SnmpOptions name no username")]
    NoUser,
}
