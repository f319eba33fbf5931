//! `gyre run mrtg.cfg`: collector, store and web pages in one process.
//!
//! ```text
//!                         programs in back quotes ──┐
//!  mrtg.cfg ─▶ wiring ─▶ plan ─▶ poller ─▶ measurer ◀┘─▶ queue ─▶ writer ─▶ store
//!                 │                           │                      ├──▶ alarms: programs, mail, Graphite,
//!                 │                           │                      │           Alertmanager
//!                 │                           │                      │
//!                 └──▶ catalogue ─▶ board ◀───┴── status line ◀───┘
//!                                     └──▶ web pages             rrdcached's clients ─▶ store
//! ```
//!
//! The polling thread never waits for other threads. So a slow disk, page, client or resolver
//! delays no poll.
#![allow(clippy::disallowed_methods, reason = "an edge: files, signals and the clock")]

mod arguments;
mod settings;
mod part;
mod secrets;
mod event;
mod session;
mod prepared;
mod reload;
mod guard;
mod room;
mod protocol;
#[cfg(feature = "sql")]
mod sql_feed;
#[cfg(not(feature = "sql"))]
#[path = "without_sql_feed.rs"]
mod sql_feed;
mod source;
mod glob;
mod users;
mod variables;
mod wiring;
mod survey;
mod keeping;
mod labels;
mod web;
mod agents;
mod through_daemon;
mod database_names;
mod databases;
mod measurer;
mod learnt;
mod programs;
mod stamp;
mod reading_kept;
mod queue;
mod maxima;
mod alarms;
mod writer;
mod status_line;
mod cycle_event;
mod narrator;
mod tally;
mod own_watch;
mod catalogue;
mod board;
mod itself;

use std::ffi::OsString;
use std::process::ExitCode;

use crate::command_line::{ended, understood};
use event::{Event, LogFormat};
pub(crate) use guard::GuardFiles;

pub(crate) use alarms::UnusableError;
pub(crate) use arguments::{SECRETS_HELP, host_name, secrets_place};
pub(crate) use database_names::DatabaseNames;
pub(crate) use keeping::{Keeping, RING_DIRECTORY};
pub(crate) use secrets::{Place as SecretsPlace, SecretsError};
pub(crate) use session::run;
pub(crate) use settings::Settings;
pub(crate) use source::Disk;
pub(crate) use survey::Survey;

/// The command, for its page.
pub(crate) fn described() -> Vec<options::Described> {
    vec![arguments::LINE.described()]
}

/// The verb: `arguments` are those behind `gyre run`.
pub(crate) fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    crate::allocator::return_freed_memory();
    let arguments = match understood(&arguments::LINE, arguments::parse(arguments)) {
        Ok(arguments) => arguments,
        Err(code) => return code,
    };
    let settings = Settings {
        rrdcached: arguments.rrdcached().to_vec(),
        receivers: arguments.receivers().to_vec(),
        configuration: arguments.configuration,
        keeping: arguments.keeping,
        listen: arguments.listen,
        allowed_hosts: arguments.allowed_hosts,
        guard: arguments.guard,
        series: arguments.series,
        request_log: arguments.request_log,
        intake: arguments.intake,
        boards: arguments.boards,
        cycles: arguments.cycles,
        notice: None,
        secrets: arguments.secrets,
        sql: arguments.sql,
        web_url: arguments.web_url,
        measures_itself: arguments.measures_itself,
    };
    arguments.log.begin();
    match (run(&settings, &Disk), arguments.log) {
        (Err(error), LogFormat::Json) => {
            Event::error("failed", format_args!("{}: {error}", arguments::LINE.name())).tell();
            ExitCode::FAILURE
        }
        (done, _) => ended(&arguments::LINE, done),
    }
}

/// Tells the operator something for which there is no event of its own. If the terminal is closed,
/// the run goes on.
fn tell(line: impl std::fmt::Display) {
    Event::warning("remark", line).tell();
}
