//! `rrdc_*`: talking to rrdcached over the one connection of the process.
//!
//! Without a connection these calls fail and set no error, as librrd's do.

use std::ffi::{c_char, c_int, c_ulong};
use std::ptr::null_mut;

use libc::time_t;
use rrd::spec::Units;
use rrdcached::{Client, Creation, Error, FactValue, shared};
use rrdtool::Fact;
use rrdtool::Failure;

use crate::entry::call;
use crate::fetch::SeriesPlaces;
use crate::info_list::{Info, InfoList};
use crate::memory;
use crate::words::{self, Words};

/// Asks the daemon. `unconnected` is the answer where we are connected to none.
fn ask<T: Copy>(
    unconnected: T,
    failed: T,
    request: impl FnOnce(&mut Client) -> Result<T, Error>,
) -> T {
    call(failed, || match shared().ask(request) {
        Err(Error::NotConnected) => Ok(unconnected),
        answered => Ok(answered?),
    })
}

/// The same with a text that must be there.
///
/// # Safety
/// `text` is a text or null.
unsafe fn ask_about<T: Copy>(
    text: *const c_char,
    [unconnected, failed]: [T; 2],
    request: impl FnOnce(&mut Client, &str) -> Result<T, Error>,
) -> T {
    // SAFETY: as the caller promises.
    match unsafe { words::required(text, "the file's name") } {
        Ok(text) => ask(unconnected, failed, |client| request(client, text)),
        Err(failure) => call(failed, || Err(failure)),
    }
}

/// Connects, unless we are already. A null address is that of the environment; without one this
/// succeeds, and connects to nobody. What fails gives the system's error number, or -1.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrdc_connect(address: *const c_char) -> c_int {
    let mut code = -1;
    call(None, || {
        // SAFETY: the caller hands an address or null.
        let address = unsafe { words::optional(address) }?;
        let connected = shared().connect(address);
        connected.map(Some).map_err(|error| {
            if let Error::Connect(reason) = &error {
                code = reason.raw_os_error().unwrap_or(-1);
            }
            error.into()
        })
    })
    .map_or(code, |_| 0)
}

/// Whether we are connected to this daemon; null means to one that the environment names.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrdc_is_connected(address: *const c_char) -> c_int {
    call(0, || {
        // SAFETY: the caller hands an address or null.
        let address = unsafe { words::optional(address) }?;
        Ok(c_int::from(shared().is_connected(address)))
    })
}

/// Whether we are connected to anybody.
#[unsafe(no_mangle)]
extern "C" fn rrdc_is_any_connected() -> c_int {
    call(0, || Ok(c_int::from(shared().is_any_connected())))
}

/// Ends the connection.
#[unsafe(no_mangle)]
extern "C" fn rrdc_disconnect() -> c_int {
    call(-1, || {
        shared().disconnect();
        Ok(0)
    })
}

/// Whether the daemon answers.
#[unsafe(no_mangle)]
extern "C" fn rrdc_ping() -> c_int {
    ask(0, 0, |client| client.ping().map(|()| 1))
}

/// Hands samples over.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrdc_update(
    file: *const c_char,
    count: c_int,
    samples: *const *const c_char,
) -> c_int {
    // SAFETY: the caller hands `count` samples and a file's name.
    unsafe {
        match Words::all(count, samples).as_text() {
            Ok(samples) => {
                ask_about(file, [-1; 2], |client, file| client.update(file, &samples).map(|()| 0))
            }
            Err(failure) => call(-1, || Err(failure)),
        }
    }
}

/// Has the pending updates of a file written.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrdc_flush(file: *const c_char) -> c_int {
    // SAFETY: the caller hands a file's name.
    unsafe { ask_about(file, [-1; 2], |client, file| client.flush(file).map(|()| 0)) }
}

/// The same if there is a daemon: at `address`, or one that the environment names.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrdc_flush_if_daemon(address: *const c_char, file: *const c_char) -> c_int {
    call(-1, || {
        // SAFETY: the caller hands an address or null, and a file's name.
        let (address, file) =
            unsafe { (words::optional(address)?, words::required(file, "the file's name")?) };
        code_if_daemon(shared().flush_if_daemon(address, file))
    })
}

/// Has all pending updates written.
#[unsafe(no_mangle)]
extern "C" fn rrdc_flushall() -> c_int {
    ask(-1, -1, |client| client.flush_all().map(|()| 0))
}

/// The same if there is a daemon.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrdc_flushall_if_daemon(address: *const c_char) -> c_int {
    call(-1, || {
        // SAFETY: the caller hands an address or null.
        let address = unsafe { words::optional(address) }?;
        code_if_daemon(shared().through(address, Client::flush_all).map(drop))
    })
}

/// Who is not there has nothing to write: that is told, but no failure.
fn code_if_daemon(asked: Result<(), Error>) -> Result<c_int, Failure> {
    match asked {
        Err(error) if error.is_unconnected() => {
            crate::context::set_error(&error.to_string());
            Ok(0)
        }
        asked => Ok(asked.map(|()| 0)?),
    }
}

/// Has the pending updates of a file dropped.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrdc_forget(file: *const c_char) -> c_int {
    // SAFETY: the caller hands a file's name.
    unsafe { ask_about(file, [-1; 2], |client, file| client.forget(file).map(|()| 0)) }
}

/// When the oldest row of an archive ends.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrdc_first(file: *const c_char, archive_index: c_int) -> time_t {
    let index = usize::try_from(archive_index).unwrap_or(usize::MAX);
    // SAFETY: the caller hands a file's name.
    unsafe { ask_about(file, [-1; 2], |client, file| client.first(file, index)) }
}

/// When the last update was.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrdc_last(file: *const c_char) -> time_t {
    // SAFETY: the caller hands a file's name.
    unsafe { ask_about(file, [-1; 2], Client::last) }
}

/// Definition and live state; null on failure.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrdc_info(file: *const c_char) -> *mut Info {
    // SAFETY: the caller hands a file's name.
    unsafe {
        ask_about(file, [null_mut(); 2], |client, file| {
            let facts: Vec<Fact> = client.info(file)?.into_iter().filter_map(to_fact).collect();
            let mut list = InfoList::new();
            list.extend(&facts);
            Ok(list.into_raw())
        })
    }
}

/// A daemon sends no bytes of a blob, only how many: there is nothing to hand on.
fn to_fact(fact: rrdcached::Fact) -> Option<Fact> {
    let rrdcached::Fact { key, value } = fact;
    Some(match value {
        FactValue::Number(value) => Fact::value(key, value),
        FactValue::Count(count) => Fact::count(key, count),
        FactValue::Text(text) => Fact::text(key, text),
        FactValue::Integer(number) => Fact::integer(key, i32::try_from(number).ok()?),
        FactValue::Blob(_) => return None,
    })
}

/// What a directory holds, one a line; null on failure.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrdc_list(recursive: c_int, directory: *const c_char) -> *mut c_char {
    // SAFETY: the caller hands a directory's name.
    unsafe {
        ask_about(directory, [null_mut(); 2], |client, directory| {
            let names = client.list(directory, recursive != 0)?;
            let lines: String = names.iter().map(|name| format!("{name}\n")).collect();
            Ok(memory::text(lines.as_bytes()))
        })
    }
}

/// Makes a file: `argv` are its data sources and archives.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrdc_create(
    file: *const c_char,
    step_seconds: c_ulong,
    last_update: time_t,
    no_overwrite: c_int,
    argc: c_int,
    argv: *const *const c_char,
) -> c_int {
    let (none, no_sources) = (std::ptr::null(), std::ptr::null());
    // SAFETY: the caller hands what `rrdc_create_r2` asks for.
    unsafe {
        rrdc_create_r2(file, step_seconds, last_update, no_overwrite, no_sources, none, argc, argv)
    }
}

/// The same, filled from other files.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrdc_create_r2(
    file: *const c_char,
    step_seconds: c_ulong,
    last_update: time_t,
    no_overwrite: c_int,
    sources: *const *const c_char,
    template: *const c_char,
    argc: c_int,
    argv: *const *const c_char,
) -> c_int {
    call(-1, || {
        // SAFETY: the caller hands `argc` words, sources up to a null, and a template or null.
        let (definition, sources, template) = unsafe {
            let sources = Words::up_to_null(sources).as_text()?;
            (Words::all(argc, argv).as_text()?, sources, words::optional(template)?)
        };
        let creation = Creation {
            units: (step_seconds > 0).then(|| Units::of_seconds(step_seconds)),
            start_seconds: (last_update > 0).then_some(last_update),
            no_overwrite: no_overwrite != 0,
            sources: &sources,
            template,
            definition: &definition,
        };
        // SAFETY: the caller hands a file's name.
        Ok(unsafe {
            ask_about(file, [-1; 2], |client, file| client.create(file, &creation).map(|()| 0))
        })
    })
}

/// The rows of a stretch of time. The step is the daemon's choice.
#[unsafe(no_mangle)]
unsafe extern "C" fn rrdc_fetch(
    file: *const c_char,
    cf: *const c_char,
    start: *mut time_t,
    end: *mut time_t,
    step: *mut c_ulong,
    column_count: *mut c_ulong,
    column_names: *mut *mut *mut c_char,
    values: *mut *mut f64,
) -> c_int {
    call(-1, || {
        // SAFETY: the caller hands two texts, and has set what it wishes for.
        let (cf, start_seconds, end_seconds) =
            unsafe { (words::required(cf, "the consolidation function")?, *start, *end) };
        let fetch = |client: &mut Client, file: &str| {
            let series = client.fetch(file, cf, start_seconds, end_seconds)?;
            let places = SeriesPlaces { start, end, step, column_count, column_names, values };
            // SAFETY: the caller hands places for all that it asks for.
            unsafe { places.fill("rrdc_fetch", &series) }.expect("the protocol has whole seconds");
            Ok(0)
        };
        // SAFETY: the caller hands a file's name.
        Ok(unsafe { ask_about(file, [libc::EINVAL, -1], fetch) })
    })
}
