//! The allocator of the whole program is jemalloc.
//!
//! A million targets are small objects of many sizes, made by threads that end. The allocator of the
//! GNU C library keeps a heap for each thread and leaves gaps in all of them: a sixth of a run's
//! memory. `docs/bench/README.md` has the figures of both, and of others.

use tikv_jemallocator::Jemalloc;

#[global_allocator]
static ALLOCATOR: Jemalloc = Jemalloc;

/// Has a thread of the allocator's return freed memory to the kernel, ten seconds after it was freed.
/// A program that runs for long calls this once: otherwise only threads that allocate return memory,
/// and what a thread that has ended or waits had freed stays with the process.
pub(crate) fn return_freed_memory() {
    // Without that thread the program works as well, only in more memory.
    let _ = tikv_jemalloc_ctl::background_thread::write(true);
}
