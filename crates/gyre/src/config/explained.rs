//! What a target means: values that are shown as text or as JSON.

use mrtg::{
    Agent, Configuration, Direction, InterfaceReference, Method, Object, Poll, SnmpVersion,
    Transport,
};
use serde_json::{Value, json};

/// One poll of a target.
pub(super) enum Asked {
    Device { name: String, how: String, objects: Box<[Meaning; 2]> },
    Program,
}

/// What one direction of a poll asks for.
pub(super) struct Meaning {
    pub(super) method: &'static str,
    /// The object; with a reference to an interface, what is before its index.
    pub(super) oid: String,
    pub(super) words: String,
    /// The 32-bit counter that is asked for where there is none of 64 bits.
    pub(super) narrow_oid: Option<String>,
}

impl Asked {
    pub(super) fn of(read: &Configuration, poll: &Poll) -> Self {
        let Poll::Snmp(poll) = poll else { return Self::Program };
        let agent = read.agent(poll.agent);
        let mut how = how(agent);
        if let Some(conversion) = poll.conversion {
            how += &format!(", values by |{}", conversion.name());
        }
        let objects = Direction::BOTH.map(|direction| Meaning::of(poll.object(direction), agent));
        let transport = match agent.transport {
            Transport::Udp => "",
            Transport::Tcp => "tcp:",
        };
        let name = match agent.port {
            161 => format!("{transport}{}", agent.host),
            port => format!("{transport}{}:{port}", agent.host),
        };
        Self::Device { name, how, objects: Box::new(objects) }
    }

    pub(super) fn json(&self, letter: &str) -> Value {
        match self {
            Self::Program => json!({ "letter": letter, "kind": "program" }),
            Self::Device { name, how, objects } => {
                let [incoming, outgoing] = objects.each_ref().map(Meaning::json);
                json!({
                    "letter": letter,
                    "kind": "snmp",
                    "device": name,
                    "how": how,
                    "in": incoming,
                    "out": outgoing,
                })
            }
        }
    }
}

impl Meaning {
    fn of(object: &Object, agent: &Agent) -> Self {
        let whole = object.oid(None);
        let oid = whole.map_or_else(
            || format!("{}.INDEX{}", object.prefix, suffix(object)),
            |oid| oid.to_string(),
        );
        let narrow_oid = narrow_oid(object);
        let (method, note) = method(object.method);
        let mut words = words(object) + note;
        if agent.version == SnmpVersion::V1 && narrow_oid.is_some() {
            words += ", which SNMPv1 does not have";
        }
        Self { method, oid, words, narrow_oid }
    }

    fn json(&self) -> Value {
        json!({
            "method": self.method,
            "oid": self.oid,
            "words": self.words,
            "narrow_oid": self.narrow_oid,
        })
    }
}

fn narrow_oid(object: &Object) -> Option<String> {
    if let Some(whole) = object.narrow_oid(None) {
        return Some(whole.to_string());
    }
    let with_index = object.narrow_oid(Some(0))?;
    let suffix_length = object.suffix.as_slice().len() + 1;
    let numbers = with_index.as_slice();
    let prefix = numbers.get(..numbers.len().checked_sub(suffix_length)?)?;
    Some(format!("{}.INDEX{}", mrtg::ObjectId(prefix.to_vec()), suffix(object)))
}

fn suffix(object: &Object) -> String {
    object.suffix.as_slice().iter().map(|number| format!(".{number}")).collect()
}

fn how(agent: &Agent) -> String {
    let version = match agent.version {
        SnmpVersion::V1 => "SNMPv1",
        SnmpVersion::V2c => "SNMPv2c",
        SnmpVersion::V3 => "SNMPv3",
    };
    if agent.transport == Transport::Tcp {
        let wait = agent.timeout.saturating_mul(agent.attempts).as_secs_f64();
        return format!("{version} over TCP, one attempt, which waits {}", figures::duration(wait));
    }
    let wait = figures::duration(agent.timeout.as_secs_f64());
    let (attempts, backoff) = (agent.attempts, agent.backoff);
    format!("{version}, {attempts} attempts, the first waits {wait}, each further {backoff} times")
}

fn method(method: Method) -> (&'static str, &'static str) {
    match method {
        Method::Get => ("get", ""),
        Method::Constant(0) => ("constant", "always 0"),
        Method::Constant(_) => ("constant", "always 1"),
        Method::Walk(_) => ("walk", ""),
        Method::GetNext => ("getnext", ", what follows it"),
        Method::CountWalk => ("count", ", the number of its rows"),
    }
}

/// The object by name, and its interface.
fn words(object: &Object) -> String {
    let numbers = object.prefix.as_slice();
    // An index may be the last number of the prefix.
    let named = mrtg::name_of(numbers).map(|name| (name, ""));
    let (parent, instance) = numbers.split_at(numbers.len().saturating_sub(1));
    let below = || mrtg::name_of(parent).map(|name| (name, "."));
    let name = match named.or_else(below) {
        Some((name, "")) => name.to_owned(),
        Some((name, dot)) => {
            format!("{name}{dot}{}", instance.first().copied().unwrap_or_default())
        }
        None => String::new(),
    };
    let row = match object.method {
        Method::Walk(row) => format!(", row {row}"),
        _ => String::new(),
    };
    match &object.interface {
        None => name + &row,
        Some(reference) => format!("{name} of {}{row}", interface(reference)),
    }
}

fn interface(reference: &InterfaceReference) -> String {
    match reference {
        InterfaceReference::Index(index) => format!("interface {index}"),
        InterfaceReference::Name(name) => format!("the interface named {}", mrtg::decode(name)),
        InterfaceReference::Description(text) => {
            format!("the interface described as {}", mrtg::decode(text))
        }
        InterfaceReference::Address(address) => format!("the interface with address {address}"),
        InterfaceReference::Physical(octets) => {
            let octets: Vec<_> = octets.iter().map(|octet| format!("{octet:02x}")).collect();
            format!("the interface with hardware address {}", octets.join("-"))
        }
        InterfaceReference::Type(kind) => format!("the only interface of type {kind}"),
        InterfaceReference::Alias(alias) => {
            format!("the interface with the alias {}", mrtg::decode(alias))
        }
    }
}
