//! Parses a whole `Target[]`: operands, operators and parentheses.

use super::agent::{self, Agent, AgentIndex, Host, SnmpVersion};
use super::conversion::Conversion;
use super::expression::{Expression, Operator, Step};
use super::interface::{self, InterfaceReference};
use super::named::Named;
use super::number::Number;
use super::object::{self, Method, Object};
use super::poll::{Poll, PollIndex, ScriptPoll, SnmpPoll};
use super::scan::{Cursor, Misread, misread};
use super::{Interner, Names, Unsupported, mib};
use crate::SnmpOptions;
use crate::text::decode;

/// The settings that the meaning of a target depends on, and the collections that its polls are
/// added to.
pub(crate) struct Context<'c> {
    /// All agents so far.
    pub(crate) agents: &'c mut Interner<Agent>,
    /// All polls so far.
    pub(crate) polls: &'c mut Interner<Poll>,
    /// The names of objects.
    pub(crate) names: &'c Names,
    /// Whether `ConversionCode` says what `|name` means.
    pub(crate) has_conversion_code: bool,
    /// `SnmpOptions` that apply.
    pub(crate) snmp_options: &'c SnmpOptions,
    /// Whether IPv6 is off.
    pub(crate) ipv4_only: bool,
    /// `NoHC[]: yes`: no 64-bit counters.
    pub(crate) no_high_capacity: bool,
    /// `gyre*Alias[]`: the interface that takes the place of the one that the target names.
    pub(crate) alias: Option<&'c [u8]>,
}

/// A parsed target.
pub(crate) struct Parsed {
    /// The expression to calculate.
    pub(crate) expression: Expression,
    /// Its first unsupported feature.
    pub(crate) unsupported: Option<Unsupported>,
    /// Whether it names an IPv6 address while IPv6 is off.
    pub(crate) ipv6_off: bool,
    /// The interfaces that it names.
    pub(crate) named: Named,
}

/// Parses a `Target[]`.
pub(crate) fn parse(text: &[u8], context: &mut Context<'_>) -> Result<Parsed, Misread> {
    let mut parser = Parser {
        cursor: Cursor::new(text),
        context,
        steps: Vec::new(),
        waiting: Vec::new(),
        unsupported: None,
        ipv6_off: false,
        named: Named::None,
        farthest: None,
    };
    parser.read_all().map_err(|at_end| match parser.farthest {
        Some(farther) => at_end.or_farther(farther),
        None => at_end,
    })?;
    Ok(Parsed {
        expression: Expression::new(parser.steps),
        unsupported: parser.unsupported,
        ipv6_off: parser.ipv6_off,
        named: parser.named,
    })
}

/// Entries of the operator stack.
#[derive(Clone, Copy, PartialEq)]
enum Waiting {
    Parenthesis,
    Negate,
    Operator(Operator),
}

struct Parser<'t, 'c, 'a> {
    cursor: Cursor<'t>,
    context: &'c mut Context<'a>,
    steps: Vec<Step>,
    waiting: Vec<Waiting>,
    unsupported: Option<Unsupported>,
    ipv6_off: bool,
    named: Named,
    /// The attempt at a poll that came farthest, for the error message.
    farthest: Option<Misread>,
}

impl<'t> Parser<'t, '_, '_> {
    /// Parses all operands and operators. Operators wait on a stack until one of lower precedence
    /// follows (the shunting-yard algorithm), so there is no recursion.
    fn read_all(&mut self) -> Result<(), Misread> {
        loop {
            self.read_operand()?;
            loop {
                self.cursor.skip_spaces();
                if self.cursor.peek() != Some(b')') {
                    break;
                }
                self.close_parenthesis()?;
            }
            if self.cursor.peek().is_none() {
                return self.finish();
            }
            self.read_operator()?;
        }
    }

    fn read_operand(&mut self) -> Result<(), Misread> {
        loop {
            self.cursor.skip_spaces();
            if let Some(poll) = self.read_poll()? {
                self.steps.push(Step::Poll(poll));
                return Ok(());
            }
            if let Some(number) = self.read_constant() {
                self.steps.push(Step::Constant(number));
                return Ok(());
            }
            match self.cursor.peek() {
                Some(b'(') => self.waiting.push(Waiting::Parenthesis),
                Some(b'-') => self.waiting.push(Waiting::Negate),
                Some(b'+') => {}
                _ => return Err(misread(self.cursor, "a target, a number or `(`")),
            }
            self.cursor.advance(1);
        }
    }

    fn read_operator(&mut self) -> Result<(), Misread> {
        let operator = match self.cursor.peek() {
            Some(b'+') => Operator::Add,
            Some(b'-') => Operator::Subtract,
            Some(b'*') => Operator::Multiply,
            Some(b'/') => Operator::Divide,
            _ => return Err(misread(self.cursor, "+, -, *, / or the end")),
        };
        // MRTG takes this minus as the sign that swaps in and out, and then misses an operator.
        if operator == Operator::Subtract && self.try_interface(self.cursor).is_ok() {
            return Err(misread(self.cursor, "a blank after `-`, if it is to subtract"));
        }
        self.cursor.advance(1);
        self.release(operator.binds());
        self.waiting.push(Waiting::Operator(operator));
        Ok(())
    }

    /// Executes the waiting operators of at least this precedence.
    fn release(&mut self, binds: u8) {
        while let Some(top) = self.waiting.last().copied() {
            match top {
                Waiting::Negate => self.steps.push(Step::Negate),
                Waiting::Operator(operator) if operator.binds() >= binds => {
                    self.steps.push(Step::Operate(operator));
                }
                _ => return,
            }
            self.waiting.pop();
        }
    }

    fn close_parenthesis(&mut self) -> Result<(), Misread> {
        self.release(0);
        if self.waiting.pop() != Some(Waiting::Parenthesis) {
            return Err(misread(self.cursor, "`(` before this `)`"));
        }
        self.cursor.advance(1);
        Ok(())
    }

    fn finish(&mut self) -> Result<(), Misread> {
        self.release(0);
        if self.waiting.is_empty() { Ok(()) } else { Err(misread(self.cursor, "`)`")) }
    }

    /// A plain decimal constant.
    fn read_constant(&mut self) -> Option<Number> {
        let mut cursor = self.cursor;
        let start = cursor.offset();
        let digits = |byte: u8| byte.is_ascii_digit();
        let mut any = !cursor.take_while(digits).is_empty();
        if cursor.take(b'.') {
            any |= !cursor.take_while(digits).is_empty();
        }
        if !any {
            return None;
        }
        let mut exponent = cursor;
        if exponent.take(b'e') || exponent.take(b'E') {
            if !exponent.take(b'-') {
                exponent.take(b'+');
            }
            if !exponent.take_while(digits).is_empty() {
                cursor = exponent;
            }
        }
        let length = cursor.offset() - start;
        let text = std::str::from_utf8(self.cursor.rest().get(..length)?).ok()?;
        let number = Number::parse(text)?;
        self.cursor = cursor;
        Some(number)
    }

    /// Parses a poll, if one begins here.
    fn read_poll(&mut self) -> Result<Option<PollIndex>, Misread> {
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
    fn read_script(&mut self) -> Result<PollIndex, Misread> {
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
    fn try_interface(&self, start: Cursor<'t>) -> Result<Attempt<'t>, Misread> {
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
        let agent = agent::read(&mut cursor, self.context.snmp_options, self.context.ipv4_only)?;
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

/// A parsed poll, its agent, and the rest of the text.
type Attempt<'t> = (Draft, Agent, Cursor<'t>);

struct Draft {
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

/// `IndexPOS` without a reference: the last number is the index for that place.
fn place_index(object: &mut Object) {
    if object.interface.is_none()
        && let Some(index) = object.suffix.0.pop()
    {
        object.interface = Some(InterfaceReference::Index(index));
    }
}
