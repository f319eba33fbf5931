//! Lists of pointers that grow: `rrd_add_ptr` and its kin, which answer 1, or 0 where there is no
//! memory.

use std::ffi::{c_char, c_int, c_void};
use std::ptr::null_mut;

/// Appends `item` to a list with room for `capacity`, which grows by `chunk`.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_add_ptr_chunk(
    list: *mut *mut *mut c_void,
    count: *mut usize,
    item: *mut c_void,
    capacity: *mut usize,
    chunk: usize,
) -> c_int {
    if list.is_null() || count.is_null() || capacity.is_null() {
        return 0;
    }
    // SAFETY: the caller hands a list from malloc (or null) with its count and capacity.
    unsafe {
        if *count >= *capacity {
            // A chunk of 0 would leave no room for what is written next.
            let room = *count + chunk.max(1);
            let grown = libc::realloc((*list).cast(), room * size_of::<*mut c_void>());
            if grown.is_null() {
                return 0;
            }
            *list = grown.cast();
            *capacity = room;
        }
        *(*list).add(*count) = item;
        *count += 1;
    }
    1
}

/// Appends `item` to a list that is always just large enough.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_add_ptr(
    list: *mut *mut *mut c_void,
    count: *mut usize,
    item: *mut c_void,
) -> c_int {
    if count.is_null() {
        return 0;
    }
    // SAFETY: the caller hands a list with its count, which is its capacity too.
    unsafe {
        let mut capacity = *count;
        rrd_add_ptr_chunk(list, count, item, &raw mut capacity, 1)
    }
}

/// As `rrd_add_ptr_chunk`, with a copy of a text.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_add_strdup_chunk(
    list: *mut *mut *mut c_char,
    count: *mut usize,
    item: *const c_char,
    capacity: *mut usize,
    chunk: usize,
) -> c_int {
    if item.is_null() {
        return 0;
    }
    // SAFETY: the caller hands a text, and a list as above; a copy that finds no place is given
    // back.
    unsafe {
        let copy = libc::strdup(item);
        if copy.is_null() {
            return 0;
        }
        let added = rrd_add_ptr_chunk(list.cast(), count, copy.cast(), capacity, chunk);
        if added == 0 {
            libc::free(copy.cast());
        }
        added
    }
}

/// As `rrd_add_ptr`, with a copy of a text.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_add_strdup(
    list: *mut *mut *mut c_char,
    count: *mut usize,
    item: *const c_char,
) -> c_int {
    if count.is_null() {
        return 0;
    }
    // SAFETY: as for `rrd_add_ptr`.
    unsafe {
        let mut capacity = *count;
        rrd_add_strdup_chunk(list, count, item, &raw mut capacity, 1)
    }
}

/// Gives back a list and all that its pointers lead to.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_free_ptrs(list: *mut *mut *mut c_void, count: *mut usize) {
    if list.is_null() || count.is_null() {
        return;
    }
    // SAFETY: the caller hands a list from malloc whose pointers are from malloc.
    unsafe {
        if (*list).is_null() {
            return;
        }
        for nth in 0..*count {
            libc::free(*(*list).add(nth));
        }
        libc::free((*list).cast());
        (*list, *count) = (null_mut(), 0);
    }
}
