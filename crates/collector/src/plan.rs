//! What to poll, of whom, how often: the collector's whole input.

use snmp::{Oid, OidError};
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

/// Everything to poll.
#[derive(Clone, Debug)]
pub struct Plan {
    /// From one poll of a device to the next.
    pub interval: Duration,
    /// Whom to poll.
    pub devices: Vec<DevicePlan>,
}

/// One device and what is asked of it.
///
/// Two plans mean the same device, which keeps its state over a reload, if host, port, version
/// and community are equal.
#[derive(Clone, Debug)]
pub struct DevicePlan {
    /// What reports call it. Never put a community into it.
    pub name: Arc<str>,
    /// An address, or a name that is looked up now and then.
    pub host: Arc<str>,
    /// Which addresses of a name are good.
    pub family: Family,
    /// The UDP port of its agent.
    pub port: u16,
    /// How it is spoken to.
    pub snmp: snmp::Config,
    /// Who may answer for it.
    pub answers_from: AnswersFrom,
    /// What is asked. Equal names are asked once, however often they stand here.
    pub variables: Vec<Variable>,
}

/// Which addresses of a name are good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// IPv4 alone.
    V4,
    /// The first that the resolver gives, of either family.
    Any,
}

/// Where a device's answers may come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswersFrom {
    /// The address and port that were asked.
    Asked,
    /// Anywhere: a router with many addresses may answer from another one. Request ids cannot be
    /// guessed by who does not see the question, and the community must match.
    Anywhere,
}

/// One value to ask for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Variable {
    /// The interface whose index stands in the name.
    pub interface: Option<InterfaceReference>,
    /// The name that is preferred: the 64-bit counter.
    pub name: Name,
    /// The 32-bit counter of the same thing, for a device that does not know the preferred name,
    /// and for SNMPv1, which has no 64-bit counters.
    pub narrow: Option<Name>,
}

/// An object's name with a place for the index of an interface: `prefix.index.suffix`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Name {
    /// Up to the index, or all of it.
    pub prefix: Oid,
    /// What follows the index.
    pub suffix: Box<[u32]>,
}

/// How an interface is known.
///
/// All but the index are looked up in the device's tables, and asked again with every poll in
/// the same datagram as the counters, so that a renumbered interface never lends its counters to
/// another. A property that several interfaces share finds none.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum InterfaceReference {
    /// By ifIndex, which is believed.
    Index(u32),
    /// By ifName.
    Name(Vec<u8>),
    /// By ifDescr.
    Description(Vec<u8>),
    /// By ifAlias.
    Alias(Vec<u8>),
    /// By an IPv4 address of ipAddrTable.
    Address(Ipv4Addr),
    /// By ifPhysAddress.
    Physical(Vec<u8>),
    /// By ifType.
    Type(u32),
}

impl Variable {
    /// An object with its whole name.
    #[must_use]
    pub fn object(oid: Oid) -> Self {
        Self { interface: None, name: Name::whole(oid), narrow: None }
    }

    /// A column of an interface; `narrow` is its 32-bit twin.
    #[must_use]
    pub fn column(interface: InterfaceReference, column: Oid, narrow: Option<Oid>) -> Self {
        Self {
            interface: Some(interface),
            name: Name::whole(column),
            narrow: narrow.map(Name::whole),
        }
    }
}

impl Name {
    /// A name that is complete, or to which only an index is added.
    #[must_use]
    pub fn whole(prefix: Oid) -> Self {
        Self { prefix, suffix: Box::default() }
    }

    /// The name with its index.
    ///
    /// # Errors
    /// It is then longer than SNMP allows.
    pub fn with_index(&self, index: u32) -> Result<Oid, OidError> {
        let below = [&[index], &self.suffix[..]].concat();
        self.prefix.extended(&below)
    }
}
