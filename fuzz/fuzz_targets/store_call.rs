//! A client's calls to a store: the bytes of a call, and everything that is decoded from them on
//! the way to the store.
#![no_main]

use libfuzzer_sys::fuzz_target;
use nothing::Nothing;
use remote::{Answer, Call, serve};

#[path = "../nothing.rs"]
mod nothing;

fuzz_target!(|bytes: &[u8]| {
    let Ok(call) = Call::decode(bytes) else { return };
    let again = call.encode();
    assert_eq!(Call::decode(&again).unwrap().encode(), again, "a value has one form");
    let answer = serve(&Nothing, &call, &|| true, &mut |_, _| {}).encode();
    Answer::decode(&answer).unwrap();
});
