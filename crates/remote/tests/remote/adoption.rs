//! What a client wants a store to take over.

use std::path::Path;

use ring::file::{Foreign, Patch, adoptee};
use rrd::Timestamp;
use store::{Adoptee, Store};

use crate::START_SECONDS;
use crate::both::Both;
use crate::chance::empty_file;

#[test]
fn what_cannot_become_a_file_is_not_adopted() {
    let both = Both::new();
    let sources = ["DS:a:GAUGE:20:U:U", "RRA:MAX:0:3:7"].into_iter();
    let definition = rrd::spec::definition(10, sources).unwrap();
    let file = empty_file(&definition, Timestamp::from_seconds(START_SECONDS));
    let remote = both.remote.adopts().unwrap();
    let mut good = adoptee("a", &file, 7).unwrap();
    let mut trailing = Foreign::decode(good.foreign.as_ref().unwrap()).unwrap();
    trailing.patches.push(Patch { offset_bytes: 9, bytes: vec![1, 2, 3] });
    trailing.trailing = b"end".into();
    good.foreign = Some(trailing.encode());
    remote.adopt(std::slice::from_ref(&good), &|| true).unwrap();
    let before = both.remote.image(Path::new("a")).unwrap();
    assert!(before.ends_with(b"end"));
    let foreign = good.foreign.clone().unwrap();
    let mut refused = 0;
    for at in 0..foreign.len() {
        for byte in [0, 1, 0x7f, 0x80, 0xff] {
            let mut odd = foreign.clone();
            odd[at] = byte;
            let odd = Adoptee { foreign: Some(odd), ..good.clone() };
            let done = remote.adopt(&[odd], &|| true);
            let image = both.remote.image(Path::new("a")).expect("it can become a file");
            both.remote.header(Path::new("a")).expect("it has a head");
            refused += usize::from(done.is_err());
            if done.is_err() {
                assert_eq!(image, before, "byte {at} is {byte}");
            } else {
                remote.adopt(std::slice::from_ref(&good), &|| true).unwrap();
            }
        }
    }
    assert!(refused > 10, "{refused} refused");
    // Databases of two layouts, and an empty list.
    let other = rrd::spec::definition(10, ["DS:a:GAUGE:20:U:U", "RRA:MAX:0:3:9"]);
    let other = empty_file(&other.unwrap(), Timestamp::from_seconds(START_SECONDS));
    let other = adoptee("b", &other, 7).unwrap();
    remote.adopt(&[good, other], &|| true).unwrap_err();
    remote.adopt(&[], &|| true).unwrap_err();
    assert!(!both.remote.has(Path::new("b")));
}
