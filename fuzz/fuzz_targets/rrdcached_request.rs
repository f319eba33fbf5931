//! A client's requests: lines and words; and the form of the replies.
//!
//! Words are never longer than their line, and a refusal is one line, whatever text it quotes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rrdcached::server::{Request, Spoken, Words, answer, split_line};

fuzz_target!(|bytes: &[u8]| {
    let mut bytes = bytes.to_vec();
    let mut rest = &mut bytes[..];
    while let Some((line, tail)) = split_line(rest) {
        rest = tail;
        let mut copy = line.to_vec();
        let words: Vec<&[u8]> = Words::of(&mut copy).collect();
        let size_bytes: usize = words.iter().map(|word| word.len() + 1).sum();
        assert!(size_bytes <= line.len() + 1, "words come from the line");
        answer_to(line);
    }
});

fn answer_to(line: &mut [u8]) {
    let mut out = Vec::new();
    match Spoken::read(line).map(Request::read) {
        Err(name) => answer::error(&mut out, &[b"Unknown command: ", name].concat()),
        Ok(Err(wrong)) => answer::error(&mut out, wrong.to_string().as_bytes()),
        Ok(Ok(Request::Update { path, values })) => {
            answer::error(&mut out, values.last().unwrap_or(path));
        }
        Ok(Ok(Request::Fetch(fetch))) => {
            let why = fetch.times(1_000_000_000).err().map(|error| error.to_string());
            answer::error(&mut out, why.unwrap_or_default().as_bytes());
        }
        Ok(Ok(Request::Help(topic))) => return answer::help(&mut out, topic),
        Ok(Ok(_)) => return,
    }
    assert_eq!(out.iter().filter(|byte| **byte == b'\n').count(), 1);
}
