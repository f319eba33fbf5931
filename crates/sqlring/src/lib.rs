//! Rings as tables of a database: which slot a row has, what the tables look like, and the
//! statements that fill and read them, in the words of three kinds of databases.
//!
//! The crate computes and writes texts. `sqlclient` owns the connections.

mod dialect;

pub use dialect::Dialect;
