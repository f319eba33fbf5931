//! How databases are kept.

use capacity::replay::Method;
use ring::Pace;

/// How databases are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// `.rrd` files, each update written into its file at once: rrdtool, and gyre without a store.
    Files(Access),
    /// `.rrd` files behind a journal: samples wait, and each file is written once in so many
    /// seconds. gyre's daemon; with `Method::Mapping`, rrdcached and its like.
    Journal {
        /// Seconds between two write-backs of a file.
        write_seconds: u64,
        /// How its files are written.
        access: Access,
    },
    /// The ring store.
    Ring {
        /// How it flushes and cuts its tiles; chosen by the memory that there is, where it is not
        /// given.
        pace: Option<Pace>,
    },
}

/// How a program uses files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Which calls read and write them.
    pub method: Method,
    /// Whether it says that it reads at random, so that nothing is read ahead.
    pub has_advice: bool,
}

impl Access {
    /// What gyre does.
    pub const GYRE: Self = Self { method: Method::Pwrite, has_advice: true };
    /// What gyre's daemon does.
    pub const DAEMON: Self = Self { method: Method::Prefetch, has_advice: true };
    /// What RRDtool does since 1.3: a mapping, with advice.
    pub const RRDTOOL: Self = Self { method: Method::Mapping, has_advice: true };
    /// Before there was advice: streams of the C library.
    pub const STREAM: Self = Self { method: Method::Stream, has_advice: false };
}

impl Way {
    /// Files written in place by gyre.
    pub const FILES: Self = Self::Files(Access::GYRE);
    /// gyre's daemon, which writes each file once an hour.
    pub const DAEMON: Self = Self::Journal { write_seconds: 3600, access: Access::DAEMON };
    /// The ring store, its pace chosen by the memory.
    pub const RING: Self = Self::Ring { pace: None };
}
