//! Prometheus' remote write, version 1.
//!
//! ```text
//! Snappy( WriteRequest )
//! WriteRequest: 1 TimeSeries, again and again; all else is left out
//! TimeSeries:   1 Label (1 name, 2 value), 2 Sample (1 value, 2 milliseconds), again and again
//! ```
//!
//! A request is read in place: it may hold a million samples, and each series is handed out before
//! the next is looked at. So no message takes more memory than its own bytes and one series.
//! Source: "Prometheus Remote-Write 1.0 specification".

mod wire;

use crate::sent::{Kind, Sent, Series, VALUE, Value};
use wire::{Field, Fields, Wire};

/// What a request may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriteLimits {
    /// Bytes after decompression.
    pub bytes: usize,
    /// Labels of a series.
    pub labels: usize,
    /// Samples of a series.
    pub samples: usize,
}

impl Default for WriteLimits {
    fn default() -> Self {
        Self { bytes: 32 << 20, labels: 64, samples: 100_000 }
    }
}

/// Why a request is not taken.
#[derive(Debug, thiserror::Error)]
pub enum WrongMessage {
    /// The compression is damaged.
    #[error("expected a block of Snappy: {0}")]
    Compression(#[from] snap::Error),
    /// It would be too large.
    #[error("expected at most {limit} bytes of a message, found {count}")]
    TooLarge {
        /// How many bytes there may be.
        limit: usize,
        /// How many there are.
        count: usize,
    },
    /// The message is damaged, and nothing behind can be read.
    #[error("byte {offset}: expected {expected}")]
    Wrong {
        /// Where, in the message after decompression.
        offset: usize,
        /// What was expected there.
        expected: &'static str,
    },
}

/// A series that is left out: the others can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("byte {offset}: expected {expected}")]
pub struct WrongSeries {
    /// Where, in the message after decompression.
    pub offset: usize,
    /// What was expected there.
    pub expected: &'static str,
}

/// Series that were left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// How many.
    pub series: u64,
    /// The first of them.
    pub first: Option<WrongSeries>,
}

/// Why a series is not handed out.
enum Unread {
    Series(WrongSeries),
    Message(WrongMessage),
}

impl From<WrongMessage> for Unread {
    fn from(wrong: WrongMessage) -> Self {
        Self::Message(wrong)
    }
}

/// The NaN by which Prometheus says that a series ended.
const STALE_BITS: u64 = 0x7ff0_0000_0000_0002;

/// A request without its compression.
///
/// # Errors
///
/// The compression is damaged, or the message larger than permitted.
pub fn message(body: &[u8], bytes_max: usize) -> Result<Vec<u8>, WrongMessage> {
    // The size stands in front; nothing is made room for before it was looked at.
    let count = snap::raw::decompress_len(body)?;
    if count > bytes_max {
        return Err(WrongMessage::TooLarge { limit: bytes_max, count });
    }
    Ok(snap::raw::Decoder::new().decompress_vec(body)?)
}

/// Reads a message. What says that a series ended is no sample. A series that is larger than
/// permitted, or no text, is left out.
///
/// # Errors
///
/// The message is damaged; the samples before were handed out.
pub fn read(
    message: &[u8],
    limits: &WriteLimits,
    sent: &mut dyn FnMut(&Sent<'_>),
) -> Result<LeftOut, WrongMessage> {
    let (mut series, mut left_out) = (Written::default(), LeftOut::default());
    for field in Fields::new(message, 0) {
        let Field { number: 1, value: Wire::Bytes(bytes), offset } = field? else { continue };
        match series.read(bytes, offset, limits) {
            Ok(()) => series.hand_out(sent),
            Err(Unread::Message(wrong)) => return Err(wrong),
            Err(Unread::Series(wrong)) => {
                left_out.series += 1;
                left_out.first.get_or_insert(wrong);
            }
        }
    }
    Ok(left_out)
}

/// A series of a request; the next one is read into the same memory.
#[derive(Debug, Default)]
struct Written<'a> {
    labels: Vec<(&'a str, &'a str)>,
    samples: Vec<Sample>,
}

/// A value, and milliseconds since 1970.
#[derive(Clone, Copy, Debug, Default)]
struct Sample {
    millis: i64,
    value: f64,
}

impl<'a> Written<'a> {
    fn read(&mut self, bytes: &'a [u8], offset: usize, limits: &WriteLimits) -> Result<(), Unread> {
        self.labels.clear();
        self.samples.clear();
        for field in Fields::new(bytes, offset) {
            match field? {
                Field { number: 1, value: Wire::Bytes(bytes), offset } => {
                    check(self.labels.len() < limits.labels, offset, "fewer labels of a series")?;
                    self.labels.push(label(bytes, offset)?);
                }
                Field { number: 2, value: Wire::Bytes(bytes), offset } => {
                    let few = self.samples.len() < limits.samples;
                    check(few, offset, "fewer samples of a series")?;
                    self.samples.push(sample(bytes, offset)?);
                }
                _ => (), // exemplars and histograms
            }
        }
        Ok(())
    }

    fn hand_out(&self, sent: &mut dyn FnMut(&Sent<'_>)) {
        for Sample { millis, value } in &self.samples {
            if value.to_bits() != STALE_BITS {
                sent(&Sent {
                    series: Series::Labels(&self.labels),
                    time_micros: Some(millis.saturating_mul(1000)),
                    values: &[(VALUE, Kind::Gauge, Value::Float(*value))],
                });
            }
        }
    }
}

fn check(is_right: bool, offset: usize, expected: &'static str) -> Result<(), Unread> {
    if is_right { Ok(()) } else { Err(Unread::Series(WrongSeries { offset, expected })) }
}

fn label(bytes: &[u8], offset: usize) -> Result<(&str, &str), Unread> {
    let mut label = ("", "");
    for field in Fields::new(bytes, offset) {
        match field? {
            Field { number: 1, value: Wire::Bytes(bytes), offset } => {
                label.0 = text(bytes, offset)?;
            }
            Field { number: 2, value: Wire::Bytes(bytes), offset } => {
                label.1 = text(bytes, offset)?;
            }
            _ => (),
        }
    }
    Ok(label)
}

fn text(bytes: &[u8], offset: usize) -> Result<&str, Unread> {
    std::str::from_utf8(bytes).map_err(|error| {
        let offset = offset + error.valid_up_to();
        Unread::Series(WrongSeries { offset, expected: "a text in UTF-8" })
    })
}

fn sample(bytes: &[u8], offset: usize) -> Result<Sample, WrongMessage> {
    let mut sample = Sample::default();
    for field in Fields::new(bytes, offset) {
        match field? {
            Field { number: 1, value: Wire::Fixed(bits), .. } => {
                sample.value = f64::from_bits(bits);
            }
            Field { number: 2, value: Wire::Varint(millis), .. } => {
                sample.millis = millis.cast_signed();
            }
            _ => (),
        }
    }
    Ok(sample)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A field that holds bytes.
    fn held(number: u8, bytes: &[u8]) -> Vec<u8> {
        let length = u8::try_from(bytes.len()).ok().filter(|length| *length < 128);
        [&[number << 3 | 2, length.expect("a short message")], bytes].concat()
    }

    fn pair(name: &str, value: &str) -> Vec<u8> {
        held(1, &[held(1, name.as_bytes()), held(2, value.as_bytes())].concat())
    }

    fn at(millis: i64, value: u64) -> Vec<u8> {
        let mut bytes = vec![1 << 3 | 1];
        bytes.extend(value.to_le_bytes());
        bytes.push(2 << 3);
        let mut rest = millis.cast_unsigned();
        while rest > 127 {
            bytes.push(rest as u8 | 128);
            rest >>= 7;
        }
        bytes.push(rest as u8);
        held(2, &bytes)
    }

    fn written() -> Vec<u8> {
        let now = 1_700_000_000_123;
        let labels = [pair("__name__", "a"), pair("host", "ä")].concat();
        let samples = [at(-1, (-1.5_f64).to_bits()), at(now, STALE_BITS)].concat();
        let other = [pair("b", ""), at(now, 2.0_f64.to_bits())].concat();
        [held(1, &[labels, samples].concat()), held(3, b"left out"), held(1, &other)].concat()
    }

    fn shown(message: &[u8], limits: WriteLimits) -> Result<Vec<String>, WrongMessage> {
        let mut all = Vec::new();
        read(message, &limits, &mut |Sent { series, time_micros, values }| {
            let Series::Labels(labels) = series else { panic!("{series:?}") };
            all.push(format!("{labels:?} {:?} {:?}", time_micros.unwrap(), values[0].2));
        })?;
        Ok(all)
    }

    #[test]
    fn what_was_written_is_read() {
        let all = shown(&written(), WriteLimits::default()).unwrap();
        assert_eq!(
            all,
            [
                r#"[("__name__", "a"), ("host", "ä")] -1000 Float(-1.5)"#,
                r#"[("b", "")] 1700000000123000 Float(2.0)"#,
            ]
        );
    }

    #[test]
    fn each_cut_is_an_error_that_says_where_or_a_shorter_request() {
        let message = written();
        for cut in 0..message.len() {
            if let Err(wrong) = shown(&message[..cut], WriteLimits::default()) {
                assert!(wrong.to_string().starts_with("byte "), "{wrong}");
            }
        }
    }

    #[test]
    fn bounds_hold() {
        let small = WriteLimits { labels: 1, ..WriteLimits::default() };
        let mut count = 0;
        let left_out = read(&written(), &small, &mut |_| count += 1).unwrap();
        // The second series has one label, and is taken.
        assert_eq!((left_out.series, count), (1, 1));
        let told = left_out.first.unwrap().to_string();
        assert!(told.contains("expected fewer labels"), "{told}");
        let body = snap::raw::Encoder::new().compress_vec(&written()).unwrap();
        assert_eq!(message(&body, 1000).unwrap(), written());
        let wrong = message(&body, 10).unwrap_err();
        assert!(wrong.to_string().contains("expected at most 10 bytes"), "{wrong}");
        assert!(message(b"\xff\xff\xff\xff\x0f", 1000).is_err());
    }
}
