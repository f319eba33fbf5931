//! SNMP agents: `community@host` and the parameters that follow.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;
use std::time::Duration;

use super::scan::{Cursor, Misread, misread};
use crate::SnmpOptions;
use crate::credentials::Credentials;
use crate::text::{decode, is_space};

/// The index of an agent in a [`crate::Configuration`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AgentIndex(pub u32);

/// An SNMP agent and its parameters. Fields in the `Target` take precedence over `SnmpOptions[]`,
/// these over `SnmpOptions`, and these over MRTG's defaults.
#[derive(Clone, Debug, PartialEq)]
pub struct Agent {
    /// The community. With version 3 MRTG wants one, too, and ignores it.
    pub community: Community,
    /// The user of version 3; `None` with other versions, or if no name is given.
    pub credentials: Option<Arc<Credentials>>,
    /// Its name or address.
    pub host: Host,
    /// What carries its messages.
    pub transport: Transport,
    /// Its port, 161 by default.
    pub port: u16,
    /// The local address to send from.
    pub local_address: Option<IpAddr>,
    /// The local port to send from.
    pub local_port: Option<u16>,
    /// How long to wait for the first answer, 2 s by default.
    pub timeout: Duration,
    /// The number of attempts, including the first, 5 by default.
    pub attempts: u32,
    /// The factor by which the timeout grows from one attempt to the next, 1 by default.
    pub backoff: f64,
    /// The SNMP version, 1 by default.
    pub version: SnmpVersion,
    /// The rows of a GETBULK, if `SnmpOptions` sets `default_max_repetitions`.
    pub max_repetitions: Option<u32>,
    /// Whether IPv6 is off: `EnableIPv6` is not yes, or `IPv4Only[]` is. Then a name is resolved to
    /// IPv4 only, and an IPv6 address is not polled, as in MRTG.
    pub ipv4_only: bool,
}

impl Eq for Agent {}

impl Hash for Agent {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.community.hash(state);
        self.credentials.hash(state);
        self.host.hash(state);
        self.transport.hash(state);
        self.port.hash(state);
        self.local_port.hash(state);
        self.timeout.hash(state);
        self.version.hash(state);
    }
}

/// What carries SNMP messages to an agent and back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Transport {
    /// Datagrams.
    #[default]
    Udp,
    /// A connection (RFC 3430).
    Tcp,
}

/// The SNMP version of an agent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SnmpVersion {
    /// SNMPv1.
    #[default]
    V1,
    /// SNMPv2c: MRTG then asks a plain interface target for its 64-bit counters.
    V2c,
    /// SNMPv3.
    V3,
}

/// The name or address of an agent.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Host {
    /// A name for the resolver.
    Name(String),
    /// An address.
    V4(Ipv4Addr),
    /// An address that was written in brackets.
    V6(Ipv6Addr),
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::V4(address) => address.fmt(f),
            Self::V6(address) => write!(f, "[{address}]"),
        }
    }
}

/// A community, which is effectively a password. Neither `Debug` nor `Display` shows it.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Community(Box<[u8]>);

impl Community {
    /// A community of these bytes, which need not be text.
    #[must_use]
    pub fn new(bytes: impl Into<Box<[u8]>>) -> Self {
        Self(bytes.into())
    }

    /// The bytes, for use in a message on the network only.
    #[must_use]
    pub const fn reveal(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for Community {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Community(\"***\")")
    }
}

impl fmt::Display for Community {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

/// SNMP's port.
const DEFAULT_PORT: u16 = 161;
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(2);
const DEFAULT_ATTEMPTS: u32 = 5;
const DEFAULT_BACKOFF: f64 = 1.0;

/// Parses `community@host` and the fields up to, but not including, `|conversion`.
pub(super) fn read(
    cursor: &mut Cursor<'_>,
    options: &SnmpOptions,
    ipv4_only: bool,
) -> Result<Agent, Misread> {
    let community = read_community(cursor)?;
    let host = read_host(cursor)?;
    let mut agent = Agent {
        community,
        credentials: None,
        host,
        transport: Transport::Udp,
        port: DEFAULT_PORT,
        local_address: None,
        local_port: None,
        timeout: options.timeout.unwrap_or(DEFAULT_TIMEOUT),
        attempts: options.retries.unwrap_or(DEFAULT_ATTEMPTS).max(1),
        backoff: options.backoff.unwrap_or(DEFAULT_BACKOFF),
        version: SnmpVersion::V1,
        max_repetitions: options.max_repetitions,
        ipv4_only,
    };
    for nth in 0.. {
        if !cursor.take(b':') {
            break;
        }
        read_field(cursor, &mut agent, nth)?;
    }
    if agent.version == SnmpVersion::V3 {
        let has_name = |it: &&Arc<Credentials>| !it.username.is_empty();
        agent.credentials = options.credentials.as_ref().filter(has_name).cloned();
    }
    Ok(agent)
}

fn read_community(cursor: &mut Cursor<'_>) -> Result<Community, Misread> {
    let mut community = Vec::new();
    while let Some(byte) = cursor.peek() {
        let escaped = cursor.rest().get(1).copied();
        match (byte, escaped) {
            (b'\\', Some(special @ (b'@' | b' '))) => {
                cursor.advance(1);
                community.push(special);
            }
            (end, _) if end == b'@' || is_space(end) => break,
            (plain, _) => community.push(plain),
        }
        cursor.advance(1);
    }
    if community.is_empty() {
        return Err(misread(*cursor, "a community"));
    }
    if !cursor.take(b'@') {
        return Err(misread(*cursor, "`@` and a host after the community"));
    }
    Ok(Community::new(community))
}

fn read_host(cursor: &mut Cursor<'_>) -> Result<Host, Misread> {
    let start = *cursor;
    if cursor.take(b'[') {
        let text = cursor.take_while(|byte| byte.is_ascii_hexdigit() || byte == b':');
        let address = std::str::from_utf8(text).ok().and_then(|text| text.parse().ok());
        return match address {
            Some(address) if cursor.take(b']') => Ok(Host::V6(address)),
            _ => Err(misread(start, "an IPv6 address in brackets")),
        };
    }
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let name = decode(cursor.take_while(is_name));
    if name.split('.').any(str::is_empty) {
        return Err(misread(start, "the name or address of a host"));
    }
    Ok(name.parse().map_or(Host::Name(name), Host::V4))
}

/// Parses the nth field between colons; an empty field keeps the default.
fn read_field(cursor: &mut Cursor<'_>, agent: &mut Agent, nth: u32) -> Result<(), Misread> {
    let start = *cursor;
    let text = cursor.take_while(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'!'));
    let text = std::str::from_utf8(text).unwrap_or_default();
    if text.is_empty() {
        return Ok(());
    }
    let expected = match nth {
        0 => set_port(agent, text).err(),
        1 => set_timeout(agent, text).err(),
        2 => set_attempts(agent, text).err(),
        3 => set_backoff(agent, text).err(),
        4 => set_version(agent, text, cursor).err(),
        // MRTG's parser accepts further fields and ignores them.
        _ => None,
    };
    expected.map_or(Ok(()), |expected| Err(misread(start, expected)))
}

/// `port[!address[!port]]`.
fn set_port(agent: &mut Agent, text: &str) -> Result<(), &'static str> {
    let mut parts = text.splitn(3, '!').map(|part| (!part.is_empty()).then_some(part));
    if let Some(port) = parts.next().flatten() {
        agent.port = port.parse().map_err(|_| "a port of 1 to 65535")?;
    }
    if let Some(address) = parts.next().flatten() {
        let address: Ipv4Addr = address.parse().map_err(|_| "a local IPv4 address")?;
        agent.local_address = Some(address.into());
    }
    if let Some(port) = parts.next().flatten() {
        agent.local_port = Some(port.parse().map_err(|_| "a local port of 1 to 65535")?);
    }
    if agent.port == 0 { Err("a port of 1 to 65535") } else { Ok(()) }
}

fn set_timeout(agent: &mut Agent, text: &str) -> Result<(), &'static str> {
    let seconds = text.parse().ok().filter(|seconds: &f64| *seconds > 0.0);
    agent.timeout = seconds
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .ok_or("a timeout in seconds")?;
    Ok(())
}

fn set_attempts(agent: &mut Agent, text: &str) -> Result<(), &'static str> {
    let attempts: u32 = text.parse().map_err(|_| "a whole number of retries")?;
    agent.attempts = attempts.max(1);
    Ok(())
}

fn set_backoff(agent: &mut Agent, text: &str) -> Result<(), &'static str> {
    let factor = text.parse().ok().filter(|factor: &f64| factor.is_finite());
    agent.backoff = factor.ok_or("a backoff factor")?;
    Ok(())
}

/// `2c` is accepted as 2. MRTG accepts only a digit.
fn set_version(agent: &mut Agent, text: &str, cursor: &mut Cursor<'_>) -> Result<(), &'static str> {
    agent.version = match text {
        "1" => SnmpVersion::V1,
        "2" => SnmpVersion::V2c,
        "3" => SnmpVersion::V3,
        _ => return Err("SNMP version 1, 2 or 3"),
    };
    if agent.version == SnmpVersion::V2c && !cursor.take(b'c') {
        cursor.take(b'C');
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_community_is_never_shown() {
        let community = Community::new(*b"s3cret");
        assert_eq!(format!("{community} {community:?}"), "*** Community(\"***\")");
        assert_eq!(community.reveal(), b"s3cret");
    }
}
