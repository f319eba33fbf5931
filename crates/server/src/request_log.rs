//! A line for each request: who asked for what, and how it was answered.
//!
//! ```text
//! {"time":"2026-01-31T12:00:00Z","client":"192.0.2.7","user":"grafana","method":"GET",
//!  "path":"/render","status":200,"seconds":0.0041}
//! ```
//!
//! What stands behind a question mark, bodies and headers are not in it: secrets stand there. A
//! thread of its own writes, so that a slow disk makes no client wait; lines that it cannot keep up
//! with are left out, and the next one says how many.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Instant;

use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::peer::Peer;

/// Lines that wait for the disk.
const WAITING_MAX: usize = 10_000;
/// The mode of a new file: paths name databases.
const MODE: u32 = 0o640;

/// A log of requests.
#[derive(Clone, Debug)]
pub struct RequestLog {
    messages: SyncSender<Message>,
    /// Whether the file is to be opened anew before the next line.
    is_moved: Arc<AtomicBool>,
    left_out: Arc<AtomicU64>,
}

enum Message {
    Line(Value),
    /// Nothing but to look whether the file was moved.
    Look,
}

/// Who was let in, as an extension of an answer.
#[derive(Clone, Debug)]
pub(crate) struct Asker(pub(crate) String);

impl RequestLog {
    /// Appends to a file; to standard output if its name is `-`.
    ///
    /// # Errors
    ///
    /// The file cannot be opened, or the system gives no thread.
    pub fn open(path: &Path) -> io::Result<Self> {
        let log = Log { path: path.to_owned(), file: opened(path)? };
        let (messages, received) = sync_channel(WAITING_MAX);
        let left_out = Arc::new(AtomicU64::new(0));
        let is_moved = Arc::new(AtomicBool::new(false));
        let (moved, counted) = (Arc::clone(&is_moved), Arc::clone(&left_out));
        let thread = std::thread::Builder::new().name("gyre-requests".to_owned());
        thread.spawn(move || log.run(&received, &moved, &counted))?;
        Ok(Self { messages, is_moved, left_out })
    }

    /// Opens the file anew, after another program moved it away.
    pub fn reopen(&self) {
        self.is_moved.store(true, Ordering::Release);
        let _ = self.messages.try_send(Message::Look); // if it is full, a line is looked at soon
    }

    /// All pages of a router, with a line for each request.
    #[must_use = "without the layer nothing is written"]
    pub fn around(self, router: Router) -> Router {
        router.layer(from_fn_with_state(self, note))
    }
}

async fn note(State(log): State<RequestLog>, request: Request, next: Next) -> Response {
    let begun = Instant::now();
    let client = request.extensions().get::<Peer>().map(|peer| peer.address.to_string());
    let (method, path) = (request.method().to_string(), request.uri().path().to_owned());
    let response = next.run(request).await;
    let user = response.extensions().get::<Asker>().map(|asker| asker.0.clone());
    let line = json!({
        "time": Timestamp::now().to_string(),
        "client": client,
        "user": user,
        "method": method,
        "path": path,
        "status": response.status().as_u16(),
        "seconds": begun.elapsed().as_secs_f64(),
    });
    if log.messages.try_send(Message::Line(line)).is_err() {
        log.left_out.fetch_add(1, Ordering::Relaxed);
    }
    response
}

/// The writer's side.
struct Log {
    path: PathBuf,
    /// `None` for standard output.
    file: Option<File>,
}

impl Log {
    fn run(mut self, messages: &Receiver<Message>, is_moved: &AtomicBool, left_out: &AtomicU64) {
        for message in messages {
            // The old file goes on if the new one cannot be opened.
            if is_moved.swap(false, Ordering::AcqRel)
                && let Ok(file) = opened(&self.path)
            {
                self.file = file;
            }
            match message {
                Message::Look => {}
                Message::Line(line) => {
                    let lost = left_out.swap(0, Ordering::Relaxed);
                    if lost > 0 {
                        self.write(&json!({ "left_out": lost }));
                    }
                    self.write(&line);
                }
            }
        }
    }

    /// A disk that is full loses lines, and no request.
    fn write(&mut self, line: &Value) {
        let line = format!("{line}\n");
        let _ = match &mut self.file {
            Some(file) => file.write_all(line.as_bytes()),
            None => io::stdout().write_all(line.as_bytes()),
        };
    }
}

fn opened(path: &Path) -> io::Result<Option<File>> {
    if path == Path::new("-") {
        return Ok(None);
    }
    OpenOptions::new().create(true).append(true).mode(MODE).open(path).map(Some)
}
