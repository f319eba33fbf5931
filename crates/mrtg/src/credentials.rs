//! The user of SNMPv3 that `SnmpOptions[]` names, with the arguments of Perl's Net::SNMP.

use std::fmt;
use std::hash::{Hash, Hasher};

use crate::text::decode;

/// A user of SNMPv3, as it is written. Protocols and lengths are not checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Credentials {
    /// `username`.
    pub username: Vec<u8>,
    /// `authprotocol`, `authpassword`, `authkey`.
    pub authentication: Protection,
    /// `privprotocol`, `privpassword`, `privkey`.
    pub privacy: Protection,
    /// `contextname`.
    pub context_name: Vec<u8>,
    /// `contextengineid`: hexadecimal digits, perhaps after `0x`.
    pub context_engine_id: Option<String>,
}

/// A protocol and its secret.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Protection {
    /// The protocol's name; Net::SNMP's defaults are `md5` and `des`.
    pub protocol: Option<String>,
    /// The password.
    pub password: Option<Hidden>,
    /// The key of one engine: hexadecimal digits, perhaps after `0x`.
    pub key: Option<Hidden>,
}

/// A secret, or the environment variable that has it. `Debug` does not show it.
#[derive(Clone, PartialEq, Eq)]
pub enum Hidden {
    /// The secret.
    Written(Box<[u8]>),
    /// The name of the variable: `$ENV{name}`, which is Perl and which MRTG understands, too.
    Environment(String),
}

impl Credentials {
    /// Takes one option. Returns false if it is none of a user's.
    pub(crate) fn set(&mut self, name: &[u8], value: &[u8], is_quoted: bool) -> bool {
        let hidden = || Some(Hidden::read(value, is_quoted));
        match name {
            b"username" => self.username = value.to_vec(),
            b"authprotocol" => self.authentication.protocol = Some(decode(value)),
            b"authpassword" => self.authentication.password = hidden(),
            b"authkey" => self.authentication.key = hidden(),
            b"privprotocol" => self.privacy.protocol = Some(decode(value)),
            b"privpassword" => self.privacy.password = hidden(),
            b"privkey" => self.privacy.key = hidden(),
            b"contextname" => self.context_name = value.to_vec(),
            b"contextengineid" => self.context_engine_id = Some(decode(value)),
            _ => return false,
        }
        true
    }
}

impl Protection {
    /// Whether nothing is said of it.
    #[must_use]
    pub fn is_absent(&self) -> bool {
        self.protocol.is_none() && self.password.is_none() && self.key.is_none()
    }
}

impl Hidden {
    fn read(value: &[u8], is_quoted: bool) -> Self {
        let inner = value.strip_prefix(b"$ENV{").and_then(|rest| rest.strip_suffix(b"}"));
        match inner {
            Some(name) if !is_quoted => {
                let quotes = |byte: &char| matches!(byte, '\'' | '"');
                Self::Environment(decode(name).chars().filter(|byte| !quotes(byte)).collect())
            }
            _ => Self::Written(value.into()),
        }
    }
}

impl Hash for Credentials {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.username.hash(state);
    }
}

impl fmt::Debug for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Written(_) => f.write_str("Written(\"***\")"),
            Self::Environment(name) => write!(f, "Environment({name:?})"),
        }
    }
}
