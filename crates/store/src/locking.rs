//! What becomes of an update of a file that another process has locked.

/// What becomes of an update while another process holds the file's lock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Locking {
    /// It fails.
    #[default]
    Try,
    /// It waits.
    Block,
    /// It goes on: no lock is taken.
    None,
}
