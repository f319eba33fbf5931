//! The verbs that work on one round robin database, in a file or in a ring store: rrdtool's command
//! line.
//!
//! Each verb reads its words and gives a value (a [`rrd::Series`], [`Fact`]s, seconds), which is
//! what a program asks for; a thin `run` beside it renders the value as rrdtool prints it.
//! [`program`] is the face of a process: `gyre VERB`, and rrdtool's own name, under which words,
//! formats and exit codes are those of rrdtool 1.7.2, so that programs that call it need no change.
//! `rrdtool -` reads commands line by line.
#![allow(clippy::disallowed_methods)] // an edge: it meets the clock, files and the environment

/// Says a line on standard error. Where nothing takes it, as on a full disk or a closed pipe, the
/// work goes on or ends as it would: `eprintln!` would panic.
#[macro_export]
macro_rules! complain {
    ($($words:tt)*) => {{
        let line = format!($($words)*) + "\n";
        let _ = ::std::io::Write::write_all(&mut ::std::io::stderr(), line.as_bytes());
    }};
}

pub mod program;
mod verb;
mod verbs;
mod help;
mod session;
mod failure;
mod outlet;
mod zone;
mod daemon;
mod guest_stream;
mod stores;
mod databases;
mod facts;
pub mod create;
pub mod order;
pub mod update;
mod handover;
pub mod updatev;
pub mod fetch;
pub mod info;
pub mod tune;
mod resize;
pub mod first;
pub mod last;
pub mod lastupdate;
pub mod dump;
mod restore;
pub mod graph;
pub mod graphv;
pub mod xport;
mod table;
pub mod list;
pub mod glob;
mod flushcached;
mod number;
mod ahead;
mod perform;
mod pipe;
mod pipe_client;
mod words;
mod remote;
mod spent;

pub use databases::{Databases, FetchFromProgram, FetchFromSql, PartialStep, Place, fetch_sql_by};
pub use disk::system_words;
pub use facts::{Fact, FactValue};
pub use failure::{Failure, Wording};
pub use outlet::Outlet;
pub use perform::perform;
pub use pipe_client::{PipeClient, PipeError};
pub use session::{Session, Times};
pub use stores::{Serve, Stores, expect_store};
pub use verb::Verb;
pub use verbs::{VERBS, find};
pub use zone::of_environment as local_zone;
