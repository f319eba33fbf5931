//! A PDU and the context that it is about: what is encrypted.

use crate::error::DecodeError;
use crate::pdu::{Operation, Pdu, PduView};
use crate::reader::{Reader, tag};
use crate::writer::Writer;

/// The context of a PDU: one of several sets of values that an engine may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scope<'a> {
    /// The engine that has the values, usually the agent's own.
    pub engine_id: &'a [u8],
    /// The name of the set; usually empty.
    pub name: &'a [u8],
}

/// A PDU with its context: its head is validated, its bindings are parsed when they are read.
#[derive(Debug, Clone, Copy)]
pub struct ScopedView<'a> {
    scope: Scope<'a>,
    pdu: PduView<'a>,
}

impl<'a> ScopedView<'a> {
    /// Bytes after the PDU are ignored: DES pads.
    pub(super) fn parse(mut text: Reader<'a>) -> Result<ScopedView<'a>, DecodeError> {
        let mut scoped = text.expect(tag::SEQUENCE, "a scoped PDU")?;
        let engine_id = scoped.expect(tag::OCTET_STRING, "the engine of a context")?.bytes();
        let name = scoped.expect(tag::OCTET_STRING, "the name of a context")?.bytes();
        let pdu = PduView::parse(scoped.element("a PDU")?)?;
        scoped.end("the end of the scoped PDU")?;
        Ok(ScopedView { scope: Scope { engine_id, name }, pdu })
    }

    /// The context.
    pub fn scope(&self) -> Scope<'a> {
        self.scope
    }

    /// The operation of the request or response.
    pub fn operation(&self) -> Operation {
        self.pdu.operation
    }

    /// The request id, which need not be the message id.
    pub fn request_id(&self) -> i32 {
        self.pdu.request_id
    }

    pub(crate) fn pdu(&self) -> PduView<'a> {
        self.pdu
    }

    /// The PDU, copied out, every binding validated.
    pub fn to_pdu(&self) -> Result<Pdu, DecodeError> {
        self.pdu.to_pdu()
    }
}

impl Scope<'_> {
    pub(super) fn write(&self, pdu: &Pdu, writer: &mut Writer) {
        writer.nested(tag::SEQUENCE, |writer| {
            pdu.write(writer);
            writer.contents(tag::OCTET_STRING, self.name);
            writer.contents(tag::OCTET_STRING, self.engine_id);
        });
    }
}
