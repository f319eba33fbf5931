//! Databases as JSON: names, definitions, rows, changes.
#![allow(clippy::disallowed_methods)] // the test makes directories

use std::sync::Arc;

use access::{Current, Grant, Proof, Role, Scope, Token, Tokens};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Method, Request, StatusCode};
use files::RrdFiles;
use futures_util::StreamExt as _;
use lookup::Rules;
use serde_json::{Value, json};
use server::{DataContext, Gate, Hosts, data_router};
use store::{Led, Rooted};
use tempfile::TempDir;
use tower::ServiceExt as _;

const NOW_SECONDS: i64 = 1_700_003_600;

struct Api {
    router: Router,
    token: Option<String>,
    directory: TempDir,
}

struct Answer {
    status: StatusCode,
    body: Value,
}

impl Api {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        std::fs::create_dir(directory.path().join("r1")).unwrap();
        let store = Rooted::new(Arc::new(RrdFiles::below(directory.path())));
        let mut context = DataContext::new(store, Rules::default(), Box::new(|_| Vec::new()));
        (context.takes_changes, context.now) = (true, || NOW_SECONDS);
        let router = data_router(context, Hosts::of_this_machine());
        Self { router, token: None, directory }
    }

    /// The same behind a gate, asked with a token.
    fn behind_a_gate(self, role: Role, prefixes: &[&str]) -> Self {
        let token = Token::of([7; access::TOKEN_BYTES]);
        let scope = Scope::of(prefixes.iter().map(|&prefix| prefix.to_owned()).collect());
        let grant =
            Grant { name: "one".to_owned(), role, scope, proof: Proof::Token(token.hash()) };
        let tokens = Tokens::parse(format!("{grant}\n").as_bytes()).unwrap();
        let router = Gate::new(Current::new(tokens)).around(self.router);
        Self { router, token: Some(token.reveal().to_owned()), ..self }
    }

    async fn ask(&self, method: Method, path: &str, body: &Value) -> Answer {
        let mut request = Request::builder().method(method).uri(path).header("host", "localhost");
        if let Some(token) = &self.token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        let request = request.header("content-type", "application/json");
        let request = request.body(Body::from(body.to_string())).unwrap();
        let answer = self.router.clone().oneshot(request).await.unwrap();
        let status = answer.status();
        let bytes = to_bytes(answer.into_body(), 1 << 24).await.unwrap();
        Answer { status, body: serde_json::from_slice(&bytes).unwrap_or(Value::Null) }
    }

    async fn get(&self, path: &str) -> Answer {
        self.ask(Method::GET, path, &Value::Null).await
    }

    async fn make(&self, name: &str) -> Answer {
        let wished = json!({
            "step": 300,
            "start_seconds": 1_700_000_000 - 1_700_000_000 % 300,
            "sources": ["DS:in:COUNTER:600:0:U", "DS:load:GAUGE:600:U:U"],
            "archives": ["RRA:AVERAGE:0.5:1:20", "RRA:MAX:0.5:6:20"],
        });
        self.ask(Method::PUT, &format!("/api/databases/{name}"), &wished).await
    }

    async fn fill(&self, name: &str) -> Answer {
        let start = 1_700_000_000 - 1_700_000_000 % 300;
        let samples: Vec<_> =
            (1..=4).map(|nth| json!([start + nth * 300, nth * 3000, nth])).collect();
        let body = json!({ "updates": [{ "database": name, "samples": samples }] });
        self.ask(Method::POST, "/api/samples", &body).await
    }
}

#[tokio::test]
async fn a_database_is_made_updated_read_and_deleted() {
    let api = Api::new();
    let made = api.make("r1%2Fa.rrd").await;
    assert_eq!(made.status, StatusCode::CREATED, "{}", made.body);
    assert_eq!(made.body["sources"][0]["type"], "COUNTER");
    let filled = api.fill("r1/a.rrd").await;
    assert_eq!((filled.status, filled.body["taken"].as_u64()), (StatusCode::OK, Some(4)));
    assert_eq!(api.get("/api/databases?q=r*/*").await.body["databases"], json!(["r1/a.rrd"]));
    let about = api.get("/api/databases/r1%2Fa.rrd").await.body;
    assert_eq!(about["step_seconds"], 300);
    assert_eq!(about["archives"][1]["row_seconds"], 1800);
    let rows = api.get("/api/databases/r1%2Fa.rrd/rows?start=1699999800&end=1700001000").await;
    assert_eq!(rows.status, StatusCode::OK, "{}", rows.body);
    assert_eq!(rows.body["sources"], json!(["in", "load"]));
    assert_eq!(rows.body["archive"]["position"], 0);
    let known: Vec<_> = rows.body["rows"].as_array().unwrap().iter().take(4).collect();
    assert_eq!(*known[1], json!([1_700_000_400, 10.0, 2.0]), "{known:?}");
    let last = api.get("/api/databases/r1%2Fa.rrd/last").await.body;
    assert_eq!(last["values"], json!({ "in": 10.0, "load": 4.0 }));
    let top = api.get("/api/top?series=load&by=max&start=1699999800").await;
    assert_eq!(top.body["series"][0]["value"], 4.0, "{}", top.body);
    let gone = api.ask(Method::DELETE, "/api/databases/r1%2Fa.rrd", &Value::Null).await;
    assert_eq!(gone.status, StatusCode::NO_CONTENT);
    assert_eq!(api.get("/api/databases/r1%2Fa.rrd").await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn what_is_wrong_is_named() {
    let api = Api::new();
    api.make("a.rrd").await;
    let expect = async |path: &str, status: StatusCode, words: &str| {
        let answer = api.get(path).await;
        let error = answer.body["error"].as_str().unwrap_or_default();
        assert_eq!(answer.status, status, "{path}: {error}");
        assert!(error.contains(words), "{path}: {error}");
    };
    let bad = StatusCode::BAD_REQUEST;
    expect("/api/databases/..%2Fx.rrd", bad, "without `..`").await;
    expect("/api/databases/%2Fetc%2Fpasswd", bad, "relative").await;
    expect("/api/databases/b.rrd/rows", StatusCode::NOT_FOUND, "No such file").await;
    expect("/api/databases/a.rrd/rows?cf=MEAN", bad, "found MEAN").await;
    expect("/api/databases/a.rrd/rows?start=someday", bad, "start").await;
    expect("/api/databases/a.rrd/rows?start=1700000200&end=1700000100", bad, "before the end")
        .await;
    expect("/api/databases/a.rrd/rows?stop=1", bad, "stop").await;
    expect("/api/databases?limit=many", bad, "limit").await;
    expect("/api/top", bad, "series").await;
    let again = api.make("a.rrd").await;
    assert_eq!(again.status, StatusCode::CONFLICT, "{}", again.body);
    let wrong = json!({ "sources": ["DS:in:METER:1:U:U"], "archives": ["RRA:LAST:0:1:1"] });
    let answer = api.ask(Method::PUT, "/api/databases/w.rrd", &wrong).await;
    assert_eq!(answer.status, bad, "{}", answer.body);
    let old = json!({ "updates": [{ "database": "a.rrd", "samples": [[1, 2, 3]] }] });
    let answer = api.ask(Method::POST, "/api/samples", &old).await;
    assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(
        (&answer.body["taken"], &answer.body["refused"][0]["sample"]),
        (&json!(0), &json!(0))
    );
}

#[tokio::test]
async fn a_token_limits_names_and_changes() {
    let api = Api::new();
    for name in ["r1%2Fa.rrd", "b.rrd"] {
        api.make(name).await;
    }
    let api = api.behind_a_gate(Role::Write, &["r1/"]);
    assert_eq!(api.get("/api/databases").await.body["databases"], json!(["r1/a.rrd"]));
    assert_eq!(api.get("/api/databases/b.rrd").await.status, StatusCode::NOT_FOUND);
    assert_eq!(api.fill("b.rrd").await.status, StatusCode::NOT_FOUND);
    assert_eq!(api.fill("r1/a.rrd").await.status, StatusCode::OK);
    assert_eq!(api.make("c.rrd").await.status, StatusCode::NOT_FOUND);
    let deleted = api.ask(Method::DELETE, "/api/databases/r1%2Fa.rrd", &Value::Null).await;
    assert_eq!(deleted.status, StatusCode::FORBIDDEN);
    let top = api.get("/api/top?series=load&start=1699999800").await.body;
    assert_eq!(top["series"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_link_leads_no_client_out_of_its_names() {
    let mut api = Api::new();
    for name in ["r1%2Fa.rrd", "b.rrd"] {
        api.make(name).await;
    }
    api.fill("b.rrd").await;
    let root = api.directory.path().to_owned();
    std::os::unix::fs::symlink("../b.rrd", root.join("r1/link.rrd")).unwrap();
    std::os::unix::fs::symlink("a.rrd", root.join("r1/own.rrd")).unwrap();
    let below = root.clone();
    let store = Rooted::new(Arc::new(RrdFiles::below(&root))).leading(Arc::new(move |name| {
        let real = below.join(name).canonicalize().ok()?;
        let name = real.strip_prefix(&below).ok()?.to_str()?.to_owned();
        Some(Led { path: name.clone().into(), name: Some(name) })
    }));
    let mut context = DataContext::new(store, Rules::default(), Box::new(|_| Vec::new()));
    context.takes_changes = true;
    api.router = data_router(context, Hosts::of_this_machine());
    let api = api.behind_a_gate(Role::Admin, &["r1/"]);
    let listed = api.get("/api/databases").await.body;
    assert_eq!(listed["databases"], json!(["r1/a.rrd", "r1/own.rrd"]));
    assert_eq!(api.get("/api/databases/r1%2Fown.rrd").await.status, StatusCode::OK);
    for path in ["", "/rows", "/last"] {
        let answer = api.get(&format!("/api/databases/r1%2Flink.rrd{path}")).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{path}");
    }
    assert_eq!(api.fill("r1/link.rrd").await.status, StatusCode::NOT_FOUND);
    let deleted = api.ask(Method::DELETE, "/api/databases/r1%2Flink.rrd", &Value::Null).await;
    assert_eq!(deleted.status, StatusCode::NOT_FOUND);
    let series = api.get("/api/v1/series?match[]=load").await.body;
    assert_eq!(series["data"].as_array().unwrap().len(), 2, "{series}");
}

#[tokio::test]
async fn names_that_are_not_seen_hide_no_others() {
    let api = Api::new();
    for name in ["a.rrd", "b.rrd", "c.rrd", "r1%2Fa.rrd", "r1%2Fb.rrd", "r1%2Fc.rrd"] {
        api.make(name).await;
    }
    let api = api.behind_a_gate(Role::Read, &["r1/"]);
    let first = api.get("/api/databases?limit=2").await.body;
    assert_eq!(first, json!({ "databases": ["r1/a.rrd", "r1/b.rrd"], "next": "r1/c.rrd" }));
    let second = api.get("/api/databases?limit=2&from=r1/c.rrd").await.body;
    assert_eq!(second, json!({ "databases": ["r1/c.rrd"], "next": null }));
}

#[tokio::test]
async fn who_may_read_may_ask_by_post() {
    let api = Api::new();
    api.make("a.rrd").await;
    let api = api.behind_a_gate(Role::Read, &[]);
    let post = async |path: &str| api.ask(Method::POST, path, &Value::Null).await;
    assert_eq!(post("/api/v1/query?query=1%2B1").await.body["data"]["result"][1], "2");
    let names = post("/api/v1/label/__name__/values").await;
    assert_eq!(names.status, StatusCode::METHOD_NOT_ALLOWED);
    assert_eq!(post("/render?target=a.load&format=json").await.status, StatusCode::OK);
    assert_eq!(post("/metrics/find?query=*").await.body[0]["id"], "a");
    assert_eq!(api.fill("a.rrd").await.status, StatusCode::FORBIDDEN);
    assert_eq!(api.make("b.rrd").await.status, StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn final_rows_are_told_as_they_come() {
    let api = Api::new();
    for name in ["r1%2Fa.rrd", "b.rrd"] {
        api.make(name).await;
    }
    let request = Request::get("/api/events?q=r1/*").header("host", "localhost");
    let request = request.body(Body::empty()).unwrap();
    let answer = api.router.clone().oneshot(request).await.unwrap();
    assert_eq!(answer.headers()["content-type"], "text/event-stream");
    let mut events = answer.into_body().into_data_stream();
    api.fill("b.rrd").await;
    api.fill("r1/a.rrd").await;
    let mut next = async || {
        let event = events.next().await.unwrap().unwrap();
        let event = String::from_utf8(event.to_vec()).unwrap();
        let data = event.strip_prefix("event: row\ndata: ").unwrap_or_else(|| panic!("{event}"));
        serde_json::from_str::<Value>(data).unwrap()
    };
    let newest = next().await;
    assert_eq!((&newest["database"], &newest["cf"]), (&json!("r1/a.rrd"), &json!("AVERAGE")));
    assert_eq!(newest["row"], json!([1_700_001_000, 10.0, 4.0]));
    let later = json!([[1_700_001_300, 15_000, 5], [1_700_001_600, 18_000, 6]]);
    let body = json!({ "updates": [{ "database": "r1/a.rrd", "samples": later }] });
    api.ask(Method::POST, "/api/samples", &body).await;
    assert_eq!(next().await["row"], json!([1_700_001_300, 10.0, 5.0]));
    assert_eq!(next().await["row"], json!([1_700_001_600, 10.0, 6.0]));
}
