//! What was read at once, of many senders.

use std::net::SocketAddr;

/// Memory that is kept from one time to the next.
const KEPT_BYTES_MAX: usize = 4 << 20;

/// Whole lines, frames or datagrams, and whose each stretch of them is.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    pub(crate) bytes: Vec<u8>,
    parts: Vec<Part>,
}

#[derive(Debug)]
struct Part {
    from: SocketAddr,
    /// Where it ends; it begins where the one before it ends.
    end: usize,
}

impl Gathered {
    /// What was appended to the bytes since the last time is this sender's.
    pub(crate) fn close_part(&mut self, from: SocketAddr) {
        if self.bytes.len() > self.parts.last().map_or(0, |part| part.end) {
            self.parts.push(Part { from, end: self.bytes.len() });
        }
    }

    /// Adds a datagram.
    pub(crate) fn add(&mut self, from: SocketAddr, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        self.close_part(from);
    }

    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Senders, and what came of each.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (SocketAddr, &[u8])> {
        let mut begin = 0;
        self.parts.iter().map(move |part| {
            let bytes = &self.bytes[begin..part.end];
            begin = part.end;
            (part.from, bytes)
        })
    }

    pub(crate) fn clear(&mut self) {
        self.parts.clear();
        self.bytes.clear();
        self.bytes.shrink_to(KEPT_BYTES_MAX);
    }
}
