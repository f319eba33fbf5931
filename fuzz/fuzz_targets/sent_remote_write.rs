//! Bodies of remote write. The first byte says whether the rest is packed first: few mutations of a
//! packed message can be unpacked.
#![no_main]

use libfuzzer_sys::fuzz_target;
use senders::remote_write::{WriteLimits, message, read};
use senders::{Series, database};

fuzz_target!(|bytes: &[u8]| {
    let Some((first, rest)) = bytes.split_first() else { return };
    let message = match first % 2 {
        0 => message(rest, 1 << 20),
        _ => Ok(rest.to_vec()),
    };
    let Ok(message) = message else { return };
    let limits = WriteLimits { bytes: 1 << 20, labels: 8, samples: 100 };
    let _ = read(&message, &limits, &mut |sent| {
        let Series::Labels(labels) = sent.series else { panic!("{sent:?}") };
        assert!(labels.len() <= 8);
        let identity = sent.series.identity();
        if let Ok(name) = database::name(&identity, sent.series.form()) {
            assert_eq!(database::identity(&name), Some(identity));
        }
    });
});
