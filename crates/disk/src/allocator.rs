//! What the allocator does with memory that is given back to it.
#![allow(unsafe_code)] // the C library's settings have no safe form

/// Larger allocations are mappings of their own, which end when they are freed.
#[cfg(target_env = "gnu")]
const MAPPED_BYTES_MIN: i32 = 256 << 10;
/// So much free memory at the end of a heap stays with the process.
#[cfg(target_env = "gnu")]
const FREE_BYTES_MAX: i32 = 512 << 10;

#[cfg(target_env = "gnu")]
unsafe extern "C" {
    fn mallopt(setting: i32, value: i32) -> i32;
    fn malloc_trim(kept_bytes: usize) -> i32;
}

/// Has this process give memory back to the kernel soon after it is freed. To be called once, by a
/// program that runs for long and needs much memory for a moment.
///
/// The GNU C library raises both limits by itself, up to 32 and 64 MiB, each time that a program
/// frees a larger allocation. What a ring store reads at its opening is freed soon after, and with
/// limits as high as that most of it would stay with the process for its whole life.
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

/// Gives the kernel back what is free between allocations, whole pages of it. Where threads that
/// ended have left many such gaps nobody else fills them: each thread allocates from a heap of its
/// own. It goes through all that is free, which takes some milliseconds for each 100 MiB.
pub fn give_freed_memory_back() {
    #[cfg(target_env = "gnu")]
    // SAFETY: it may be called at any time; what is allocated stays.
    unsafe {
        malloc_trim(0);
    }
}
