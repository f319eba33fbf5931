//! When and how far is read ahead, without a file.

mod reader;
mod feedback;
