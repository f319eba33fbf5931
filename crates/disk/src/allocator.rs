//! Settings of the C library's allocator for freed memory.
#![allow(unsafe_code)] // the C library's settings have no safe form

/// Larger allocations get mappings of their own, which are unmapped when freed.
#[cfg(target_env = "gnu")]
const MAPPED_BYTES_MIN: i32 = 1 << 20;
/// At most this much free memory at the end of a heap stays with the process.
#[cfg(target_env = "gnu")]
const FREE_BYTES_MAX: i32 = 2 << 20;

#[cfg(target_env = "gnu")]
unsafe extern "C" {
    fn mallopt(setting: i32, value: i32) -> i32;
    fn malloc_trim(kept_bytes: usize) -> i32;
}

/// Makes this process return memory to the kernel soon after it is freed. A program that runs for
/// long and needs much memory only briefly calls this once.
///
/// By default the GNU C library raises both limits itself, up to 32 and 64 MiB, whenever the
/// program frees a larger allocation. A ring store frees most of the memory that it needs for
/// opening. With limits that high, most of it would stay with the process until its end.
pub fn keep_little_freed_memory() {
    #[cfg(target_env = "gnu")]
    {
        /// `M_TRIM_THRESHOLD` of `malloc.h`.
        const TRIM_THRESHOLD: i32 = -1;
        /// `M_MMAP_THRESHOLD` of `malloc.h`.
        const MMAP_THRESHOLD: i32 = -3;
        // SAFETY: it takes two numbers and may be called at any time.
        unsafe {
            mallopt(TRIM_THRESHOLD, FREE_BYTES_MAX);
            mallopt(MMAP_THRESHOLD, MAPPED_BYTES_MIN);
        }
    }
}

/// Returns whole free pages between allocations to the kernel. Each thread allocates from a heap of
/// its own, so the gaps in the heap of a thread that has ended are not filled by other threads. The
/// call visits all free memory, some milliseconds for each 100 MiB.
pub fn give_freed_memory_back() {
    #[cfg(target_env = "gnu")]
    // SAFETY: it may be called at any time; what is allocated stays.
    unsafe {
        malloc_trim(0);
    }
}
