//! Bodies, byte for byte.

use promql::api::{self, BuildInfo, Chosen, InstantQuery};
use series::{Kind, METRIC_NAME};

use super::{BEGIN, Memory, api, at, one, range, rows};

fn text(answer: api::Answer) -> String {
    String::from_utf8(answer.body).unwrap()
}

#[test]
fn each_type_of_result_has_its_form() {
    let memory = one(Kind::Gauge, 60, &[0.5, f64::INFINITY, f64::NAN, -1e21]);
    let head = "{\"status\":\"success\",\"data\":{\"resultType\":";
    let metric = "{\"metric\":{\"__name__\":\"a\",\"host\":\"x\"}";
    assert_eq!(
        at(&memory, "a", 60),
        format!("{head}\"vector\",\"result\":[{metric},\"value\":[1700000060,\"0.5\"]}}]}}}}")
    );
    assert_eq!(
        at(&memory, "a[5m]", 240),
        format!(
            "{head}\"matrix\",\"result\":[{metric},\"values\":[[1700000060,\"0.5\"],[1700000120,\
             \"+Inf\"],[1700000240,\"-1000000000000000000000\"]]}}]}}}}"
        )
    );
    assert_eq!(
        range(&memory, "a", 121, "60.5"),
        format!(
            "{head}\"matrix\",\"result\":[{metric},\"values\":[[1700000060.500,\"0.5\"],\
             [1700000121,\"+Inf\"]]}}]}}}}"
        )
    );
    assert_eq!(
        at(&memory, "0/0", 0),
        format!("{head}\"scalar\",\"result\":[1700000000,\"NaN\"]}}}}")
    );
    assert_eq!(
        at(&memory, "\"a\\\"b\"", 0),
        format!("{head}\"string\",\"result\":[1700000000,\"a\\\"b\"]}}}}")
    );
    assert_eq!(
        range(&memory, "1", 10, "10s"),
        format!(
            "{head}\"matrix\",\"result\":[{{\"metric\":{{}},\"values\":[[1700000000,\"1\"],\
             [1700000010,\"1\"]]}}]}}}}"
        )
    );
}

#[test]
fn now_is_the_time_of_a_query_without_one() {
    let answer = api(&Memory::default()).query(&InstantQuery { query: "time()", time: None });
    assert!(text(answer).contains(&format!("[{BEGIN},\"{BEGIN}\"]")));
}

#[test]
fn vectors_are_sorted_by_labels_or_as_the_query_says() {
    let mut memory = Memory::default();
    for (host, value) in [("c", 1.0), ("a", 2.0), ("b", 3.0)] {
        memory.add(&[(METRIC_NAME, "a"), ("host", host)], Kind::Gauge, rows(60, &[value]));
    }
    let hosts = |query: &str| -> String {
        let json: serde_json::Value = serde_json::from_str(&at(&memory, query, 60)).unwrap();
        let all = json["data"]["result"].as_array().unwrap();
        all.iter().map(|it| it["metric"]["host"].as_str().unwrap()).collect()
    };
    assert_eq!(hosts("a"), "abc");
    assert_eq!(hosts("sort(a)"), "cab");
    assert_eq!(hosts("sort_desc(a)"), "bac");
    assert_eq!(hosts("topk(2, a)"), "ba");
    assert_eq!(hosts("bottomk(3, a)"), "cab");
    assert_eq!(hosts("sort_by_label_desc(a, \"host\")"), "cba");
}

#[test]
fn errors_have_a_kind_a_status_and_words() {
    let memory = one(Kind::Gauge, 60, &[1.0]);
    let cases = [
        ("sum(", 400, "bad_data"),
        ("nosuch(a)", 400, "bad_data"),
        ("a{host=~\"(\"}", 400, "bad_data"),
        ("histogram_avg(a)", 422, "execution"),
        ("limitk(1, a)", 422, "execution"),
        ("info(a)", 422, "execution"),
        ("label_replace(a, \"-\", \"\", \"\", \"\")", 422, "execution"),
        ("exp(NaN)", 422, "execution"),
    ];
    for (query, status, kind) in cases {
        let answer = api(&memory).query(&InstantQuery { query, time: None });
        assert_eq!(answer.status, status, "{query}");
        let body: serde_json::Value = serde_json::from_slice(&answer.body).unwrap();
        assert_eq!(
            (body["status"].as_str(), body["errorType"].as_str()),
            (Some("error"), Some(kind))
        );
    }
    let body = at(&memory, "histogram_avg(a)", 0);
    let words = "histogram_avg() cannot be answered: it works on native histograms, and a row is a \
                 number";
    assert!(body.contains(words), "{body}");
}

#[test]
fn catalogues_have_their_form() {
    let mut memory = one(Kind::Rate, 60, &[1.0]);
    memory.add(&[(METRIC_NAME, "b")], Kind::Gauge, rows(60, &[1.0]));
    let api = api(&memory);
    let help = "a rate for each second: its database keeps no counts";
    assert_eq!(
        text(api.metadata(None, None)),
        format!(
            "{{\"status\":\"success\",\"data\":{{\"a\":[{{\"type\":\"gauge\",\"help\":\"{help}\",\
             \"unit\":\"\"}}],\"b\":[{{\"type\":\"gauge\",\"help\":\"\",\"unit\":\"\"}}]}}}}"
        )
    );
    assert!(!text(api.metadata(Some("b"), Some("1"))).contains(help));
    let series = api.series(&Chosen { matches: &["{__name__=~\".+\"}"], ..Chosen::default() });
    assert_eq!(
        text(series),
        "{\"status\":\"success\",\"data\":[{\"__name__\":\"a\",\"host\":\"x\"},{\"__name__\":\"b\"}]}"
    );
    assert_eq!(api.series(&Chosen::default()).status, 400);
    let wrong = Chosen { matches: &["a[5m]"], ..Chosen::default() };
    assert_eq!(api.labels(&wrong).status, 400);
    assert_eq!(api.label_values("no-name", &Chosen::default()).status, 400);
    let info = BuildInfo { version: "2.42.0", revision: "gyre" };
    assert!(text(api::build_info(&info)).contains("\"version\":\"2.42.0\",\"revision\":\"gyre\""));
}
