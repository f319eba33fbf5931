//! `rrd_info` and `rrd_info_r`.

use std::ffi::{c_char, c_int};
use std::ptr::null_mut;

use rrdtool::Failure;
use rrdtool::{Fact, info};

use crate::entry::call;
use crate::info_list::{Info, InfoList};
use crate::session;
use crate::words::{self, CommandLine};

/// Definition and live state: the words of `rrdtool info`. Null on failure.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_info(argc: c_int, argv: *const *const c_char) -> *mut Info {
    // SAFETY: the caller hands `argc` words.
    let line = unsafe { CommandLine::read(argc, argv) };
    list(|| session::on_line(&line, info::facts))
}

/// The same of a file.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_info_r(file: *const c_char) -> *mut Info {
    list(|| {
        // SAFETY: the caller hands a file's name.
        let file = unsafe { words::required(file, "the file's name") }?;
        session::with(|session| info::of(session, file))
    })
}

/// Facts as a list of the caller's; null on failure.
pub(crate) fn list(facts: impl FnOnce() -> Result<Vec<Fact>, Failure>) -> *mut Info {
    call(null_mut(), || {
        let mut list = InfoList::new();
        list.extend(&facts()?);
        Ok(list.into_raw())
    })
}
