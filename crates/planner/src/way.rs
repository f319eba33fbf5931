//! The ways to keep databases.

use capacity::replay::Method;
use ring::Pace;

/// A way to keep databases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// `.rrd` files, each update written to its file at once: rrdtool, and gyre without a store.
    Files(Access),
    /// `.rrd` files behind a journal: samples wait, and each file is written once in
    /// `write_seconds`. gyre's daemon; with `Method::Mapping`, rrdcached and similar daemons.
    Journal {
        /// Seconds between two write-backs of a file.
        write_seconds: u64,
        /// How its files are written.
        access: Access,
    },
    /// The ring store.
    Ring {
        /// The pace of flushes and tiles; if `None`, it is chosen by the available memory.
        pace: Option<Pace>,
    },
}

/// How a program accesses files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// The method of reading and writing.
    pub method: Method,
    /// Whether it gives random-access advice, so that nothing is read ahead.
    pub has_advice: bool,
}

impl Access {
    /// The access of gyre.
    pub const GYRE: Self = Self { method: Method::Pwrite, has_advice: true };
    /// The access of gyre's daemon.
    pub const DAEMON: Self = Self { method: Method::Prefetch, has_advice: true };
    /// The access of RRDtool since 1.3: a mapping with advice.
    pub const RRDTOOL: Self = Self { method: Method::Mapping, has_advice: true };
    /// The access of older RRDtool: streams of the C library, without advice.
    pub const STREAM: Self = Self { method: Method::Stream, has_advice: false };
}

impl Way {
    /// Files written in place by gyre.
    pub const FILES: Self = Self::Files(Access::GYRE);
    /// gyre's daemon, which writes each file once an hour.
    pub const DAEMON: Self = Self::Journal { write_seconds: 3600, access: Access::DAEMON };
    /// The ring store with a pace chosen by the available memory.
    pub const RING: Self = Self::Ring { pace: None };
}
