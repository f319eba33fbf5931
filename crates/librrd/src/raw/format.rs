//! The structs of `rrd.h` and `rrd_format.h` that cross the border. What they point to are bytes of
//! a file: `rrdfile::layout` says where each part stands.

use std::ffi::{c_char, c_int, c_long, c_uint, c_void};
use std::ptr::null_mut;

use libc::time_t;

/// `rrd_t`: a pointer to each part of a file's header. The fields stand in C's order.
#[repr(C)]
pub(crate) struct Rrd {
    pub(super) stat_head: *mut u8,
    pub(super) ds_def: *mut u8,
    pub(super) rra_def: *mut u8,
    pub(super) live_head: *mut LiveHead,
    pub(super) legacy_last_up: *mut time_t,
    pub(super) pdp_prep: *mut u8,
    pub(super) cdp_prep: *mut u8,
    pub(super) rra_ptr: *mut u8,
    pub(super) rrd_value: *mut f64,
    /// The library's own: the map that the pointers lead into, or null.
    pub(super) map_start: *mut c_void,
    pub(super) map_bytes: c_long,
}

impl Rrd {
    /// One that leads nowhere.
    pub(super) const EMPTY: Self = Self {
        stat_head: null_mut(),
        ds_def: null_mut(),
        rra_def: null_mut(),
        live_head: null_mut(),
        legacy_last_up: null_mut(),
        pdp_prep: null_mut(),
        cdp_prep: null_mut(),
        rra_ptr: null_mut(),
        rrd_value: null_mut(),
        map_start: null_mut(),
        map_bytes: 0,
    };
}

/// `live_head_t`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct LiveHead {
    pub(super) last_up: time_t,
    pub(super) last_up_usec: c_long,
}

/// `rrd_file_t`: an open file.
#[repr(C)]
pub(crate) struct RrdFile {
    pub(super) header_len: usize,
    pub(super) file_len: usize,
    pub(super) pos: usize,
    pub(super) pvt: *mut SimpleFile,
    pub(super) rrd: *mut Rrd,
}

/// `rrd_simple_file_t`, which `pvt` points to: what programs know of it is the descriptor.
#[repr(C)]
pub(super) struct SimpleFile {
    pub(super) fd: c_int,
    pub(super) file_start: *mut c_char,
    pub(super) mm_prot: c_int,
    pub(super) mm_flags: c_int,
}

const _: () = assert!(size_of::<Rrd>() == 88);
const _: () = assert!(size_of::<LiveHead>() == 16);
const _: () = assert!(size_of::<RrdFile>() == 40);

/// What `rrd_open` is asked for.
#[derive(Clone, Copy)]
pub(super) struct Flags(pub(super) c_uint);

impl Flags {
    /// A file is opened for reading if this is asked for, whatever else is.
    pub(super) fn reads_alone(self) -> bool {
        self.0 & 1 != 0
    }

    pub(super) fn writes(self) -> bool {
        self.0 & 2 != 0 && !self.reads_alone()
    }

    pub(super) fn creates(self) -> bool {
        self.0 & 4 != 0
    }

    /// A new file must not be there already.
    pub(super) fn is_exclusive(self) -> bool {
        self.0 & 32 != 0
    }

    /// `rrd_value` is wanted too.
    pub(super) fn wants_values(self) -> bool {
        self.0 & 64 != 0
    }
}
