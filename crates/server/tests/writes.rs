//! Samples that agents send over HTTP.
#![allow(clippy::disallowed_methods)] // the test makes directories

use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use access::{Current, Grant, Proof, Role, Scope, Token, Tokens};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Request, StatusCode};
use files::RrdFiles;
use intake::{Intake, Limits, Outcomes, Protocol, Tallies};
use server::{Arrivals, DataContext, Gate, Hosts, data_router};
use store::{Rooted, Store as _};
use tempfile::TempDir;
use tower::ServiceExt as _;

struct World {
    router: Router,
    tallies: Arc<Tallies>,
    headers: HeaderMap,
    directory: TempDir,
}

struct Answer {
    status: StatusCode,
    body: String,
}

fn seconds_ago(seconds: u64) -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    now.as_secs() - seconds
}

impl World {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let store = Rooted::new(Arc::new(RrdFiles::below(directory.path())));
        let (router, tallies) = routes(store, false);
        Self { router, tallies, headers: HeaderMap::new(), directory }
    }

    /// The same behind a gate, asked with a token in this scheme.
    fn behind_a_gate(role: Role, prefixes: &[&str], scheme: &str) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let token = Token::of([7; access::TOKEN_BYTES]);
        let scope = Scope::of(prefixes.iter().map(|&prefix| prefix.to_owned()).collect());
        let grant =
            Grant { name: "one".to_owned(), role, scope, proof: Proof::Token(token.hash()) };
        let tokens = Tokens::parse(format!("{grant}\n").as_bytes()).unwrap();
        let store = Rooted::new(Arc::new(RrdFiles::below(directory.path())));
        let (router, tallies) = routes(store, true);
        let router = Gate::new(Current::new(tokens)).around(router);
        let mut headers = HeaderMap::new();
        headers.insert("authorization", format!("{scheme} {}", token.reveal()).parse().unwrap());
        Self { router, tallies, headers, directory }
    }

    fn with(mut self, name: &'static str, value: &str) -> Self {
        self.headers.insert(name, value.parse().unwrap());
        self
    }

    async fn post(&self, path: &str, body: impl Into<Body>) -> Answer {
        let mut request = Request::post(path).header("host", "localhost");
        request.headers_mut().unwrap().extend(self.headers.clone());
        let request = request.body(body.into()).unwrap();
        let answer = self.router.clone().oneshot(request).await.unwrap();
        let status = answer.status();
        let bytes = to_bytes(answer.into_body(), 1 << 24).await.unwrap();
        Answer { status, body: String::from_utf8(bytes.to_vec()).unwrap() }
    }

    fn outcomes(&self) -> Outcomes {
        self.tallies.of(Protocol::Influx).outcomes()
    }

    fn last_update(&self, name: &str) -> i64 {
        let store = RrdFiles::below(self.directory.path());
        store.header(Path::new(name)).unwrap().live.last_update.seconds
    }
}

fn routes(store: Rooted, asks_who: bool) -> (Router, Arc<Tallies>) {
    let tallies = Arc::new(Tallies::default());
    let intake = Intake::new(store.clone(), intake::Rules::default(), Limits::default(), [1, 2]);
    let mut context = DataContext::new(store, lookup::Rules::default(), Box::new(|_| Vec::new()));
    context.arrivals = Some(Arrivals::new(Arc::new(intake), tallies.clone()));
    context.takes_changes = asks_who;
    (data_router(context, Hosts::of_this_machine()), tallies)
}

#[tokio::test]
async fn lines_of_influx_become_databases() {
    let world = World::new();
    let time = seconds_ago(60);
    let lines = format!("cpu,host=a idle=97.5,jobs=3i {time}\nload,host=a value=1 {time}\n");
    let answer = world.post("/write?db=x&precision=s", lines.clone()).await;
    assert_eq!((answer.status, answer.body.as_str()), (StatusCode::NO_CONTENT, ""));
    assert_eq!(world.outcomes(), Outcomes { taken: 3, made: 3, ..Outcomes::default() });
    for name in ["cpu_idle/host=a.rrd", "cpu_jobs/host=a.rrd", "load/host=a.rrd"] {
        assert_eq!(world.last_update(name), time as i64, "{name}");
    }
    // The same once more is late, and no error: a sender would send it for ever.
    let nanoseconds = format!("load,host=a value=1 {time}000000000\n");
    let answer = world.post("/api/v2/write?bucket=x&org=y", nanoseconds).await;
    assert_eq!(answer.status, StatusCode::NO_CONTENT);
    assert_eq!(world.outcomes().late, 1);
}

#[tokio::test]
async fn packed_lines_are_unpacked_within_bounds() {
    let pack = |bytes: &[u8]| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    };
    let world = World::new().with("content-encoding", "gzip");
    let answer = world.post("/api/v2/write", pack(b"load value=1\n")).await;
    assert_eq!(answer.status, StatusCode::NO_CONTENT, "{}", answer.body);
    let bomb = pack(&vec![b'\n'; (64 << 20) + 1]);
    let answer = world.post("/api/v2/write", bomb).await;
    assert_eq!(answer.status, StatusCode::PAYLOAD_TOO_LARGE, "{}", answer.body);
    let answer = world.post("/api/v2/write", "load value=1\n").await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST);
    let world = world.with("content-encoding", "br");
    let answer = world.post("/api/v2/write", "").await;
    assert_eq!(answer.status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
    assert!(answer.body.contains("expected gzip"), "{}", answer.body);
}

#[tokio::test]
async fn wrong_lines_are_told_and_the_others_taken() {
    let world = World::new();
    let lines = "a value=1\nb value=\nc value=2\n";
    let answer = world.post("/write", lines).await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST);
    let told: serde_json::Value = serde_json::from_str(&answer.body).unwrap();
    assert_eq!(
        told["error"],
        "partial write: 2 samples taken, 0 late; 1 cannot be read, the first: line 2, byte 9: \
         expected a number, true, false or a text in quotation marks"
    );
    let future = format!("d value=1 {}", seconds_ago(0) + 3600);
    let answer = world.post("/api/v2/write?precision=s", future).await;
    let told: serde_json::Value = serde_json::from_str(&answer.body).unwrap();
    assert_eq!(told["code"], "invalid");
    assert!(told["message"].as_str().unwrap().contains("1 samples of a time that"), "{told}");
    let answer = world.post("/write?precision=d", "a value=1").await;
    assert!(answer.body.contains("precision: expected ns"), "{}", answer.body);
    assert_eq!(world.tallies.of(Protocol::Influx).wrong(), 1);
}

#[tokio::test]
async fn damaged_messages_of_remote_write_are_refused() {
    let world = World::new();
    let answer = world.post("/api/v1/write", "no snappy").await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST);
    assert!(answer.body.contains("expected a block of Snappy"), "{}", answer.body);
    assert_eq!(world.tallies.of(Protocol::RemoteWrite).wrong(), 1);
    let kind = "application/x-protobuf;proto=io.prometheus.write.v2.Request";
    let answer = world.with("content-type", kind).post("/api/v1/write", "").await;
    assert_eq!(answer.status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
}

#[tokio::test]
async fn a_page_of_a_stranger_cannot_make_a_browser_write() {
    for (name, value) in
        [("origin", "http://evil.test"), ("referer", "http://a/"), ("sec-fetch-site", "none")]
    {
        let world = World::new().with(name, value);
        for path in ["/write", "/api/v2/write", "/api/v1/write"] {
            let answer = world.post(path, "a value=1\n").await;
            assert_eq!(answer.status, StatusCode::FORBIDDEN, "{name} {path}");
        }
        assert_eq!(world.outcomes(), Outcomes::default());
    }
    // Nor under the name of another host.
    let request = Request::post("/write").header("host", "evil.test").body(Body::from("a value=1"));
    let answer = World::new().router.oneshot(request.unwrap()).await.unwrap();
    assert_eq!(answer.status(), StatusCode::MISDIRECTED_REQUEST);
}

#[tokio::test]
async fn tokens_say_what_may_be_written() {
    for scheme in ["Bearer", "Token"] {
        let world = World::behind_a_gate(Role::Write, &["own/"], scheme);
        let answer = world.post("/write", "own.a value=1\nother value=2\n").await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST);
        assert!(answer.body.contains("1 samples of databases that this token"), "{}", answer.body);
        let wanted = Outcomes { taken: 1, made: 1, forbidden: 1, ..Outcomes::default() };
        assert_eq!(world.outcomes(), wanted);
    }
    let reader = World::behind_a_gate(Role::Read, &[], "Bearer");
    for path in ["/write", "/api/v2/write", "/api/v1/write"] {
        assert_eq!(reader.post(path, "a value=1\n").await.status, StatusCode::FORBIDDEN, "{path}");
    }
    // A browser sends what it keeps for `Basic` by itself.
    let world =
        World::behind_a_gate(Role::Write, &[], "Bearer").with("authorization", "Basic eDp5");
    let answer = world.post("/api/v1/write", "").await;
    assert_eq!(answer.status, StatusCode::UNAUTHORIZED);
}
