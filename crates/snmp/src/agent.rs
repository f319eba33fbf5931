//! The agent side.
