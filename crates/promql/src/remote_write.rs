//! Remote write, version 1: samples that another program sends.
//!
//! ```text
//! Snappy( WriteRequest )
//! WriteRequest: 1 TimeSeries, again and again; all else is left out
//! TimeSeries:   1 Label (1 name, 2 value), 2 Sample (1 value, 2 milliseconds), again and again
//! ```
//!
//! A request is read in place: it may hold a million samples, and each series is handed out before
//! the next is looked at. So no message takes more memory than its own bytes and one series.

use crate::remote::{WrongMessage, decompressed};

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

/// A request of remote write.
#[derive(Clone, Debug)]
pub struct WriteRequest {
    message: Vec<u8>,
    limits: WriteLimits,
}

/// A series of a request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WrittenSeries<'a> {
    /// Names and values of its labels, in the order of the request.
    pub labels: Vec<WrittenLabel<'a>>,
    /// Its samples, in the order of the request.
    pub samples: Vec<WrittenSample>,
}

/// A label.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WrittenLabel<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its value.
    pub value: &'a str,
}

/// A sample.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WrittenSample {
    /// Milliseconds since 1970.
    pub millis: i64,
    /// The value.
    pub value: f64,
}

/// The NaN by which Prometheus says that a series ended.
const STALE_BITS: u64 = 0x7ff0_0000_0000_0002;

impl WrittenSample {
    /// Whether it says that the series ended, and is no value.
    #[must_use]
    pub fn is_stale(&self) -> bool {
        self.value.to_bits() == STALE_BITS
    }
}

impl WriteRequest {
    /// A request from its body.
    ///
    /// # Errors
    ///
    /// The compression is damaged, or the message larger than permitted.
    pub fn new(body: &[u8], limits: WriteLimits) -> Result<Self, WrongMessage> {
        Ok(Self { message: decompressed(body, limits.bytes)?, limits })
    }

    /// Its series. After an error there is nothing more.
    pub fn series(&self) -> impl Iterator<Item = Result<WrittenSeries<'_>, WrongMessage>> {
        let mut fields = Fields::new(&self.message, 0);
        std::iter::from_fn(move || {
            loop {
                let field = match fields.next()? {
                    Ok(Field { number: 1, value: Wire::Bytes(bytes), offset }) => {
                        series(bytes, offset, &self.limits)
                    }
                    Ok(_) => continue,
                    Err(wrong) => Err(wrong),
                };
                if field.is_err() {
                    fields.rest = &[];
                }
                return Some(field);
            }
        })
    }
}

fn series<'a>(
    bytes: &'a [u8],
    offset: usize,
    limits: &WriteLimits,
) -> Result<WrittenSeries<'a>, WrongMessage> {
    let mut series = WrittenSeries::default();
    for field in Fields::new(bytes, offset) {
        match field? {
            Field { number: 1, value: Wire::Bytes(bytes), offset } => {
                if series.labels.len() == limits.labels {
                    return Err(WrongMessage::Wrong {
                        offset,
                        expected: "fewer labels of a series",
                    });
                }
                series.labels.push(label(bytes, offset)?);
            }
            Field { number: 2, value: Wire::Bytes(bytes), offset } => {
                if series.samples.len() == limits.samples {
                    return Err(WrongMessage::Wrong {
                        offset,
                        expected: "fewer samples of a series",
                    });
                }
                series.samples.push(sample(bytes, offset)?);
            }
            _ => (), // exemplars and histograms
        }
    }
    Ok(series)
}

fn label(bytes: &[u8], offset: usize) -> Result<WrittenLabel<'_>, WrongMessage> {
    let mut label = WrittenLabel::default();
    for field in Fields::new(bytes, offset) {
        match field? {
            Field { number: 1, value: Wire::Bytes(bytes), offset } => {
                label.name = text(bytes, offset)?
            }
            Field { number: 2, value: Wire::Bytes(bytes), offset } => {
                label.value = text(bytes, offset)?
            }
            _ => (),
        }
    }
    Ok(label)
}

fn text(bytes: &[u8], offset: usize) -> Result<&str, WrongMessage> {
    std::str::from_utf8(bytes).map_err(|error| WrongMessage::Wrong {
        offset: offset + error.valid_up_to(),
        expected: "a text in UTF-8",
    })
}

fn sample(bytes: &[u8], offset: usize) -> Result<WrittenSample, WrongMessage> {
    let mut sample = WrittenSample::default();
    for field in Fields::new(bytes, offset) {
        match field? {
            Field { number: 1, value: Wire::Fixed(bits), .. } => {
                sample.value = f64::from_bits(bits)
            }
            Field { number: 2, value: Wire::Varint(millis), .. } => {
                sample.millis = millis.cast_signed();
            }
            _ => (),
        }
    }
    Ok(sample)
}

/// A field of a message, and where its value begins.
struct Field<'a> {
    number: u64,
    value: Wire<'a>,
    offset: usize,
}

/// A value as Protocol Buffers writes it.
enum Wire<'a> {
    Varint(u64),
    Fixed(u64),
    Short,
    Bytes(&'a [u8]),
}

/// The fields of a message, one by one. After an error there are none.
struct Fields<'a> {
    rest: &'a [u8],
    end: usize,
}

impl<'a> Fields<'a> {
    /// The fields of a message that begins at an offset.
    fn new(bytes: &'a [u8], offset: usize) -> Self {
        Self { rest: bytes, end: offset + bytes.len() }
    }

    fn offset(&self) -> usize {
        self.end - self.rest.len()
    }

    fn wrong(&self, expected: &'static str) -> WrongMessage {
        WrongMessage::Wrong { offset: self.offset(), expected }
    }

    fn varint(&mut self) -> Result<u64, WrongMessage> {
        let mut value = 0_u64;
        for (nth, byte) in self.rest.iter().take(10).enumerate() {
            value |= u64::from(byte & 0x7f) << (7 * nth);
            if byte & 0x80 == 0 {
                self.rest = &self.rest[nth + 1..];
                return Ok(value);
            }
        }
        Err(self.wrong("a number of at most ten bytes"))
    }

    fn take(&mut self, count: u64) -> Result<&'a [u8], WrongMessage> {
        let split = usize::try_from(count).ok().and_then(|count| self.rest.split_at_checked(count));
        let Some((taken, rest)) = split else {
            return Err(self.wrong("as many bytes as the length in front of them says"));
        };
        self.rest = rest;
        Ok(taken)
    }

    fn field(&mut self) -> Result<Field<'a>, WrongMessage> {
        let key = self.varint()?;
        let value = match key & 7 {
            0 => Wire::Varint(self.varint()?),
            1 => Wire::Fixed(
                self.take(8)?.iter().rev().fold(0, |it, byte| it << 8 | u64::from(*byte)),
            ),
            2 => {
                let count = self.varint()?;
                Wire::Bytes(self.take(count)?)
            }
            5 => {
                self.take(4)?;
                Wire::Short
            }
            _ => return Err(self.wrong("a field of wire type 0, 1, 2 or 5")),
        };
        let length = if let Wire::Bytes(bytes) = &value { bytes.len() } else { 0 };
        Ok(Field { number: key >> 3, value, offset: self.offset() - length })
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<Field<'a>, WrongMessage>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let field = self.field();
        if field.is_err() {
            self.rest = &[];
        }
        Some(field)
    }
}

#[cfg(test)]
mod tests {
    use prost::Message as _;

    use super::*;
    use crate::remote::{LabelPair, QueryResult, Sample, TimeSeries};

    /// A request's series lie in field 1, as those of a result do.
    fn body(message: &[u8]) -> Vec<u8> {
        snap::raw::Encoder::new().compress_vec(message).unwrap()
    }

    fn message() -> Vec<u8> {
        let pair = |name: &str, value: &str| LabelPair { name: name.into(), value: value.into() };
        let labels = vec![pair("__name__", "a"), pair("host", "ä")];
        let samples = vec![
            Sample { value: -1.5, millis: -1 },
            Sample { value: f64::from_bits(STALE_BITS), millis: 1_700_000_000_000 },
        ];
        let series = vec![TimeSeries { labels, samples }, TimeSeries::default()];
        QueryResult { series }.encode_to_vec()
    }

    #[test]
    fn what_was_written_is_read() {
        let request = WriteRequest::new(&body(&message()), WriteLimits::default()).unwrap();
        let series: Vec<_> = request.series().map(Result::unwrap).collect();
        assert_eq!(series[0].labels[1], WrittenLabel { name: "host", value: "ä" });
        assert_eq!(series[0].samples[0], WrittenSample { millis: -1, value: -1.5 });
        assert!(series[0].samples[1].is_stale() && !series[0].samples[0].is_stale());
        assert_eq!(series[1], WrittenSeries::default());
    }

    #[test]
    fn each_cut_is_an_error_that_says_where_or_a_shorter_request() {
        let message = message();
        for cut in 0..message.len() {
            let request =
                WriteRequest::new(&body(&message[..cut]), WriteLimits::default()).unwrap();
            let all: Vec<_> = request.series().collect();
            if let Some(Err(wrong)) = all.last() {
                assert!(wrong.to_string().starts_with("byte "), "{wrong}");
            }
            assert!(all.iter().rev().skip(1).all(Result::is_ok), "an error is the last");
        }
    }

    #[test]
    fn bounds_hold() {
        let small = WriteLimits { labels: 1, ..WriteLimits::default() };
        let request = WriteRequest::new(&body(&message()), small).unwrap();
        let wrong = request.series().next().unwrap().unwrap_err();
        assert!(wrong.to_string().contains("fewer labels"), "{wrong}");
        let small = WriteLimits { bytes: 10, ..WriteLimits::default() };
        let wrong = WriteRequest::new(&body(&message()), small).unwrap_err();
        assert!(wrong.to_string().contains("expected at most 10 bytes"), "{wrong}");
        assert!(WriteRequest::new(b"\xff\xff\xff\xff\x0f", WriteLimits::default()).is_err());
    }
}
