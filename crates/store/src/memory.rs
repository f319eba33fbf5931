//! The memory limit for databases that are built in memory.

use rrd::Room;

/// The copies of a database in memory while it is rebuilt: its old rows, its new ones, and the
/// bytes of its file.
const COPIES: u64 = 3;
/// The limit if the kernel does not tell the available memory.
const BYTES_OTHERWISE: u64 = 1 << 30;

/// The part of the available memory that rows may take.
#[must_use]
pub fn room() -> Room {
    Room::of_bytes(disk::memory_available_bytes().unwrap_or(COPIES * BYTES_OTHERWISE) / COPIES)
}
