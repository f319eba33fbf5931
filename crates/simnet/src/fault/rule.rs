//! A fault and its devices, as a user writes them.

use super::choice::Choice;
use super::error::FaultError;
use super::kind::Fault;
use super::names;
use std::str::FromStr;

/// A fault and the devices that have it.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// The fault.
    pub fault: Fault,
    /// The devices.
    pub devices: Choice,
}

/// What is mended, and where.
#[derive(Debug, Clone, PartialEq)]
pub struct Mending {
    /// The name of a fault, or `all`.
    pub kind: String,
    /// The devices.
    pub devices: Choice,
}

impl FromStr for Rule {
    type Err = FaultError;

    fn from_str(text: &str) -> Result<Rule, FaultError> {
        let form = || FaultError::Form(text.to_owned());
        let (fault, devices) = text.rsplit_once(':').ok_or_else(form)?;
        Ok(Rule { fault: fault.parse()?, devices: devices.parse()? })
    }
}

impl FromStr for Mending {
    type Err = FaultError;

    fn from_str(text: &str) -> Result<Mending, FaultError> {
        let form = || FaultError::Form(text.to_owned());
        let (kind, devices) = text.rsplit_once(':').ok_or_else(form)?;
        if kind != "all" && !names::is_name(kind) {
            return Err(FaultError::Kind { found: kind.to_owned() });
        }
        Ok(Mending { kind: kind.to_owned(), devices: devices.parse()? })
    }
}
