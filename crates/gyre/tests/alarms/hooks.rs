//! A server that keeps what is posted to it.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::Value;

const PATIENCE: Duration = Duration::from_secs(40);

/// What was posted once.
#[derive(Clone, Debug)]
pub(super) struct Post {
    pub(super) path: String,
    /// The lines of its head, in lower case up to the colon.
    pub(super) head: Vec<String>,
    pub(super) body: Value,
}

/// The most alerts of a post to `/small`.
const SMALL_ALERTS_MAX: usize = 2;

/// All posts so far. Those to `/refused` are refused, and those to `/small` that are not small.
#[derive(Clone)]
pub(super) struct Hooks {
    posts: Arc<Mutex<Vec<Post>>>,
    address: SocketAddr,
}

impl Hooks {
    pub(super) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let hooks = Self { posts: Arc::default(), address: listener.local_addr().unwrap() };
        let kept = hooks.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let kept = kept.clone();
                std::thread::spawn(move || kept.talk(&stream));
            }
        });
        hooks
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Waits for a post to that path whose body is as wanted, and returns the first.
    pub(super) fn wait_for(&self, path: &str, is_wanted: impl Fn(&Value) -> bool) -> Post {
        let until = Instant::now() + PATIENCE;
        loop {
            let posts = self.posts.lock().unwrap().clone();
            if let Some(post) = posts.iter().find(|it| it.path == path && is_wanted(&it.body)) {
                return post.clone();
            }
            assert!(Instant::now() < until, "{path} got no such post, but: {posts:#?}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Waits until posts that were taken at `/small` have told of so many targets.
    pub(super) fn wait_for_small(&self, targets: usize) {
        let until = Instant::now() + PATIENCE;
        let told = || -> BTreeSet<String> {
            let posts = self.posts.lock().unwrap().clone();
            let alerts = posts.iter().filter(|post| post.path == "/small").filter_map(|post| {
                post.body["alerts"].as_array().filter(|all| all.len() <= SMALL_ALERTS_MAX).cloned()
            });
            alerts.flatten().map(|alert| alert["labels"]["target"].to_string()).collect()
        };
        while told().len() < targets {
            assert!(Instant::now() < until, "{:?} are told", told());
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// How many posts came to a path.
    pub(super) fn count(&self, path: &str) -> usize {
        self.posts.lock().unwrap().iter().filter(|post| post.path == path).count()
    }

    /// Takes posts of one connection.
    fn talk(&self, stream: &TcpStream) -> Option<()> {
        let mut out = stream;
        let mut reader = BufReader::new(stream);
        loop {
            let mut head = Vec::new();
            loop {
                let mut line = String::new();
                reader.read_line(&mut line).ok().filter(|length| *length > 0)?;
                match line.trim_end().split_once(": ") {
                    Some((name, value)) => {
                        head.push(format!("{}: {value}", name.to_ascii_lowercase()));
                    }
                    None if line.trim_end().is_empty() => break,
                    None => head.push(line.trim_end().to_owned()),
                }
            }
            let path = head[0].strip_prefix("POST ")?.split(' ').next()?.to_owned();
            let length = |line: &String| line.strip_prefix("content-length: ")?.parse().ok();
            let mut body = vec![0; head.iter().find_map(length)?];
            reader.read_exact(&mut body).ok()?;
            let body: Value = serde_json::from_slice(&body).unwrap();
            let count = body["alerts"].as_array().map_or(0, Vec::len);
            let answer = match &*path {
                "/small" if count > SMALL_ALERTS_MAX => {
                    "HTTP/1.1 413 Payload Too Large\r\nContent-Length: 3\r\n\r\nbig"
                }
                "/refused" => "HTTP/1.1 400 Bad Request\r\nContent-Length: 9\r\n\r\nnot today",
                _ => "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
            };
            self.posts.lock().unwrap().push(Post { path, head, body });
            out.write_all(answer.as_bytes()).ok()?;
        }
    }
}
