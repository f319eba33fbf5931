//! `rrd_init` and `rrd_free`: the `rrd_t` of a program.

use std::ffi::c_void;

use super::format::Rrd;

/// Has all fields lead nowhere.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_init(rrd: *mut Rrd) {
    if !rrd.is_null() {
        // SAFETY: the caller hands room for an rrd_t.
        unsafe { rrd.write(Rrd::EMPTY) };
    }
}

/// Gives back what an `rrd_t` holds beside an open file, which `rrd_close` gives back: what
/// `rrd_open` put there, or what the program itself took from malloc for one that it never opened.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_free(rrd: *mut Rrd) {
    if rrd.is_null() {
        return;
    }
    // SAFETY: the caller hands an rrd_t that was initialised.
    let it = unsafe { rrd.replace(Rrd::EMPTY) };
    for part in own_parts(&it) {
        // SAFETY: it came from malloc, or is null, and nobody uses it any more.
        unsafe { libc::free(part) };
    }
}

/// Parts that are no part of the map of a file: they lie in memory from malloc.
fn own_parts(rrd: &Rrd) -> impl Iterator<Item = *mut c_void> {
    let bytes = [rrd.stat_head, rrd.ds_def, rrd.rra_def, rrd.pdp_prep, rrd.cdp_prep, rrd.rra_ptr];
    let others = [rrd.live_head.cast(), rrd.rrd_value.cast()];
    let start = rrd.map_start as usize;
    let map = start..start.saturating_add_signed(rrd.map_bytes as isize);
    let parts = bytes.into_iter().map(<*mut u8>::cast).chain(others);
    parts.filter(move |part: &*mut c_void| !map.contains(&(*part as usize)))
}
