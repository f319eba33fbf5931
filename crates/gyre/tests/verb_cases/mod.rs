//! Verbs with files of their own.

mod config;
