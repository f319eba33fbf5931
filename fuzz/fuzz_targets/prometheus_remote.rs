//! Bodies of remote read. The first byte says whether the rest is packed first:
//! few mutations of a packed message can be unpacked.
#![no_main]

use libfuzzer_sys::fuzz_target;
use promql::remote_read;
use series::{Described, Matcher, Selected, Source, Unanswered, Window};

/// No series; conditions are read all the same.
struct None;

impl Source for None {
    fn select(&self, _: &[Matcher], window: &Window) -> Result<Vec<Selected>, Unanswered> {
        assert!(window.step_micros >= 0);
        Ok(Vec::new())
    }

    fn describe(&self, _: &[Matcher]) -> Result<Vec<Described>, Unanswered> {
        Ok(Vec::new())
    }

    fn label_names(&self, _: &[Matcher]) -> Result<Vec<String>, Unanswered> {
        Ok(Vec::new())
    }

    fn label_values(&self, _: &str, _: &[Matcher]) -> Result<Vec<String>, Unanswered> {
        Ok(Vec::new())
    }
}

fuzz_target!(|bytes: &[u8]| {
    let Some((first, rest)) = bytes.split_first() else { return };
    let body = match first % 2 {
        0 => rest.to_vec(),
        _ => snap::raw::Encoder::new().compress_vec(rest).expect("it is small"),
    };
    let _ = remote_read::answer(&None, &body, 1_000, &|| true);
});
