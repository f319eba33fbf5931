//! collectd's binary network protocol.
//!
//! ```text
//! 0000 0009 77656231 00         part host, 9 bytes with this header, "web1" and a zero byte
//! 0008 000c 1ac2477fca6ec303    part time, in 2^-30 seconds
//! 0006 000f 0001 01 f64         part values: their number, each one's kind, the values
//! ```
//!
//! A packet is a sequence of parts. Each says what holds for all values behind it, until another
//! part of its kind says otherwise. Parts that are not known are skipped. Values of gauges are
//! little-endian, all other numbers big-endian. Source: "Binary protocol" of collectd's wiki.

mod security;
mod types;

pub use security::{Level, Security, WrongUsers};
pub use types::{Types, WrongTypes};

use crate::sent::{Kind, Sent, Series, Value};

/// A packet that cannot be read, or of which values were left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("byte {offset_bytes} of the packet: expected {expected}")]
pub struct WrongPacket {
    /// Where in the packet, from 0; parts that were encrypted count where they stood.
    pub offset_bytes: usize,
    /// What was expected there.
    pub expected: &'static str,
    /// Samples that were handed out nevertheless.
    pub samples: u64,
}

/// Kinds of parts.
mod part {
    pub(super) const HOST: u16 = 0;
    pub(super) const TIME: u16 = 1;
    pub(super) const PLUGIN: u16 = 2;
    pub(super) const PLUGIN_INSTANCE: u16 = 3;
    pub(super) const TYPE: u16 = 4;
    pub(super) const TYPE_INSTANCE: u16 = 5;
    pub(super) const VALUES: u16 = 6;
    pub(super) const INTERVAL: u16 = 7;
    pub(super) const TIME_HR: u16 = 8;
    pub(super) const INTERVAL_HR: u16 = 9;
    pub(super) const SIGNATURE: u16 = 0x200;
    pub(super) const ENCRYPTION: u16 = 0x210;
}

/// Bytes of a part's kind and length.
const HEADER_BYTES: usize = 4;

/// Bytes of a value and its kind.
const VALUE_BYTES: usize = 9;

/// Reads a packet, and says how many samples were handed out. Those before the first wrong byte are
/// taken. Values of a type of which `types` has another number are left out, the others are taken.
pub fn read(
    packet: &[u8],
    security: &Security,
    types: &Types,
    sent: &mut dyn FnMut(&Sent<'_>),
) -> Result<u64, WrongPacket> {
    let values = Vec::new();
    let mut reader = Reader { security, types, sent, values, samples: 0, left_out: None };
    let done = reader.parts(packet, 0, None);
    match done.err().or(reader.left_out) {
        None => Ok(reader.samples),
        Some(Wrong { at, expected }) => {
            Err(WrongPacket { offset_bytes: at, expected, samples: reader.samples })
        }
    }
}

/// What was expected at a byte of the packet.
#[derive(Clone, Copy)]
struct Wrong {
    at: usize,
    expected: &'static str,
}

struct Reader<'r> {
    security: &'r Security,
    types: &'r Types,
    sent: &'r mut dyn FnMut(&Sent<'_>),
    /// Those of one sample; kept, so that a packet takes memory once.
    values: Vec<(&'r str, Kind, Value<'static>)>,
    samples: u64,
    /// The first values that were left out.
    left_out: Option<Wrong>,
}

impl Reader<'_> {
    /// Reads parts, of which the first one stands at `base` in the packet: those that stand in it
    /// as they are, or those that a signature or encryption has made of the given level.
    fn parts(&mut self, bytes: &[u8], base: usize, made: Option<Level>) -> Result<(), Wrong> {
        let is_inner = made.is_some();
        let level = made.unwrap_or_default();
        // What unsigned parts said must not hold for signed values.
        let mut context = Context::default();
        let mut rest = bytes;
        while !rest.is_empty() {
            let at = base + bytes.len() - rest.len();
            let (kind, body, behind) = split(rest).map_err(|expected| Wrong { at, expected })?;
            let inner = at + HEADER_BYTES;
            let wrong = |expected| Wrong { at: inner, expected };
            match kind {
                part::SIGNATURE | part::ENCRYPTION if is_inner => {
                    return Err(wrong("one signature or encryption only"));
                }
                part::SIGNATURE => {
                    let signed = self.security.verify(body, behind).map_err(wrong)?;
                    return self.parts(behind, inner + body.len(), Some(signed));
                }
                part::ENCRYPTION => {
                    let clear = self.security.decrypt(body).map_err(wrong)?;
                    self.parts(&clear.parts, inner + clear.offset, Some(Level::Encrypt))?;
                }
                part::VALUES => self.values(&context, body, inner, level)?,
                kind => context.take(kind, body).map_err(wrong)?,
            }
            rest = behind;
        }
        Ok(())
    }

    fn values(
        &mut self,
        context: &Context<'_>,
        body: &[u8],
        at: usize,
        level: Level,
    ) -> Result<(), Wrong> {
        let wrong = |expected| Wrong { at, expected };
        match self.security.level() {
            Level::Sign if level < Level::Sign => return Err(wrong("a signature before values")),
            Level::Encrypt if level < Level::Encrypt => return Err(wrong("encrypted values")),
            _ => (),
        }
        let series = context.series().map_err(wrong)?;
        let Columns { kinds, numbers } = columns(body).map_err(wrong)?;
        let count = kinds.len();
        let Some(names) = self.types.names(context.kind, count) else {
            self.left_out.get_or_insert(wrong("as many values as the type has in types.db"));
            return Ok(());
        };
        self.values.clear();
        for ((name, kind), number) in names.iter().zip(kinds).zip(numbers) {
            let (kind, value) = value(*kind, *number).map_err(wrong)?;
            self.values.push((&**name, kind, value));
        }
        (self.sent)(&Sent { series, time_micros: context.time_micros, values: &self.values });
        self.samples += 1;
        Ok(())
    }
}

/// A part's kind and what it holds, and the bytes behind it.
fn split(bytes: &[u8]) -> Result<(u16, &[u8], &[u8]), &'static str> {
    let Some(&[k0, k1, l0, l1]) = bytes.first_chunk::<HEADER_BYTES>() else {
        return Err("a part's kind and length, 4 bytes");
    };
    let length = usize::from(u16::from_be_bytes([l0, l1]));
    if length < HEADER_BYTES {
        return Err("a part's length of at least 4 bytes");
    }
    let Some((part, behind)) = bytes.split_at_checked(length) else {
        return Err("a part that ends within the packet");
    };
    Ok((u16::from_be_bytes([k0, k1]), &part[HEADER_BYTES..], behind))
}

/// As many kinds as values.
struct Columns<'a> {
    kinds: &'a [u8],
    numbers: &'a [[u8; 8]],
}

fn columns(body: &[u8]) -> Result<Columns<'_>, &'static str> {
    let (count, rest) = body.split_first_chunk().ok_or("the number of values")?;
    let count = usize::from(u16::from_be_bytes(*count));
    if count == 0 || rest.len() != count * VALUE_BYTES {
        return Err("9 bytes for each of the values, and at least one");
    }
    if count > types::VALUES_MAX {
        return Err("at most 256 values");
    }
    let (kinds, numbers) = rest.split_at(count);
    Ok(Columns { kinds, numbers: numbers.as_chunks().0 })
}

fn value(kind: u8, bytes: [u8; 8]) -> Result<(Kind, Value<'static>), &'static str> {
    Ok(match kind {
        0 => (Kind::Counter, Value::Unsigned(u64::from_be_bytes(bytes))),
        1 => (Kind::Gauge, Value::Float(f64::from_le_bytes(bytes))),
        2 => (Kind::Derive, Value::Signed(i64::from_be_bytes(bytes))),
        3 => (Kind::Absolute, Value::Unsigned(u64::from_be_bytes(bytes))),
        _ => return Err("values of the kinds 0 to 3"),
    })
}

/// What holds for the values that follow.
#[derive(Default)]
struct Context<'a> {
    host: &'a str,
    plugin: &'a str,
    plugin_instance: &'a str,
    kind: &'a str,
    kind_instance: &'a str,
    time_micros: Option<i64>,
}

impl<'a> Context<'a> {
    fn take(&mut self, kind: u16, body: &'a [u8]) -> Result<(), &'static str> {
        match kind {
            part::HOST => self.host = text(body)?,
            part::PLUGIN => self.plugin = text(body)?,
            part::PLUGIN_INSTANCE => self.plugin_instance = text(body)?,
            part::TYPE => self.kind = text(body)?,
            part::TYPE_INSTANCE => self.kind_instance = text(body)?,
            part::TIME => {
                let micros =
                    i64::try_from(number(body)?).ok().and_then(|it| it.checked_mul(1_000_000));
                self.time_micros = Some(micros.ok_or("seconds since 1970")?);
            }
            part::TIME_HR => {
                let micros = (u128::from(number(body)?) * 1_000_000) >> 30;
                self.time_micros = Some(micros as i64);
            }
            // A database's layout is what says how often its series come.
            part::INTERVAL | part::INTERVAL_HR => drop(number(body)?),
            _ => (),
        }
        Ok(())
    }

    fn series(&self) -> Result<Series<'a>, &'static str> {
        for (text, expected) in [
            (self.host, "a host before values"),
            (self.plugin, "a plugin before values"),
            (self.kind, "a type before values"),
        ] {
            if text.is_empty() {
                return Err(expected);
            }
        }
        Ok(Series::Collectd {
            host: self.host,
            plugin: (self.plugin, self.plugin_instance),
            kind: (self.kind, self.kind_instance),
        })
    }
}

fn text(body: &[u8]) -> Result<&str, &'static str> {
    let text = body.strip_suffix(&[0]).ok_or("a text with a zero byte at its end")?;
    if text.contains(&0) {
        return Err("a text with one zero byte");
    }
    std::str::from_utf8(text).map_err(|_| "a text in UTF-8")
}

fn number(body: &[u8]) -> Result<u64, &'static str> {
    body.try_into().map(u64::from_be_bytes).map_err(|_| "a number of 8 bytes")
}
