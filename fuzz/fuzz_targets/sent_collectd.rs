//! collectd's packets: any bytes give samples or an error that names a byte of the packet, and
//! nothing unsigned is taken where a signature is required.
#![no_main]

use libfuzzer_sys::fuzz_target;
use senders::collectd::{Level, Security, Types, read};

#[path = "../named.rs"]
mod named;

const TYPES: &str = "load shortterm:GAUGE:0:U,midterm:GAUGE:0:U,longterm:GAUGE:0:U";

fuzz_target!(|bytes: &[u8]| {
    let types = Types::of_text(TYPES).unwrap();
    let security = Security::of_text(Level::None, "alice: rosebud\nbob: swordfish").unwrap();
    for security in [Security::default(), security] {
        let mut samples = 0;
        let done = read(bytes, &security, &types, &mut |sent| {
            samples += 1;
            named::check(sent);
        });
        match done {
            Ok(count) => assert_eq!(count, samples),
            Err(error) => {
                assert_eq!(error.samples, samples);
                assert!(error.offset_bytes <= bytes.len(), "{error}");
            }
        }
    }
    let strict = Security::of_text(Level::Sign, "user: that no seed has").unwrap();
    let _ = read(bytes, &strict, &types, &mut |sent| panic!("{sent:?}"));
    if let Ok(text) = str::from_utf8(bytes) {
        let _ = Types::of_text(text);
        let _ = Security::of_text(Level::None, text);
    }
});
