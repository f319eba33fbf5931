//! An open file behind the `rrd_file_t` that a program holds.

use std::fs::File;
use std::os::fd::AsRawFd as _;

use super::format::{Rrd, RrdFile, SimpleFile};
use super::map::Map;

/// An open file. The program sees its beginning.
#[repr(C)]
pub(super) struct Opened {
    shown: RrdFile,
    simple: SimpleFile,
    pub(super) map: Map,
    /// Not there for a database of a ring store.
    pub(super) file: Option<File>,
}

impl Opened {
    /// Hands an open file to the program, which gives it back by `rrd_close`.
    pub(super) fn hand_over(
        map: Map,
        file: Option<File>,
        header_bytes: usize,
        rrd: *mut Rrd,
    ) -> *mut RrdFile {
        let simple = SimpleFile {
            fd: file.as_ref().map_or(-1, |file| file.as_raw_fd()),
            file_start: map.at(0).cast(),
            mm_prot: map.protection,
            mm_flags: map.flags,
        };
        let shown = RrdFile {
            header_len: header_bytes,
            file_len: map.len(),
            pos: header_bytes,
            pvt: std::ptr::null_mut(),
            rrd,
        };
        let opened = Box::into_raw(Box::new(Self { shown, simple, map, file }));
        // SAFETY: it is new, and nothing else knows it yet.
        unsafe { (*opened).shown.pvt = &raw mut (*opened).simple };
        opened.cast()
    }

    /// The file behind what a program holds; `None` for null.
    ///
    /// # Safety
    /// `file` is null, or came from [`Opened::hand_over`] and was not closed since; no other thread
    /// uses it meanwhile.
    pub(super) unsafe fn of<'a>(file: *mut RrdFile) -> Option<&'a mut Self> {
        // SAFETY: as the caller promises: an `Opened` begins where its `shown` does.
        unsafe { file.cast::<Self>().as_mut() }
    }

    /// Takes it back from the program; it is closed when dropped.
    ///
    /// # Safety
    /// As for [`Opened::of`]; the program does not use it any more.
    pub(super) unsafe fn take_back(file: *mut RrdFile) -> Option<Box<Self>> {
        // SAFETY: it came from a box, and is given back once.
        (!file.is_null()).then(|| unsafe { Box::from_raw(file.cast()) })
    }

    pub(super) fn position(&self) -> usize {
        self.shown.pos
    }

    pub(super) fn set_position(&mut self, position: usize) {
        self.shown.pos = position;
    }
}
