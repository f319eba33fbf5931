//! The collector's input: which variables of which devices to poll, and how often.

use snmp::{Oid, OidError};
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

/// Everything to poll.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Intervals that have cycles even if no device is polled at them. Those of the devices need not
    /// be among them.
    pub intervals: Vec<Duration>,
    /// The devices.
    pub devices: Vec<Arc<DevicePlan>>,
}

/// A device and the variables to poll at one interval.
///
/// Two plans are about the same device, which then keeps its state over a reload, if host,
/// transport, port, version, and community or user are equal:
/// [`predecessors`](crate::predecessors) tells which. A device may be polled at several intervals,
/// by a plan for each.
#[derive(Clone, Debug)]
pub struct DevicePlan {
    /// The name in reports. It must not contain a community.
    pub name: Arc<str>,
    /// The time between two polls.
    pub interval: Duration,
    /// An address, or a name that is looked up regularly.
    pub host: Arc<str>,
    /// The acceptable address families of a name.
    pub family: Family,
    /// What carries messages.
    pub transport: Transport,
    /// The port of its agent.
    pub port: u16,
    /// The SNMP version, community or user, timeouts and retries.
    pub snmp: snmp::Config,
    /// The addresses that answers may come from.
    pub answers_from: AnswersFrom,
    /// The variables to ask for. Variables with equal names are asked for once.
    pub variables: Vec<Variable>,
    /// Values that have no name of their own. Those with equal walks are asked for once.
    pub walks: Vec<Walk>,
}

/// A value that a walk leads to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Walk {
    /// Where it begins.
    pub root: Oid,
    /// What is wanted of it.
    pub sought: Sought,
}

/// What is wanted of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sought {
    /// The value of the row with this number, from 0.
    Row(u32),
    /// The number of rows.
    Count,
    /// The value that follows the root, asked for with GETNEXT, wherever it is.
    Next,
}

/// What carries messages to a device and back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Transport {
    /// Datagrams.
    Udp,
    /// A connection (RFC 3430), which stays between polls. As it loses nothing, let
    /// [`snmp::Config::retries`] be 0.
    Tcp,
}

/// The acceptable address families of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// Only IPv4.
    V4,
    /// The first address that the resolver gives, of either family.
    Any,
}

/// The addresses that a device's answers may come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswersFrom {
    /// Only the address and port that were asked.
    Asked,
    /// Any address: a router with many addresses may answer from another one. An attacker who does
    /// not see the question cannot guess the request id, and the community must match. With SNMPv3
    /// the answer must be authentic.
    Anywhere,
}

/// A value to poll.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Variable {
    /// The interface whose index is part of the name.
    pub interface: Option<InterfaceReference>,
    /// Its names, shared by all interfaces and devices that have the same.
    pub object: Arc<Object>,
}

/// The names of a quantity.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Object {
    /// The preferred name: that of the 64-bit counter.
    pub name: Name,
    /// The 32-bit counter of the same quantity. It is used for devices without the preferred name,
    /// and with SNMPv1, which has no 64-bit counters.
    pub narrow: Option<Name>,
}

/// An object's name with a place for the index of an interface: `prefix.index.suffix`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Name {
    /// The part before the index, or the whole name.
    pub prefix: Oid,
    /// The part after the index.
    pub suffix: Box<[u32]>,
}

/// How an interface is identified.
///
/// Every kind but the index is looked up in the device's tables. It is also asked for in every
/// poll, in the same datagram as the counters, so that counters are never taken from a renumbered
/// interface. If several interfaces share the property, none is found.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum InterfaceReference {
    /// By ifIndex, which is not verified.
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
    /// An object, by its whole name.
    #[must_use]
    pub fn object(oid: Oid) -> Self {
        let object = Arc::new(Object { name: Name::whole(oid), narrow: None });
        Self { interface: None, object }
    }

    /// A column of an interface; `narrow` is the column of its 32-bit counter.
    #[must_use]
    pub fn column(interface: InterfaceReference, column: Oid, narrow: Option<Oid>) -> Self {
        let narrow = narrow.map(Name::whole);
        let object = Arc::new(Object { name: Name::whole(column), narrow });
        Self { interface: Some(interface), object }
    }
}

impl Name {
    /// A complete name, or one to which only an index is appended.
    #[must_use]
    pub fn whole(prefix: Oid) -> Self {
        Self { prefix, suffix: Box::default() }
    }

    /// The name with an index.
    ///
    /// # Errors
    ///
    /// The name is longer than SNMP allows.
    pub fn with_index(&self, index: u32) -> Result<Oid, OidError> {
        let below = [&[index], &self.suffix[..]].concat();
        self.prefix.extended(&below)
    }
}
