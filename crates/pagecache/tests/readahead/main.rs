//! Readahead policies without a file.

mod reader;
mod feedback;
