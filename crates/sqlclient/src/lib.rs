//! Connections to SQLite, MariaDB and PostgreSQL behind one trait that blocks.
//!
//! ```text
//! sql.toml --Address::read--> Address --connect--> dyn Connection
//!                                                   execute, query, write_rows
//!                                                   begin .. commit | rollback
//! ```
//!
//! * Placeholders are `?` for all three, numbers come back bit for bit.
//! * Each call has a deadline, against a server that hangs too. A connection whose deadline passed
//!   is closed: what the server still does with the statement is unknown.
//! * A transaction of which a statement failed can only be rolled back. The three databases differ
//!   there: one goes on, one refuses, one may have rolled back by itself.
//! * No password is shown, whatever is printed.
//!
//! The network drivers are asynchronous. Each connection has a runtime of its own that runs within
//! calls alone, so a connection has no thread. A call from a thread of another tokio runtime would
//! panic: such callers use a blocking thread.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::indexing_slicing, clippy::expect_used))]
#![forbid(unsafe_code)]
#![allow(clippy::disallowed_methods, reason = "it reads its file, and deadlines need the clock")]

mod value;
mod error;
mod connection;
mod address;
mod names;
mod session;

#[cfg(feature = "postgres")]
mod placeholders;
#[cfg(feature = "network")]
mod clockwork;
#[cfg(feature = "network")]
mod trust;

#[cfg(feature = "sqlite")]
mod sqlite;
#[cfg(feature = "mariadb")]
mod mariadb;
#[cfg(feature = "postgres")]
mod postgres;

mod connect;

pub use address::{Address, AddressError, Deadlines, Password, Problem, Reach, Server, Tls};
pub use connection::{BulkInsert, ColumnType, Connection};
pub use error::Error;
pub use names::quoted;
pub use sqlring::Dialect;
pub use value::Value;
