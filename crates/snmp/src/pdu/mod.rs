//! Protocol data units: the operation of a request or response, and its variable bindings.
//!
//! ```text
//! a0 len                      the operation
//!    02 len request-id        echoed by the agent
//!    02 len error-status      GETBULK: non-repeaters
//!    02 len error-index       GETBULK: max-repetitions
//!    30 len                   bindings
//!       30 len  06 len name  value
//! ```

mod error_status;

pub use error_status::ErrorStatus;

use crate::error::{DecodeError, Found};
use crate::oid::{Oid, OidView};
use crate::reader::{Element, Reader, tag};
use crate::value::{Value, ValueView};
use crate::writer::{Writer, element_length};

/// A name and its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VarBind {
    /// The instance's name.
    pub oid: Oid,
    /// Its value; [`Value::Null`] in a request.
    pub value: Value,
}

/// A name and its value in a datagram.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VarBindView<'a> {
    /// The instance's name.
    pub oid: OidView<'a>,
    /// Its value.
    pub value: ValueView<'a>,
}

/// The operation of a PDU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// Request for the values of these names.
    Get,
    /// Request for the names and values after these names.
    GetNext,
    /// Request for many names and values after these (v2c only).
    GetBulk {
        /// How many bindings, from the first, are answered once.
        non_repeaters: u32,
        /// How often the others are answered at most.
        max_repetitions: u32,
    },
    /// An agent's answer.
    Response {
        /// The status.
        error_status: ErrorStatus,
        /// The number of the binding with the error, from 1; 0 for none.
        error_index: u32,
    },
    /// Request to change these values.
    Set,
    /// An SNMPv3 agent's reason for not answering.
    Report,
}

/// A protocol data unit, owned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pdu {
    /// Chosen by the requester, repeated in the response.
    pub request_id: i32,
    /// The operation.
    pub operation: Operation,
    /// The variable bindings.
    pub bindings: Vec<VarBind>,
}

/// A PDU in a datagram: its head is parsed, its bindings are parsed when they are read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PduView<'a> {
    pub(crate) request_id: i32,
    pub(crate) operation: Operation,
    pub(crate) bindings: Bindings<'a>,
}

/// The bindings in a datagram, parsed one by one; an error is the last item.
#[derive(Debug, Clone, Copy)]
pub struct Bindings<'a> {
    rest: Reader<'a>,
}

impl VarBind {
    /// A name whose value is requested.
    pub fn asking(oid: Oid) -> VarBind {
        VarBind { oid, value: Value::Null }
    }

    /// Bytes of its encoding.
    pub(crate) fn encoded_length_bytes(&self) -> usize {
        let name = element_length(self.oid.as_bytes().len());
        element_length(name + self.value.encoded_length_bytes())
    }

    fn write(&self, writer: &mut Writer) {
        writer.nested(tag::SEQUENCE, |writer| {
            self.value.write(writer);
            writer.contents(tag::OID, self.oid.as_bytes());
        });
    }
}

impl VarBindView<'_> {
    /// Copied out of the datagram.
    pub fn to_var_bind(&self) -> VarBind {
        VarBind { oid: self.oid.to_oid(), value: self.value.to_value() }
    }
}

impl Pdu {
    pub(crate) fn write(&self, writer: &mut Writer) {
        let (first, second) = self.operation.numbers();
        writer.nested(self.operation.tag(), |writer| {
            writer.nested(tag::SEQUENCE, |writer| {
                for binding in self.bindings.iter().rev() {
                    binding.write(writer);
                }
            });
            writer.signed(tag::INTEGER, second);
            writer.signed(tag::INTEGER, first);
            writer.signed(tag::INTEGER, self.request_id);
        });
    }
}

impl Operation {
    fn tag(self) -> u8 {
        match self {
            Operation::Get => tag::GET,
            Operation::GetNext => tag::GET_NEXT,
            Operation::GetBulk { .. } => tag::GET_BULK,
            Operation::Response { .. } => tag::RESPONSE,
            Operation::Set => tag::SET,
            Operation::Report => tag::REPORT,
        }
    }

    /// The two numbers after the request id.
    fn numbers(self) -> (i32, i32) {
        // Both are counts of bindings or repetitions, limited to i32 on the wire.
        let count = |number: u32| i32::try_from(number).unwrap_or(i32::MAX);
        match self {
            Operation::GetBulk { non_repeaters, max_repetitions } => {
                (count(non_repeaters), count(max_repetitions))
            }
            Operation::Response { error_status, error_index } => {
                (error_status.code(), count(error_index))
            }
            Operation::Get | Operation::GetNext | Operation::Set | Operation::Report => (0, 0),
        }
    }

    fn from_wire(element: Element<'_>, first: i32, second: i32) -> Result<Self, DecodeError> {
        // Negative counts mean none (RFC 3416, section 4.2.3).
        let count = |number: i32| u32::try_from(number).unwrap_or(0);
        match element.tag {
            tag::GET => Ok(Operation::Get),
            tag::GET_NEXT => Ok(Operation::GetNext),
            tag::GET_BULK => Ok(Operation::GetBulk {
                non_repeaters: count(first),
                max_repetitions: count(second),
            }),
            tag::RESPONSE => Ok(Operation::Response {
                error_status: ErrorStatus::from_code(first),
                error_index: count(second),
            }),
            tag::SET => Ok(Operation::Set),
            tag::REPORT => Ok(Operation::Report),
            other => Err(unknown_operation(element.offset_bytes, other)),
        }
    }
}

impl<'a> PduView<'a> {
    pub(crate) fn parse(element: Element<'a>) -> Result<PduView<'a>, DecodeError> {
        if !matches!(element.tag, tag::GET..=tag::SET | tag::GET_BULK | tag::REPORT) {
            // A v1 trap (0xa4) has another head: report it before parsing the head.
            return Err(unknown_operation(element.offset_bytes, element.tag));
        }
        let mut head = element.contents;
        let request_id = head.integer("the request id")?;
        let first = head.integer("the error status")?;
        let second = head.integer("the error index")?;
        let rest = head.expect(tag::SEQUENCE, "the variable bindings")?;
        head.end("the end of the PDU")?;
        let operation = Operation::from_wire(element, first, second)?;
        Ok(PduView { request_id, operation, bindings: Bindings { rest } })
    }

    /// Copied out of the datagram, every binding validated.
    pub(crate) fn to_pdu(self) -> Result<Pdu, DecodeError> {
        let PduView { request_id, operation, bindings: views } = self;
        let mut bindings = Vec::with_capacity(views.count_roughly());
        for binding in views {
            bindings.push(binding?.to_var_bind());
        }
        Ok(Pdu { request_id, operation, bindings })
    }
}

/// The shortest meaningful binding; that of a counter takes about 20 bytes.
const BINDING_BYTES_SHORT: usize = 12;

impl<'a> Bindings<'a> {
    /// An estimate of the remaining bindings, for the allocation.
    pub(crate) fn count_roughly(&self) -> usize {
        self.rest.bytes().len() / BINDING_BYTES_SHORT
    }

    fn read(&mut self) -> Result<VarBindView<'a>, DecodeError> {
        let mut binding = self.rest.expect(tag::SEQUENCE, "a variable binding")?;
        let name = binding.expect(tag::OID, "the name of a variable")?;
        let oid = OidView::parse(name.bytes(), name.offset_bytes())?;
        let value = ValueView::parse(binding.element("the value of a variable")?)?;
        binding.end("the end of the binding")?;
        Ok(VarBindView { oid, value })
    }
}

impl<'a> Iterator for Bindings<'a> {
    type Item = Result<VarBindView<'a>, DecodeError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let binding = self.read();
        if binding.is_err() {
            self.rest = Reader::new(&[]);
        }
        Some(binding)
    }
}

fn unknown_operation(offset_bytes: usize, tag: u8) -> DecodeError {
    DecodeError { offset_bytes, expected: "a request or a response", found: Found::Tag(tag) }
}
