//! Reading ahead of an opening: what it reads later in small pieces.

use disk::{Medium, MediumFile};
use journal::{is_outline, is_segment};

/// The first look at a segment of the log takes so much.
const HEAD_BYTES: usize = 256 << 10;

/// Has the kernel bring the heads of the log's segments and their outlines into memory, while names
/// are loaded. What cannot be read is told by those that need it.
pub(super) fn warm<M: Medium>(medium: &M) {
    let mut buffer = vec![0; HEAD_BYTES];
    let names = medium.list().unwrap_or_default();
    for name in names.iter().filter(|name| is_segment(name) || is_outline(name)) {
        if let Ok(file) = medium.open(name) {
            let _ = file.advise_random();
            let _ = file.read_at(&mut buffer, 0);
        }
    }
}
