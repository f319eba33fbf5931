//! What happens to an update of a file that another process has locked.

/// What happens to an update while another process has the file locked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Locking {
    /// The update fails.
    #[default]
    Try,
    /// The update waits.
    Block,
    /// The update proceeds: no lock is taken.
    None,
}
