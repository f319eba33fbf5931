//! The protocol between the kernel and a FUSE server (`include/uapi/linux/fuse.h`, version 7.31),
//! as far as a directory of regular files needs it.
//!
//! ```text
//! request:  length, operation, number, node, ... (40 bytes), then what the operation needs
//! reply:    length, error, number (16 bytes), then the answer
//! ```

/// The node of the directory; that of a file is this plus one plus its number.
pub(super) const ROOT: u64 = 1;
/// The longest write in bytes; one more page holds the head of its message.
pub(super) const WRITE_BYTES_MAX: usize = 1 << 20;
const HEAD_BYTES: usize = 40;

pub(super) const ENOENT: i32 = 2;
pub(super) const EIO: i32 = 5;
pub(super) const ENOSYS: i32 = 38;

/// The request of the kernel.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Operation<'a> {
    Init,
    Lookup {
        name: &'a [u8],
    },
    Attributes,
    Open,
    Read {
        offset: u64,
        length: usize,
    },
    Write {
        offset: u64,
        data: &'a [u8],
    },
    Flush,
    Statistics,
    /// Accepted without an answer.
    Nothing,
    /// No reply is expected.
    Silent,
    Unknown,
}

/// A request from the kernel.
#[derive(Debug)]
pub(super) struct Request<'a> {
    pub(super) number: u64,
    pub(super) node: u64,
    pub(super) operation: Operation<'a>,
}

impl<'a> Request<'a> {
    /// Parses a message; `None` if it is incomplete.
    pub(super) fn parse(message: &'a [u8]) -> Option<Self> {
        let (number, node) = (long(message, 8)?, long(message, 16)?);
        let body = message.get(HEAD_BYTES..)?;
        let operation = match word(message, 4)? {
            1 => Operation::Lookup { name: body.strip_suffix(&[0])? },
            2 | 36 | 42 => Operation::Silent,
            3 | 4 => Operation::Attributes,
            14 | 27 => Operation::Open,
            15 => Operation::Read { offset: long(body, 8)?, length: word(body, 16)? as usize },
            16 => {
                let length = word(body, 16)? as usize;
                Operation::Write { offset: long(body, 8)?, data: body.get(40..40 + length)? }
            }
            17 => Operation::Statistics,
            20 | 30 => Operation::Flush,
            26 => Operation::Init,
            18 | 25 | 29 | 34 | 38 => Operation::Nothing,
            _ => Operation::Unknown,
        };
        Some(Self { number, node, operation })
    }

    /// A reply with the answer or an error number.
    pub(super) fn reply(&self, answer: Result<Vec<u8>, i32>) -> Vec<u8> {
        let (error, body) = match answer {
            Ok(body) => (0, body),
            Err(error) => (-error, Vec::new()),
        };
        let mut reply = Vec::with_capacity(16 + body.len());
        reply.extend((16 + body.len() as u32).to_ne_bytes());
        reply.extend(error.to_ne_bytes());
        reply.extend(self.number.to_ne_bytes());
        reply.extend(body);
        reply
    }
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn long(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_ne_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

/// The answer to the first request: the features of this server.
pub(super) fn init_answer() -> Vec<u8> {
    const BIG_WRITES: u32 = 1 << 5;
    const MAX_PAGES: u32 = 1 << 22;
    let mut answer = Vec::new();
    for number in [7, 31, 0, BIG_WRITES | MAX_PAGES] {
        answer.extend(u32::to_ne_bytes(number));
    }
    answer.extend(16_u16.to_ne_bytes()); // requests that may wait in the background
    answer.extend(12_u16.to_ne_bytes());
    answer.extend((WRITE_BYTES_MAX as u32).to_ne_bytes());
    answer.extend(1_u32.to_ne_bytes()); // the resolution of times in nanoseconds
    answer.extend(((WRITE_BYTES_MAX / 4096) as u16).to_ne_bytes());
    answer.resize(64, 0);
    answer
}

/// The answer to a lookup; the kernel must not cache it, so that each name is looked up again.
pub(super) fn entry_answer(node: u64, bytes: u64) -> Vec<u8> {
    let mut answer = Vec::new();
    for number in [node, 0, 0, 0, 0] {
        answer.extend(u64::to_ne_bytes(number));
    }
    answer.extend(attributes(node, bytes));
    answer
}

pub(super) fn attributes_answer(node: u64, bytes: u64) -> Vec<u8> {
    let mut answer = vec![0; 16];
    answer.extend(attributes(node, bytes));
    answer
}

fn attributes(node: u64, bytes: u64) -> Vec<u8> {
    const DIRECTORY: u32 = 0o040_700;
    const FILE: u32 = 0o100_600;
    let mut all = Vec::new();
    let bytes = if node == ROOT { 0 } else { bytes };
    for number in [node, bytes, bytes / 512, 0, 0, 0] {
        all.extend(number.to_ne_bytes());
    }
    let mode = if node == ROOT { DIRECTORY } else { FILE };
    for number in [0, 0, 0, mode, 1, 0, 0, 0, 4096, 0] {
        all.extend(u32::to_ne_bytes(number));
    }
    all
}

/// The answer to an open: reads and writes bypass the kernel's cache.
pub(super) fn open_answer() -> Vec<u8> {
    const DIRECT_IO: u32 = 1;
    let mut answer = vec![0; 8];
    answer.extend(DIRECT_IO.to_ne_bytes());
    answer.resize(16, 0);
    answer
}

pub(super) fn write_answer(bytes: usize) -> Vec<u8> {
    let mut answer = (bytes as u32).to_ne_bytes().to_vec();
    answer.resize(8, 0);
    answer
}

/// The statistics of a file system without a size.
pub(super) fn statistics_answer() -> Vec<u8> {
    vec![0; 80]
}

#[cfg(test)]
mod tests {
    use super::{Operation, Request, attributes_answer, entry_answer, init_answer};

    #[test]
    fn a_write_is_taken_apart() {
        let mut message = vec![0; 80];
        message[4] = 16;
        message[8] = 9;
        message[16] = 2;
        message[40 + 8] = 7; // offset
        message[40 + 16] = 3; // bytes
        message.extend(b"abc");
        let request = Request::parse(&message).unwrap();
        assert_eq!((request.number, request.node), (9, 2));
        assert_eq!(request.operation, Operation::Write { offset: 7, data: b"abc" });
        assert!(Request::parse(&message[..82]).is_none());
    }

    #[test]
    fn answers_have_the_sizes_of_the_kernels_header() {
        let sizes = [init_answer(), entry_answer(2, 9), attributes_answer(1, 9)].map(|it| it.len());
        assert_eq!(sizes, [64, 128, 104]);
    }
}
