//! A server of a store for one client, on a socket.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex};

use remote::Remote;
use remote::{Answer, Call, Kind, serve};
use store::Store;

/// A store behind a connection. A thread serves it until the client closes the connection.
pub(crate) fn remote(store: Arc<dyn Store>) -> Remote<UnixStream> {
    recorded(store, Arc::default())
}

/// The same; all encoded calls are added to `calls`.
pub(crate) fn recorded(
    store: Arc<dyn Store>,
    calls: Arc<Mutex<Vec<Vec<u8>>>>,
) -> Remote<UnixStream> {
    let (ours, theirs) = UnixStream::pair().unwrap();
    std::thread::spawn(move || serve_all(&*store, theirs, &calls));
    Remote::over(ours, "socket")
}

/// Answers every call.
fn serve_all(store: &dyn Store, stream: UnixStream, calls: &Mutex<Vec<Vec<u8>>>) {
    let mut out = stream.try_clone().unwrap();
    let mut stream = BufReader::new(stream);
    let mut line = String::new();
    while stream.read_line(&mut line).unwrap() > 0 {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let ["CALL", kind, size] = words[..] else { panic!("expected a call, found {line:?}") };
        let mut bytes = vec![0; size.parse().unwrap()];
        stream.read_exact(&mut bytes).unwrap();
        let call = Call::decode(&bytes).unwrap();
        assert_eq!(Kind::find(kind.as_bytes()), Some(call.kind()));
        assert!(bytes.len() <= call.kind().size_bytes_max());
        let mut progress = |done, total| tell(&mut out, "progress", &Answer::Progress(done, total));
        let answer = serve(store, &call, &|| true, &mut progress);
        calls.lock().unwrap().push(bytes.clone());
        tell(&mut out, "answer", &answer);
        line.clear();
    }
}

fn tell(out: &mut UnixStream, what: &str, answer: &Answer<'_>) {
    let bytes = answer.encode();
    // Sending fails if the client is gone; then no one waits for the answer.
    let _ = out.write_all(&[format!("0 {} {what}\n", bytes.len()).as_bytes(), &bytes].concat());
}
