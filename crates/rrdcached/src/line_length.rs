//! How long a line of the protocol may be.

/// Bytes of a line, its end included. rrdtool's client stops here too; its daemon reads lines of
/// nearly twice this length, but cuts them here when it writes its journal.
pub const LINE_BYTES_MAX: usize = 4096;
