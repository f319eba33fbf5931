//! Reading ahead of an opening: what it reads later in small pieces.

use disk::{Medium, MediumFile};
use journal::is_outline;

/// No outline is longer.
const OUTLINE_BYTES: usize = 1 << 20;

/// Has the kernel bring the outlines of the log's segments into memory, while names are loaded.
/// What cannot be read is told by those that need it.
pub(super) fn warm_outlines<M: Medium>(medium: &M) {
    let mut buffer = vec![0; OUTLINE_BYTES];
    let names = medium.list().unwrap_or_default();
    for name in names.iter().filter(|name| is_outline(name)) {
        if let Ok(file) = medium.open(name) {
            let _ = file.read_at(&mut buffer, 0);
        }
    }
}
