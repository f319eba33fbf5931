//! The page cache made visible and used: residency of many files, advice, adaptive readahead.

pub mod advise;
