//! Bytes that are no call or no answer.

use std::sync::Arc;

use disk::Random;
use remote::{Answer, Call, serve};
use ring::{RingOptions, RingStore};
use store::Store;

use crate::both::{Both, with_a};
use crate::chance::Chance;
use crate::{START_SECONDS, served};

/// The encoded calls of random operations.
fn recorded(seed: u64) -> Vec<Vec<u8>> {
    let calls = Arc::new(std::sync::Mutex::new(Vec::new()));
    let mut both = Both::new();
    both.remote = served::recorded(both.behind.clone(), calls.clone());
    let mut chance = Chance { random: Random::new(seed), now_seconds: START_SECONDS };
    (0..60).for_each(|_| chance.step(&both));
    drop(both);
    std::mem::take(&mut *calls.lock().unwrap())
}

#[test]
fn what_is_no_call_is_refused_and_what_is_one_does_no_harm() {
    let mut random = Random::new(7);
    let both = with_a();
    let (mut read, mut refused) = (0, 0);
    for call in recorded(3) {
        let decoded = Call::decode(&call).unwrap();
        assert_eq!(decoded.encode(), call, "one value has one form");
        for _ in 0..20 {
            let mut bytes = call.clone();
            match random.below(3) {
                0 => bytes.truncate(random.below(bytes.len() as u64) as usize),
                1 => bytes.push(0),
                _ => {
                    let at = random.below(bytes.len().min(40) as u64) as usize;
                    bytes[at] = random.below(256) as u8;
                }
            }
            let Ok(call) = Call::decode(&bytes) else {
                refused += 1;
                continue;
            };
            read += 1;
            let answer = serve(&both.direct, &call, &|| true, &mut |_, _| {}).encode();
            Answer::decode(&answer).unwrap();
            let mut torn = answer.clone();
            let at = random.below(torn.len() as u64) as usize;
            torn[at] ^= 1 << random.below(8);
            let _ = Answer::decode(&torn);
            assert!(Answer::decode(&answer[..at]).is_err());
        }
    }
    assert!(read > 100 && refused > 100, "{read} {refused}");
    // Everything that was acknowledged can be read after a restart.
    let root = both.direct.root().to_path_buf();
    let names = both.direct.names("").unwrap();
    drop(both.direct);
    let again = RingStore::open(&root, RingOptions::default()).unwrap();
    assert_eq!(again.names("").unwrap(), names);
    assert!(again.engine().verify(|_, _| {}).unwrap().damage.is_empty());
}
