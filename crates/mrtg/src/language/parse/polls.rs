//! Parses the polls of a `Target[]`: what an agent, or a program, is asked for.

use super::super::agent::{self, Agent, AgentIndex, Host, SnmpVersion};
use super::super::conversion::Conversion;
use super::super::interface::{self, InterfaceReference};
use super::super::object::{self, Method, Object};
use super::super::poll::{Poll, PollIndex, ScriptPoll, SnmpPoll};
use super::super::scan::{Cursor, Misread, misread};
use super::super::{Unsupported, mib};
use super::Parser;
use crate::text::decode;

/// A parsed poll, its agent, and the rest of the text.
pub(super) type Attempt<'t> = (Draft, Agent, Cursor<'t>);

pub(super) struct Draft {
    objects: [Object; 2],
    conversion: Option<String>,
    unknown_name: bool,
}

impl Draft {
    /// The conversion, if it is one of gyre's own.
    fn own_conversion(&self, has_code: bool) -> Option<Conversion> {
        self.conversion.as_deref().filter(|_| !has_code).and_then(Conversion::find)
    }

    fn unsupported(&self, lacks_user: bool, has_code: bool) -> Option<Unsupported> {
        let plain = |object: &Object| {
            let has_index = matches!(object.interface, None | Some(InterfaceReference::Index(_)));
            has_index || matches!(object.method, Method::Get | Method::Constant(_))
        };
        if self.unknown_name {
            Some(Unsupported::Name)
        } else if !self.objects.iter().all(plain) {
            Some(Unsupported::Walk)
        } else if self.conversion.is_some() && self.own_conversion(has_code).is_none() {
            Some(Unsupported::Conversion)
        } else if lacks_user {
            Some(Unsupported::NoUser)
        } else {
            None
        }
    }
}

impl<'t> Parser<'t, '_, '_> {
    /// Parses a poll, if one begins here.
    pub(super) fn read_poll(&mut self) -> Result<Option<PollIndex>, Misread> {
        if self.cursor.peek() == Some(b'`') {
            return self.read_script().map(Some);
        }
        let attempt = match self.try_objects(self.cursor) {
            Ok(found) => Ok(found),
            Err(first) => {
                self.try_interface(self.cursor).map_err(|second| first.or_farther(second))
            }
        };
        match attempt {
            Ok((poll, agent, after)) => {
                self.cursor = after;
                self.add_snmp(poll, agent).map(Some)
            }
            Err(short) => {
                self.farthest = Some(self.farthest.map_or(short, |known| known.or_farther(short)));
                Ok(None)
            }
        }
    }

    /// Parses a program in back quotes; a back quote in it is escaped by a backslash.
    pub(super) fn read_script(&mut self) -> Result<PollIndex, Misread> {
        let start = self.cursor;
        self.cursor.advance(1);
        let mut command = Vec::new();
        loop {
            if self.cursor.take_prefix(b"\\`") {
                command.push(b'`');
                continue;
            }
            match self.cursor.peek() {
                None => return Err(misread(start, "a closing back quote")),
                Some(b'`') if command.is_empty() => return Err(misread(start, "a command")),
                Some(b'`') => break,
                Some(byte) => command.push(byte),
            }
            self.cursor.advance(1);
        }
        self.cursor.advance(1);
        self.add(Poll::Script(ScriptPoll { command }))
    }

    /// `object&object:agent`.
    fn try_objects(&self, start: Cursor<'t>) -> Result<Attempt<'t>, Misread> {
        let mut farthest = misread(start, "a target");
        for incoming in object::read(start, self.context.names)? {
            let mut cursor = incoming.after;
            if !cursor.take(b'&') {
                farthest = farthest
                    .or_farther(misread(cursor, "`&` and the object of the other direction"));
                continue;
            }
            for outgoing in object::read(cursor, self.context.names)? {
                match self.finish_objects(&incoming, &outgoing) {
                    Ok(found) => return Ok(found),
                    Err(short) => farthest = farthest.or_farther(short),
                }
            }
        }
        Err(farthest)
    }

    fn finish_objects(
        &self,
        incoming: &object::Read<'t>,
        outgoing: &object::Read<'t>,
    ) -> Result<Attempt<'t>, Misread> {
        let (agent, conversion, after) = self.read_agent(outgoing.after)?;
        let objects = [incoming.object.clone(), outgoing.object.clone()];
        let unknown_name = incoming.unknown_name || outgoing.unknown_name;
        Ok((Draft { objects, conversion, unknown_name }, agent, after))
    }

    /// `[-]interface:agent`: the octets of an interface, with 64 bits if the agent has SNMPv2c or
    /// later and `NoHC` is not yes.
    pub(super) fn try_interface(&self, start: Cursor<'t>) -> Result<Attempt<'t>, Misread> {
        let mut cursor = start;
        let reversed = cursor.take(b'-');
        let mut farthest = misread(start, "a target");
        let readings = if cursor.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            let number =
                cursor.take_number().ok_or_else(|| misread(start, "an interface index"))?;
            vec![(InterfaceReference::Index(number), cursor)]
        } else {
            interface::read_marked(cursor)?
        };
        for (reference, after) in readings {
            match self.read_agent(after) {
                Ok((agent, conversion, after)) => {
                    let objects = self.octets(&agent, &reference, reversed);
                    let draft = Draft { objects, conversion, unknown_name: false };
                    return Ok((draft, agent, after));
                }
                Err(short) => farthest = farthest.or_farther(short),
            }
        }
        Err(farthest)
    }

    fn octets(&self, agent: &Agent, of: &InterfaceReference, reversed: bool) -> [Object; 2] {
        let wide = agent.version != SnmpVersion::V1 && !self.context.no_high_capacity;
        let names: [&[u8]; 2] = if wide {
            [b"ifHCInOctets", b"ifHCOutOctets"]
        } else {
            [b"ifInOctets", b"ifOutOctets"]
        };
        let mut objects = names.map(|name| {
            let mut object = Object { interface: Some(of.clone()), ..Object::default() };
            object.prefix.0.extend(mib::lookup(name).unwrap_or_default());
            object
        });
        if reversed {
            objects.reverse();
        }
        objects
    }

    /// `:agent[|conversion]`.
    fn read_agent(
        &self,
        mut cursor: Cursor<'t>,
    ) -> Result<(Agent, Option<String>, Cursor<'t>), Misread> {
        if !cursor.take(b':') {
            return Err(misread(cursor, "`:` and community@host"));
        }
        let mut agent =
            agent::read(&mut cursor, self.context.snmp_options, self.context.ipv4_only)?;
        agent.transport = self.context.transport;
        let mut after = cursor;
        if after.take(b'|') {
            let name = after.take_while(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
            if name.first().is_some_and(|byte| !byte.is_ascii_digit()) {
                return Ok((agent, Some(decode(name)), after));
            }
        }
        Ok((agent, None, cursor))
    }

    fn add_snmp(&mut self, mut draft: Draft, agent: Agent) -> Result<PollIndex, Misread> {
        self.ipv6_off |= agent.ipv4_only && matches!(agent.host, Host::V6(_));
        let lacks_user = agent.version == SnmpVersion::V3 && agent.credentials.is_none();
        let agent = self.context.agents.number(agent);
        let agent = AgentIndex(agent.ok_or_else(|| misread(self.cursor, "fewer agents"))?);
        draft.objects.iter_mut().for_each(place_index);
        draft.objects.iter().for_each(|object| self.named.add(agent, object));
        if let Some(alias) = self.context.alias {
            draft.objects.iter_mut().for_each(|object| object.name_by_alias(alias));
        }
        if let Some(reason) = draft.unsupported(lacks_user, self.context.has_conversion_code) {
            self.unsupported.get_or_insert(reason);
        }
        let conversion = draft.own_conversion(self.context.has_conversion_code);
        let objects = draft.objects;
        self.add(Poll::Snmp(SnmpPoll { agent, objects, conversion }))
    }

    fn add(&mut self, poll: Poll) -> Result<PollIndex, Misread> {
        let number = self.context.polls.number(poll);
        number.map(PollIndex).ok_or_else(|| misread(self.cursor, "fewer polls"))
    }
}

/// `IndexPOS` without a reference: the last number is the index for that place.
fn place_index(object: &mut Object) {
    if object.interface.is_none()
        && let Some(index) = object.suffix.0.pop()
    {
        object.interface = Some(InterfaceReference::Index(index));
    }
}
