//! What holds for all clients of a server.

use std::sync::Arc;

use crate::admission::Access;
use crate::limits::Limits;
use crate::log::Log;
use crate::paths::Paths;

/// What holds for all clients of a server.
pub struct Terms {
    /// What paths mean.
    pub paths: Paths,
    /// Takes the server's messages.
    pub log: Arc<Log>,
    /// What clients may take.
    pub limits: Limits,
    /// No CREATE replaces what is there (`-O`).
    pub keeps_existing: bool,
    /// CREATE makes directories (`-R`).
    pub makes_directories: bool,
    /// Who may ask.
    pub access: Access,
    /// Replies wait until the change is on disk, however late the store itself acknowledges.
    pub syncs: bool,
}
