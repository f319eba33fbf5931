//! `rrd_update` and its kin.

use std::ffi::{c_char, c_int};

use rrdtool::Failure;
use rrdtool::order::{self, Order};
use rrdtool::updatev;
use store::Locking;

use crate::entry::status;
use crate::info_list::{Info, InfoList};
use crate::session;
use crate::words::{self, CommandLine, Words};

/// The flag of `rrd_updatex_r` for passing over samples that are not after the last update.
const SKIP_PAST_UPDATES: c_int = 1;
const LOCKING_SHIFT: c_int = 7;

/// Takes samples: the words of `rrdtool update`.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_update(argc: c_int, argv: *const *const c_char) -> c_int {
    // SAFETY: the caller hands `argc` words.
    let line = unsafe { CommandLine::read(argc, argv) };
    status(|| session::perform("update", &line))
}

/// Takes samples and tells which rows became final: the words of `rrdtool updatev`. The list begins
/// with `return_value`, which is -1 where a sample was refused; null where the words are wrong.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_update_v(argc: c_int, argv: *const *const c_char) -> *mut Info {
    // SAFETY: the caller hands `argc` words.
    let line = unsafe { CommandLine::read(argc, argv) };
    let mut list = InfoList::new();
    status(|| {
        session::on_line(&line, |session, words| {
            let (facts, taken) = updatev::facts(session, words);
            list.extend(&facts);
            taken
        })
    });
    list.into_raw()
}

/// Takes samples: `argv` are times and readings.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_update_r(
    file: *const c_char,
    template: *const c_char,
    argc: c_int,
    argv: *const *const c_char,
) -> c_int {
    // SAFETY: the caller hands what `rrd_updatex_r` asks for.
    unsafe { rrd_updatex_r(file, template, 0, argc, argv) }
}

/// As `rrd_update_r`, with flags.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_updatex_r(
    file: *const c_char,
    template: *const c_char,
    flags: c_int,
    argc: c_int,
    argv: *const *const c_char,
) -> c_int {
    // SAFETY: the caller hands `argc` words, a file's name, and a template or null.
    let order = || unsafe { order(file, template, flags, argc, argv) };
    status(|| {
        let order = order()?;
        session::with(|session| order.fulfil(session))
    })
}

/// As `rrd_update_r`; tells which rows became final behind `rows`, an element of the caller's,
/// unless it is null.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrd_update_v_r(
    file: *const c_char,
    template: *const c_char,
    argc: c_int,
    argv: *const *const c_char,
    rows: *mut Info,
) -> c_int {
    // SAFETY: the caller hands `argc` words, a file's name, and a template or null.
    let order = || unsafe { order(file, template, 0, argc, argv) };
    status(|| {
        let order = order()?;
        let (facts, taken) = session::with(|session| Ok(updatev::fulfil(session, &order)))?;
        if !rows.is_null() {
            // SAFETY: the caller hands the end of a list. The first fact is the return value, which
            // we return.
            unsafe { InfoList::behind(rows) }.extend(facts.get(1..).unwrap_or_default());
        }
        taken
    })
}

/// # Safety
/// `file` is a text, `template` a text or null, and `argv` holds `argc` texts; all stay during the
/// call.
unsafe fn order<'a>(
    file: *const c_char,
    template: *const c_char,
    flags: c_int,
    argc: c_int,
    argv: *const *const c_char,
) -> Result<Order<'a>, Failure> {
    // SAFETY: as the caller promises.
    let (file, template, samples) = unsafe {
        let file = words::required(file, "the file's name")?;
        (file, words::optional(template)?, Words::all(argc, argv).as_text()?)
    };
    if samples.is_empty() {
        return Err("Not enough arguments".into());
    }
    let skip_past = flags & SKIP_PAST_UPDATES != 0;
    Ok(Order { template, skip_past, locking: locking(flags), file, samples })
}

/// What the two bits say that rrdtool has for it since 1.9.
fn locking(flags: c_int) -> Locking {
    match flags >> LOCKING_SHIFT & 3 {
        1 => Locking::None,
        2 => Locking::Block,
        3 => Locking::Try,
        _ => order::usual_locking(),
    }
}
