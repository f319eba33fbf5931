//! Graphite's pickles: any frames give samples and a count of what is wrong.
#![no_main]

use libfuzzer_sys::fuzz_target;
use senders::pickle::{read, whole_frames};

#[path = "../named.rs"]
mod named;

fuzz_target!(|bytes: &[u8]| {
    frames(bytes);
    // The same as one frame, so that the fuzzer need not find its length.
    let mut frame = (bytes.len() as u32).to_be_bytes().to_vec();
    frame.extend(bytes);
    assert_eq!(whole_frames(&frame), Ok(frame.len()));
    frames(&frame);
});

fn frames(bytes: &[u8]) {
    let whole = whole_frames(bytes);
    let mut samples = 0;
    let done = read(bytes, &mut |sent| {
        samples += 1;
        named::check(sent);
    });
    assert_eq!(done.samples, samples);
    assert_eq!(done.first.is_some(), done.wrong > 0);
    if let Some(first) = done.first {
        assert!(first.offset_bytes <= bytes.len(), "{first}");
    }
    assert!(whole.is_ok_and(|end| end == bytes.len()) || done.wrong > 0);
}
