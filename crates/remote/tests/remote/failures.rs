//! Servers that fail, and when a client asks for a sync.

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::UnixStream;
use std::path::Path;

use remote::{Answer, Remote};
use rrd::{Sample, Timestamp};
use store::{Error, Store, Update};

/// A server that answers every call with these bytes and closes the connection.
fn saying(words: &'static [u8]) -> Remote<UnixStream> {
    let (ours, theirs) = UnixStream::pair().unwrap();
    std::thread::spawn(move || {
        let mut call = String::new();
        BufReader::new(&theirs).read_line(&mut call).unwrap();
        (&theirs).write_all(words).unwrap();
    });
    Remote::over(ours, "S/socket")
}

#[test]
fn a_server_that_fails_in_the_middle_gives_one_clear_error() {
    let gone = "it went away before it answered";
    let odd = "expected an answer: ";
    let cases: [(&[u8], &str); 10] = [
        (b"", gone),
        (b"0 5", gone),
        (b"0 5 answer\nabc", gone),
        (b"0 18446744073709551615 answer\nabc", gone),
        (b"0 1 progress\n\x01", gone),
        (b"-1 Permission denied.\n", "Permission denied."),
        (b"1 line follows\n", "expected an answer, found \"1 line follows\""),
        (b"0 x answer\n", "expected an answer, found \"0 x answer\""),
        (b"0 1 answer\n\xff", odd),
        (b"0 2 answer\n\x07\x01", "expected an answer: it is that to another call"),
    ];
    for (words, expected) in cases {
        let remote = saying(words);
        let text = format!("S/socket: the server of this store: {expected}");
        for _ in 0..2 {
            let error = remote.outline(Path::new("a")).unwrap_err();
            assert!(matches!(error, Error::Gone { .. }), "{error:?}");
            assert!(error.to_string().starts_with(&text), "{error}");
            assert_eq!(error.in_rrdtools_words(), error.to_string());
        }
        let samples = [Sample { time: Timestamp::default(), readings: &[] }];
        let batch = [Update::of("a", &samples), Update::of("b", &samples)];
        let told = remote.update(&batch);
        assert!(told.iter().all(|(_, refused)| refused.error.to_string().starts_with(&text)));
        assert_eq!(told.len(), 2);
        assert!(
            !remote.has(Path::new("a")) && remote.images(&["a".into()], &mut |_, _| {}).is_err()
        );
    }
}

#[test]
fn a_server_that_goes_between_two_calls_is_told() {
    let (ours, theirs) = UnixStream::pair().unwrap();
    drop(theirs);
    let error = Remote::over(ours, "S").names("").unwrap_err();
    let words = "S: the server of this store: it went away before it answered";
    assert_eq!(error.to_string(), words);
}

#[test]
fn a_sync_is_asked_for_unless_the_server_did_it() {
    // An update that is answered once as durable and once not, and whether the client then asks for
    // a sync.
    for (what, is_asked) in [("answer", true), ("durable", false)] {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let server = std::thread::spawn(move || {
            let mut asked = Vec::new();
            let (mut theirs, mut line) = (BufReader::new(theirs), String::new());
            while theirs.read_line(&mut line).unwrap() > 0 {
                let [_, kind, size] = *line.split_whitespace().collect::<Vec<_>>() else {
                    panic!()
                };
                asked.push(kind.to_owned());
                let mut bytes = vec![0; size.parse().unwrap()];
                std::io::Read::read_exact(&mut theirs, &mut bytes).unwrap();
                let is_update = kind == "UPDATE";
                let answer = if is_update { Answer::Refused(Vec::new()) } else { Answer::Done };
                let answer = answer.encode();
                let told = format!("0 {} {what}\n", answer.len());
                theirs.get_mut().write_all(&[told.as_bytes(), &answer].concat()).unwrap();
                line.clear();
            }
            asked
        });
        let remote = Remote::over(ours, "S");
        remote.sync().unwrap();
        assert!(remote.update(&[Update::numbered("a", &["1:2"])]).is_empty());
        remote.sync().unwrap();
        remote.sync().unwrap();
        drop(remote);
        let asked = server.join().unwrap();
        assert_eq!(asked, ["UPDATE", "FLUSH"][..1 + usize::from(is_asked)]);
    }
}
