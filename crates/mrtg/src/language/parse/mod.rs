//! Parses a whole `Target[]`: operands, operators and parentheses.

mod polls;

use super::agent::{Agent, Transport};
use super::expression::{Expression, Operator, Step};
use super::named::Named;
use super::number::Number;
use super::poll::Poll;
use super::scan::{Cursor, Misread, misread};
use super::{Interner, Names, Unsupported};
use crate::SnmpOptions;

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
    /// `gyre*Transport[]`.
    pub(crate) transport: Transport,
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

pub(super) struct Parser<'t, 'c, 'a> {
    pub(super) cursor: Cursor<'t>,
    pub(super) context: &'c mut Context<'a>,
    pub(super) steps: Vec<Step>,
    waiting: Vec<Waiting>,
    pub(super) unsupported: Option<Unsupported>,
    pub(super) ipv6_off: bool,
    pub(super) named: Named,
    /// The attempt at a poll that came farthest, for the error message.
    pub(super) farthest: Option<Misread>,
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
}
