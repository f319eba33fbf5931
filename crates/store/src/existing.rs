//! What happens to an existing database whose name a new one wants.

/// What happens to an existing database or file of the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Existing {
    /// The new one replaces it.
    Replace,
    /// It stays, and the operation fails.
    Keep,
}
