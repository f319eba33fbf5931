//! Words go through a line unharmed, and no reply makes the client panic.
//!
//! `GYRE_CASES` asks for more cases, `GYRE_SEED` is not needed: proptest prints what failed.
#![allow(clippy::disallowed_methods)] // the number of cases comes from the environment

use proptest::prelude::*;
use rrdcached::{Fact, Line, Reply, Statistics, Status, fetched};

fn cases() -> ProptestConfig {
    let cases = std::env::var("GYRE_CASES").ok().and_then(|text| text.parse().ok());
    ProptestConfig { cases: cases.unwrap_or(500), ..ProptestConfig::default() }
}

/// Takes a line apart as the daemon does: at blanks, with a backslash before what is no blank.
fn words_of(line: &[u8]) -> Vec<Vec<u8>> {
    let line = line.strip_suffix(b"\n").unwrap();
    let (mut words, mut bytes) = (vec![Vec::new()], line.iter());
    while let Some(byte) = bytes.next() {
        match byte {
            b' ' => words.push(Vec::new()),
            b'\\' => words.last_mut().unwrap().push(*bytes.next().unwrap()),
            other => words.last_mut().unwrap().push(*other),
        }
    }
    words
}

/// Everything that reads a reply.
fn read(bytes: &[u8]) {
    for read in [fetched::read_text, fetched::read_binary] {
        let mut input = bytes;
        if let Ok(status) = Status::read(&mut input)
            && let Ok(series) = read(&status, &mut input)
        {
            assert_eq!(series.values.len(), series.rows() * series.source_names.len());
        }
    }
    let mut input = bytes;
    let Ok(status) = Status::read(&mut input) else { return };
    let Ok(reply) = Reply::read(status, &mut input) else { return };
    let facts = reply.lines.iter().filter(|line| Fact::parse(line).is_ok()).count();
    assert!(facts <= reply.lines.len());
    drop(Statistics::parse(reply.lines.iter().map(String::as_str)));
}

fn fragment() -> impl Strategy<Value = Vec<u8>> {
    let known = prop::sample::select(vec![
        "7 Success\n",
        "FlushVersion: 1\n",
        "Start: 60\n",
        "End: 180\n",
        "Step: 60\n",
        "DSCount: 2\n",
        "DSCount: 1\n",
        "DSName: a b\n",
        "120: 1 2\n",
        " 180: -nan inf\n",
        "DSName-a: BinaryData 1 8 LITTLE\n",
        "DSName-b: BinaryData 1 8 BIG\n",
        "step 1 300\n",
        "ds[a].min 0 NaN\n",
        "TreeDepth: 4\n",
        "\n",
        "-1 no\n",
        "12345678",
        "99999999999999999999",
    ]);
    prop_oneof![
        8 => known.prop_map(|text: &str| text.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..12),
    ]
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn words_arrive_as_they_are(words in prop::collection::vec("[^\n\r\0]{1,40}", 1..20)) {
        let mut line = Line::new("update");
        for word in &words {
            line.push(word).unwrap();
        }
        let arrived = words_of(&line.into_bytes());
        let sent: Vec<Vec<u8>> =
            std::iter::once("update").chain(words.iter().map(String::as_str)).map(Into::into).collect();
        prop_assert_eq!(arrived, sent);
    }

    #[test]
    fn no_reply_makes_it_panic(fragments in prop::collection::vec(fragment(), 0..14)) {
        read(&fragments.concat());
    }
}
