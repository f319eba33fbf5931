//! How large a database may be that is put together in memory.

use rrd::Room;

/// What a database takes at once while it is made anew: its old rows, its new ones, and the bytes
/// of its file.
const COPIES: u64 = 3;
/// Where the kernel does not say how much memory there is.
const BYTES_OTHERWISE: u64 = 1 << 30;

/// The room that rows may take of what memory is available now.
#[must_use]
pub fn room() -> Room {
    Room::of_bytes(disk::memory_available_bytes().unwrap_or(COPIES * BYTES_OTHERWISE) / COPIES)
}
