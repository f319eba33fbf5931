//! The messages of Prometheus' remote read, and the compression around them.

use prost::Message;

/// Why a message of remote read is not taken.
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
    /// The message is damaged.
    #[error("expected a message of Prometheus' remote protocol: {0}")]
    Damaged(#[from] prost::DecodeError),
}

/// The bytes of a message without their compression.
///
/// # Errors
///
/// The compression is damaged, or there would be more bytes than permitted.
pub(crate) fn decompressed(bytes: &[u8], limit: usize) -> Result<Vec<u8>, WrongMessage> {
    // The size stands in front; nothing is made room for before it was looked at.
    let count = snap::raw::decompress_len(bytes)?;
    if count > limit {
        return Err(WrongMessage::TooLarge { limit, count });
    }
    Ok(snap::raw::Decoder::new().decompress_vec(bytes)?)
}

/// A request of remote read.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct ReadRequest {
    #[prost(message, repeated, tag = "1")]
    pub(crate) queries: Vec<Query>,
}

/// Which series and times are asked for.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Query {
    #[prost(int64, tag = "1")]
    pub(crate) start_millis: i64,
    #[prost(int64, tag = "2")]
    pub(crate) end_millis: i64,
    #[prost(message, repeated, tag = "3")]
    pub(crate) matchers: Vec<Condition>,
    #[prost(message, optional, tag = "4")]
    pub(crate) hints: Option<Hints>,
}

/// A condition on a label.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Condition {
    #[prost(int32, tag = "1")]
    pub(crate) comparison: i32,
    #[prost(string, tag = "2")]
    pub(crate) name: String,
    #[prost(string, tag = "3")]
    pub(crate) value: String,
}

/// What the samples are for.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Hints {
    #[prost(int64, tag = "1")]
    pub(crate) step_millis: i64,
    #[prost(int64, tag = "7")]
    pub(crate) range_millis: i64,
}

/// An answer of remote read.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct ReadResponse {
    #[prost(message, repeated, tag = "1")]
    pub(crate) results: Vec<QueryResult>,
}

/// The series that a query asked for.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct QueryResult {
    #[prost(message, repeated, tag = "1")]
    pub(crate) series: Vec<TimeSeries>,
}

/// A series with samples.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct TimeSeries {
    #[prost(message, repeated, tag = "1")]
    pub(crate) labels: Vec<LabelPair>,
    #[prost(message, repeated, tag = "2")]
    pub(crate) samples: Vec<Sample>,
}

/// A label.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct LabelPair {
    #[prost(string, tag = "1")]
    pub(crate) name: String,
    #[prost(string, tag = "2")]
    pub(crate) value: String,
}

/// A value at a time.
#[derive(Clone, Copy, PartialEq, Message)]
pub(crate) struct Sample {
    #[prost(double, tag = "1")]
    pub(crate) value: f64,
    #[prost(int64, tag = "2")]
    pub(crate) millis: i64,
}
