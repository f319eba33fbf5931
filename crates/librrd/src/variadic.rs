//! The exported names of the functions in variadic.c.
//!
//! rustc exports what Rust defines and hides what comes from C, so each name is a jump to the C
//! function: the arguments stay where the caller put them.

use std::arch::naked_asm;

unsafe extern "C" {
    fn gyre_librrd_set_error();
    fn gyre_librrd_snprintf();
}

macro_rules! jump {
    ($target:path) => {
        #[cfg(target_arch = "x86_64")]
        naked_asm!("jmp {}", sym $target);
        #[cfg(target_arch = "aarch64")]
        naked_asm!("b {}", sym $target);
    };
}

/// `void rrd_set_error(char *format, ...)`.
// SAFETY: it has no frame; registers, stack and return address are those of a call of the C
// function.
#[unsafe(naked)]
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_set_error() {
    jump!(gyre_librrd_set_error);
}

/// `int rrd_snprintf(char *buffer, size_t size, const char *format, ...)`.
// SAFETY: as above.
#[unsafe(naked)]
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_snprintf() {
    jump!(gyre_librrd_snprintf);
}
