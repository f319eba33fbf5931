//! Pickles that Python made; `golden/pickle/make.py` says how.

use proptest::prelude::*;
use senders::pickle::{FRAME_BYTES_MAX, Frames, read, whole_frames};
use senders::{Series, Value};

const ALL: [(&str, &[u8]); 12] = [
    ("python 3, protocol 0", include_bytes!("golden/pickle/python3-0.bin")),
    ("python 3, protocol 1", include_bytes!("golden/pickle/python3-1.bin")),
    ("python 3, protocol 2", include_bytes!("golden/pickle/python3-2.bin")),
    ("python 3, protocol 3", include_bytes!("golden/pickle/python3-3.bin")),
    ("python 3, protocol 4", include_bytes!("golden/pickle/python3-4.bin")),
    ("python 3, protocol 5", include_bytes!("golden/pickle/python3-5.bin")),
    ("python 2, protocol 0", include_bytes!("golden/pickle/python2-0.bin")),
    ("python 2, protocol 1", include_bytes!("golden/pickle/python2-1.bin")),
    ("python 2, protocol 2", include_bytes!("golden/pickle/python2-2.bin")),
    ("python 2 in C, protocol 0", include_bytes!("golden/pickle/c-python2-0.bin")),
    ("python 2 in C, protocol 1", include_bytes!("golden/pickle/c-python2-1.bin")),
    ("python 2 in C, protocol 2", include_bytes!("golden/pickle/c-python2-2.bin")),
];

fn shown(frames: &[u8]) -> (Vec<String>, Frames) {
    let mut all = Vec::new();
    let done = read(frames, &mut |sent| {
        let Series::Graphite(name) = sent.series else { panic!("{sent:?}") };
        let value = match sent.values[0].2 {
            Value::Text(text) => text.to_owned(),
            Value::Float(number) => format!("{number:?}"),
            Value::Unsigned(number) => number.to_string(),
            Value::Signed(number) => number.to_string(),
        };
        all.push(format!("{name} {value} {:?}", sent.time_micros));
    });
    (all, done)
}

fn framed(pickle: &[u8]) -> Vec<u8> {
    let mut frame = (pickle.len() as u32).to_be_bytes().to_vec();
    frame.extend(pickle);
    frame
}

#[test]
fn every_protocol_of_python_is_read() {
    for (name, frame) in ALL {
        assert_eq!(whole_frames(frame), Ok(frame.len()), "{name}");
        let (all, done) = shown(frame);
        assert_eq!(
            all,
            [
                "servers.web1.load 0.25 Some(1700000000000000)",
                "servers.web1.jobs;rack=a1 42 Some(1700000060000000)",
                "big 12345678901234 Some(1700000120500000)",
                "neg -70000 Some(1700000180000000)",
                "nan NaN Some(1700000240000000)",
                "same.a 5 Some(1700000300000000)",
                "same.b 5 Some(1700000300000000)",
                "quote'\\\u{e9}\u{20ac} 7.50 None",
                "most 18446744073709551615 Some(1700000360000000)",
            ],
            "{name}: {done:?}"
        );
        assert_eq!((done.samples, done.wrong), (9, 0), "{name}");
    }
}

#[test]
fn a_wrong_frame_or_point_does_not_keep_others_out() {
    let good = ALL[2].1;
    // os.system("x"), as the documentation of pickle warns of.
    let evil = framed(b"cos\nsystem\n(S'x'\ntR.");
    let frames = [&evil, good].concat();
    let (all, done) = shown(&frames);
    assert_eq!((all.len(), done.wrong), (9, 1));
    assert_eq!(
        done.first.unwrap().to_string(),
        "byte 4 of the pickles: expected an operation that builds lists, tuples, numbers or texts"
    );
    let half = framed(b"((S'a'\n(I1\nI2\ntt(S'b'\n(I1\nNttl.");
    let (all, done) = shown(&half);
    assert_eq!((all, done.wrong), (vec!["a 2 Some(1000000)".to_owned()], 1));
    let why = "byte 30 of the pickles: expected a number as value";
    assert_eq!(done.first.unwrap().to_string(), why);
}

#[test]
fn what_is_wrong_is_told() {
    let why = |pickle: &[u8]| {
        let first = shown(&framed(pickle)).1.first.expect("wrong");
        (first.offset_bytes - 4, first.expected)
    };
    assert_eq!(why(b""), (0, "an operation that ends within the pickle"));
    assert_eq!(why(b"."), (1, "a list of points"));
    assert_eq!(why(b"]I5\n"), (4, "an operation that ends within the pickle"));
    assert_eq!(why(b"I5"), (0, "a line's end"));
    assert_eq!(why(b"I5x\n"), (0, "a whole number of 128 bits"));
    assert_eq!(why(b"a"), (0, "an object on the stack"));
    assert_eq!(why(b"I1\nI2\na"), (6, "a list on the stack"));
    assert_eq!(why(b"e"), (0, "a mark on the stack"));
    assert_eq!(why(b"](a"), (2, "an object on the stack"));
    assert_eq!(why(b"h\x05"), (0, "a place in the memo that holds an object"));
    assert_eq!(why(b"]r\xff\xff\xff\x7f"), (1, "a place in the memo below the pickle's length"));
    assert_eq!(why(b"X\xff\xff\xff\xff"), (0, "an operation that ends within the pickle"));
    assert_eq!(why(b"U\x01\xff"), (0, "a text in UTF-8"));
    assert_eq!(why(b"]I5\na."), (1, "a pair of path and point"));
    assert_eq!(why(b"](I5\nI6\nta."), (2, "a text as path"));
    // A list that holds itself.
    assert_eq!(why(b"]q\x00h\x00a."), (0, "a pair of path and point"));
}

#[test]
fn frames_wait_for_their_end_and_are_bounded() {
    let two = [ALL[0].1, ALL[4].1].concat();
    for end in 0..two.len() {
        let whole = if end < ALL[0].1.len() { 0 } else { ALL[0].1.len() };
        assert_eq!(whole_frames(&two[..end]), Ok(whole));
    }
    let long = (FRAME_BYTES_MAX as u32 + 1).to_be_bytes();
    let wrong = whole_frames(&[ALL[0].1, &long].concat()).unwrap_err();
    assert_eq!(wrong.offset_bytes, ALL[0].1.len());
    assert_eq!(shown(&long).1.first.unwrap().expected, "a frame of at most 1,048,576 bytes");
    assert_eq!(shown(&[0, 0, 0, 9, b'.']).1.first.unwrap().expected, "a whole frame");
}

#[test]
fn truncated_and_changed_pickles_never_panic() {
    for (_, frame) in ALL {
        for end in 4..frame.len() {
            let done = shown(&framed(&frame[4..end])).1;
            assert_eq!((done.samples, done.wrong), (0, 1));
        }
        for at in 4..frame.len() {
            for other in [0, b'(', b'.', b'h', b't', 0x86, 0x94, 0xff] {
                let mut changed = frame.to_vec();
                changed[at] = other;
                shown(&changed);
            }
        }
    }
}

proptest! {
    #[test]
    fn no_operations_make_it_panic(
        pickle in prop::collection::vec(prop::sample::select(
            b"().]laetpqrghjIFLJKMGSUVTXN012\n'5\x00\x01\x80\x85\x86\x87\x8a\x8c\x94\x95".to_vec()
        ), 0..60),
    ) {
        shown(&framed(&pickle));
    }
}
