//! Grafana's data sources: a running daemon is sent each request that their source sends, and its
//! answer is read as their code reads it. No Grafana runs here: what is said of it stands in
//! grafana/grafana, in the file and at the commit that a test names.
//!
//! And the dashboard of packaging/grafana: each of its queries finds series.
#![allow(clippy::disallowed_methods)] // it starts daemons, is their client, and needs the time

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use crate::rrdcached_web::Daemon;

const STEPS: i64 = 100;
const STEP_SECONDS: i64 = 60;
const PATIENCE: Duration = Duration::from_secs(30);
const RULES: &str = r#"
[[series]]
database = "{device}/{target}.rrd"
path = "net.{device}.{target}"
"#;

/// A daemon with four databases, as MRTG calls them.
struct Place {
    daemon: Daemon,
    now_seconds: i64,
    _room: tempfile::TempDir,
}

/// What came back.
struct Answer {
    status: u16,
    body: Value,
}

impl Place {
    fn new() -> Self {
        Self::with_rules(RULES)
    }

    fn with_rules(text: &str) -> Self {
        let room = tempfile::tempdir().unwrap();
        let root = room.path().canonicalize().unwrap();
        let rules = root.join("rules.toml");
        fs::write(&rules, text).unwrap();
        let directories = ["r1", "r2"].map(|device| root.join("base").join(device));
        directories.iter().for_each(|directory| fs::create_dir_all(directory).unwrap());
        let daemon = Daemon::start(&root, &["--series", rules.to_str().unwrap()]);
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
        let now_seconds = since.as_secs() as i64 / STEP_SECONDS * STEP_SECONDS;
        let start = now_seconds - STEPS * STEP_SECONDS;
        for (nth, name) in ["r1/r1_1", "r1/r1_2", "r2/r2_1", "r2/r2_2"].iter().enumerate() {
            let archives = "RRA:AVERAGE:0.5:1:500 RRA:MAX:0.5:5:100";
            let sources = format!("DS:ds0:GAUGE:600:U:U DS:ds1:GAUGE:600:U:U {archives}");
            daemon.tell(&format!("CREATE {name}.rrd -b {start} -s {STEP_SECONDS} {sources}"));
            let value = 100 * (nth as i64 + 1);
            let sample = |step| format!("{}:{value}:{}", start + step * STEP_SECONDS, 2 * value);
            let samples: Vec<String> = (1..=STEPS).map(sample).collect();
            daemon.tell(&format!("UPDATE {name}.rrd {}", samples.join(" ")));
        }
        Self { daemon, now_seconds, _room: room }
    }

    /// Sends what Go's client sends for Grafana's backend.
    fn send(&self, method: &str, path: &str, body: Option<&str>) -> Answer {
        let mut stream = TcpStream::connect(("127.0.0.1", self.daemon.port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut request = format!("{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n");
        request += "User-Agent: Grafana/12.0.0\r\nAccept-Encoding: gzip\r\nConnection: close\r\n";
        if let Some(body) = body {
            let kind = "application/x-www-form-urlencoded";
            request += &format!("Content-Type: {kind}\r\nContent-Length: {}\r\n", body.len());
        }
        write!(stream, "{request}\r\n{}", body.unwrap_or_default()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        assert!(!head.to_ascii_lowercase().contains("content-encoding"), "{head}");
        // JavaScript reads this default of functions as infinity; datasource.ts puts the same there.
        let body = body.replace("\"default\":1e9999", "\"default\":null");
        // Only errors of the server itself are no JSON.
        Answer { status, body: serde_json::from_str(&body).unwrap_or(Value::Null) }
    }

    fn get(&self, path: &str, words: &[(&str, &str)]) -> Value {
        let path = if words.is_empty() { path.into() } else { format!("{path}?{}", form(words)) };
        let Answer { status, body } = self.send("GET", &path, None);
        assert_eq!(status, 200, "{path}: {body}");
        body
    }

    fn post(&self, path: &str, words: &[(&str, &str)]) -> Value {
        let form = form(words);
        let Answer { status, body } = self.send("POST", path, Some(&form));
        assert_eq!(status, 200, "{path} {form}: {body}");
        body
    }

    fn times(&self) -> [String; 2] {
        [self.now_seconds - 3600, self.now_seconds].map(|seconds| seconds.to_string())
    }

    /// A panel's query in Graphite's language; graphite/query.go sends it so.
    fn render(&self, target: &str, points_max: usize) -> Vec<Value> {
        let ([from, until], points_max) = (self.times(), points_max.to_string());
        let words = [
            ("format", "json"),
            ("from", from.as_str()),
            ("maxDataPoints", points_max.as_str()),
            ("target", target),
            ("until", until.as_str()),
        ];
        self.post("/render", &words).as_array().unwrap().clone()
    }

    /// A panel's query in PromQL; promlib/client/client.go sends it so.
    fn query_range(&self, query: &str) -> Vec<Value> {
        let [start, end] = self.times();
        let words = [("end", &*end), ("query", query), ("start", &*start), ("step", "60")];
        result(self.post("/api/v1/query_range", &words), "matrix")
    }

    fn query_instant(&self, query: &str) -> Vec<Value> {
        let words = [("query", query), ("time", &*self.times()[1])];
        result(self.post("/api/v1/query", &words), "vector")
    }

    fn label_values(&self, label: &str, matched: &str) -> Value {
        let [start, end] = self.times();
        let words = [("limit", "40000"), ("start", &*start), ("end", &*end), ("match[]", matched)];
        self.get(&format!("/api/v1/label/{label}/values"), &words)["data"].clone()
    }
}

/// The result of a query, as promlib/converter/prom.go reads it.
fn result(answer: Value, kind: &str) -> Vec<Value> {
    assert_eq!(
        (&answer["status"], &answer["data"]["resultType"]),
        (&json!("success"), &json!(kind))
    );
    answer["data"]["result"].as_array().unwrap().clone()
}

/// A form as Go writes it.
fn form(words: &[(&str, &str)]) -> String {
    let encoded = |text: &str| -> String {
        text.bytes()
            .map(|byte| match byte {
                b' ' => "+".to_owned(),
                _ if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) => {
                    char::from(byte).to_string()
                }
                _ => format!("%{byte:02X}"),
            })
            .collect()
    };
    let words = words.iter().map(|(name, value)| format!("{}={}", encoded(name), encoded(value)));
    words.collect::<Vec<_>>().join("&")
}

/// pkg/tsdb/graphite/healthcheck.go at 2168564f2e4e641b1544abb077a72f0a97eab749 and query.go there
/// at 07045fa0da0c57888bc004dc8d2cdbcff317d526: POST of a form to `/render`; each point is a number
/// or null, and a time that is a number; tags are texts.
#[test]
fn graphites_health_check_and_panels_are_answered() {
    let place = Place::new();
    let healthy = place.render("constantLine(100)", 100);
    assert!(!healthy.is_empty() && healthy[0]["datapoints"][0][0] == json!(100.0), "{healthy:?}");
    let panel = place.render("aliasByNode(net.*.*.ds0, 1, 2)", 20);
    assert_eq!(panel.len(), 4);
    for series in &panel {
        let points = series["datapoints"].as_array().unwrap();
        assert!((1..=20).contains(&points.len()), "{} points", points.len());
        let is_point = |point: &Value| {
            (point[0].is_number() || point[0].is_null()) && point[1].is_u64() && point[2].is_null()
        };
        assert!(points.iter().all(is_point), "{series}");
        assert!(points.iter().any(|point| point[0].is_number()), "{series}");
        assert!(series["tags"].as_object().unwrap().values().all(Value::is_string), "{series}");
    }
    assert_eq!(panel[3]["target"], "r2.r2_2");
    assert_eq!(place.render("scale(net.r1.r1_2.ds0, 8)", 100)[0]["datapoints"][5][0], 1600.0);
    // An error is a text that Grafana shows as it is.
    let wrong = place.send("POST", "/render", Some("format=json&target=nothing%28a.b%29"));
    assert_eq!(wrong.status, 400);
}

/// pkg/tsdb/graphite/resource_handler.go at 01bbb3457389d5fe92a363f2e157f4676d936321 (find by POST
/// of a form, expand and events by GET) and public/app/plugins/datasource/graphite/datasource.ts at
/// 46831bf7255dac69fc13e7e1333af82a37691998 (`text` and `expandable`, `results`, lists of texts of
/// `/tags/autoComplete`, `/version`, `/functions`; annotations).
#[test]
fn graphites_editor_variables_and_annotations_are_answered() {
    let place = Place::new();
    let [from, until] = place.times();
    let nodes = place.post("/metrics/find", &[("query", "net.*")]);
    let facts = |node: &Value| (node["text"].clone(), node["expandable"].clone());
    let nodes: Vec<_> = nodes.as_array().unwrap().iter().map(facts).collect();
    assert_eq!(nodes, [(json!("r1"), json!(1)), (json!("r2"), json!(1))]);
    // The browser's own request puts the query into the form as it is.
    let path = format!("/metrics/find?from={from}&until={until}");
    let leaves = place.send("POST", &path, Some("query=net.r1.r1_1.*")).body;
    assert_eq!((&leaves[0]["text"], &leaves[1]["expandable"]), (&json!("ds0"), &json!(0)));
    let words = [("from", &*from), ("query", "net.*.*"), ("until", &*until)];
    let expanded = place.get("/metrics/expand", &words);
    assert_eq!(expanded["results"].as_array().unwrap().len(), 4, "{expanded}");

    let words = [("expr", "name=ds0"), ("limit", "10000"), ("from", &*from), ("until", &*until)];
    let tags = place.get("/tags/autoComplete/tags", &words);
    assert_eq!(tags, json!(["database", "device", "target"]));
    let words = [("expr", "name=ds0"), ("tag", "target"), ("valuePrefix", "r1"), ("from", &*from)];
    let values = place.get("/tags/autoComplete/values", &words);
    assert_eq!(values, json!(["r1_1", "r1_2"]));

    assert_eq!(place.send("GET", "/version", None).status, 200);
    let functions = place.get("/functions", &[]);
    for (name, function) in functions.as_object().unwrap() {
        // gfunc.ts, parseFuncDefs: what it takes of a function.
        let is_text =
            ["description", "function", "group"].iter().all(|key| function[key].is_string());
        assert!(is_text && function["params"].is_array(), "{name}: {function}");
    }
    let words = [("from", &*from), ("tags", "deploy"), ("until", &*until)];
    assert_eq!(place.get("/events/get_data", &words), json!([]));
}

/// pkg/promlib/healthcheck.go at 03930ff804ae580cdd57b12648cb455284bb92cd (`1+1` at the fourth
/// second since 1970), heuristics.go there at 0c2c8040437de1f738b39c0e4e6c63fbdac82bb1, and
/// client/client.go there at 24d6880ae3f47e34db0cbb30cb5fe3c74c3d4d83: a POST that is answered with
/// 405 is tried as GET. A server with `features` would be taken for Mimir.
#[test]
fn prometheus_health_check_is_answered() {
    let place = Place::new();
    let sum = place.post("/api/v1/query", &[("query", "1+1"), ("time", "4")]);
    assert_eq!(sum["data"], json!({"resultType": "scalar", "result": [4, "2"]}));
    for path in ["/api/v1/status/buildinfo", "/api/v1/rules", "/api/v1/alerts"] {
        assert_eq!(place.send("POST", path, Some("")).status, 405, "{path}");
    }
    let info = place.get("/api/v1/status/buildinfo", &[]);
    assert!(info["data"]["version"].is_string() && info["data"].get("features").is_none());
}

/// client/client.go as above: forms with `query`, `start`, `end`, `step`; exemplars beside them.
#[test]
fn prometheus_panels_are_answered() {
    let place = Place::new();
    let traffic = place.query_range("8 * ds0{device=\"r1\"}");
    assert_eq!(traffic.len(), 2);
    let values = traffic[1]["values"].as_array().unwrap();
    assert!(values.len() > 50 && values[10][0].is_u64(), "{values:?}");
    assert_eq!(values[10][1], "1600");
    assert_eq!(
        traffic[0]["metric"],
        json!({
            "database": "r1/r1_1", "device": "r1", "target": "r1_1"
        })
    );
    let [start, end] = place.times();
    let words = [("end", &*end), ("query", "ds0"), ("start", &*start)];
    let exemplars = place.post("/api/v1/query_exemplars", &words);
    assert_eq!(exemplars, json!({"status": "success", "data": []}));
    // An error's text stands at `error`, its kind at `errorType`.
    let wrong = place.send("POST", "/api/v1/query", Some("query=sum%28"));
    assert_eq!((wrong.status, &wrong.body["errorType"]), (400, &json!("bad_data")));
    assert!(wrong.body["error"].is_string());
    let wrong = place.send("POST", "/api/v1/query_exemplars", Some("query=sum%28"));
    assert_eq!(wrong.status, 400);
}

/// packages/grafana-prometheus/src/resource_clients.ts at 039aaf2ce0e4a4573d96f13478a84e83d3e00eb7
/// and language_provider.ts there at 00ebd26e4574897ae435c2b0ab61ba988f4247a7: the editor, the label
/// browser and variables. client.go passes labels and series on as POST, all else as GET.
#[test]
fn prometheus_editor_and_variables_are_answered() {
    let place = Place::new();
    let [start, end] = place.times();
    let words = [("limit", "40000"), ("start", &*start), ("end", &*end)];
    let labels = place.post("/api/v1/labels", &words);
    assert_eq!(labels["data"], json!(["__name__", "database", "device", "target"]));
    let names = place.get("/api/v1/label/__name__/values", &words);
    assert_eq!(names["data"], json!(["ds0", "ds0:max", "ds1", "ds1:max"]));
    assert_eq!(place.label_values("target", "ds0{device=\"r2\"}"), json!(["r2_1", "r2_2"]));
    let words =
        [("start", &*start), ("end", &*end), ("match[]", "{__name__!=\"\"}"), ("limit", "3")];
    let series = place.post("/api/v1/series", &words);
    let series = series["data"].as_array().unwrap();
    assert!(series.len() == 3 && series.iter().all(|it| it["__name__"].is_string()), "{series:?}");
    let metadata = place.get("/api/v1/metadata", &[]);
    let ds0 = &metadata["data"]["ds0"][0];
    assert!(ds0["type"] == "gauge" && ds0["help"].is_string(), "{metadata}");
    assert_eq!(place.get("/api/v1/rules", &[])["data"], json!({"groups": []}));
    assert_eq!(place.get("/api/v1/alerts", &[])["data"], json!({"alerts": []}));
    let formatted = place.post("/api/v1/format_query", &[("query", "sum  by(device)(ds0)")]);
    assert_eq!(formatted["data"], "sum by (device) (ds0)");
}

fn packaged(file: &str) -> String {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    let path: PathBuf = project.join("packaging/grafana").join(file);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A query with the values that Grafana would give its variables.
fn filled(query: &str) -> String {
    let filled =
        query.replace("$device", ".*").replace("$target", ".*").replace("$__range", "3600s");
    assert!(!filled.contains('$'), "a variable is left in {filled}");
    filled
}

#[test]
fn every_query_of_the_dashboard_finds_series() {
    let place = Place::new();
    let dashboard: Value = serde_json::from_str(&packaged("traffic.json")).unwrap();
    let sources = packaged("datasources.yaml");
    let mut count = 0;
    for panel in dashboard["panels"].as_array().unwrap() {
        for query in panel["targets"].as_array().unwrap() {
            let uid = query["datasource"]["uid"].as_str().unwrap();
            assert!(sources.contains(&format!("uid: {uid}\n")), "{uid}");
            let found = match (query["expr"].as_str(), query["instant"].as_bool()) {
                (Some(expression), Some(true)) => place.query_instant(&filled(expression)),
                (Some(expression), _) => place.query_range(&filled(expression)),
                (None, _) => place.render(&filled(query["target"].as_str().unwrap()), 500),
            };
            assert!((2..=4).contains(&found.len()), "{query}: {found:?}");
            count += 1;
        }
    }
    assert_eq!(count, 6);
    for variable in dashboard["templating"]["list"].as_array().unwrap() {
        let query = filled(variable["query"]["query"].as_str().unwrap());
        let inner =
            query.strip_prefix("label_values(").and_then(|it| it.strip_suffix(')')).unwrap();
        let (matched, label) = inner.rsplit_once(", ").unwrap();
        assert!(!place.label_values(label, matched).as_array().unwrap().is_empty(), "{query}");
    }
}

/// The commands behind a prompt that ask a server; docs.rs runs those of gyre.
fn questions(document: &str) -> Vec<String> {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    let text = fs::read_to_string(project.join("docs").join(document)).unwrap();
    let commands = text.lines().filter_map(|line| line.strip_prefix("    $ "));
    commands.map(str::to_owned).filter(|line| !line.starts_with("gyre ")).collect()
}

#[test]
fn questions_in_the_manuals_are_answered() {
    let place = Place::with_rules(""); // as they are called without rules
    let mut count = 0;
    for document in ["query.md", "prometheus.md", "graphite.md"] {
        for question in questions(document) {
            let program = question.split(' ').next().unwrap();
            if oracle::program(program, "the questions in the manuals").is_none() {
                continue;
            }
            let port = format!("127.0.0.1:{}", place.daemon.port);
            let question = question.replace("127.0.0.1:8080", &port);
            let question = question.replacen("curl ", "curl -sS --fail-with-body ", 1);
            let done = Command::new("sh").args(["-c", &question]).output().unwrap();
            let said = String::from_utf8_lossy(&done.stdout);
            // Events have no end: curl stops listening, with this code.
            let expected = if question.contains("/api/events") { 28 } else { 0 };
            assert_eq!(done.status.code(), Some(expected), "{document}: {question}: {said}");
            let has_facts = ["r1", "r2", "openapi"].iter().any(|fact| said.contains(fact));
            assert!(has_facts || expected != 0, "{document}: {question}: {said}");
            count += 1;
        }
    }
    assert!(count >= 12, "{count} questions");
}
