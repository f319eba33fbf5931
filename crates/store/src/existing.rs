//! What becomes of a database whose name another is to have.

/// What to do with a file that is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Existing {
    /// Put the new one in its place.
    Replace,
    /// Leave it and fail.
    Keep,
}
