//! What a search finds, the devices of a network, and the page of each.
#![allow(clippy::disallowed_methods, reason = "it waits for an index")]

mod fixture;
mod client;

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use access::{Current, Token, Tokens};
use axum::body::{Body, to_bytes};
use axum::http::Request;
use client::Client;
use files::RrdFiles;
use fixture::{fixture, name};
use rrd::fetch::Query;
use rrd::{Stretch, Timestamp};
use serde_json::Value;
use server::{EntriesPage, Gate, Hosts, Names, Tree, TreeContext, Unanswered};
use store::{Outline, Rooted, Store as _};
use tower::ServiceExt as _;

fn search(client: &Client, query: &str) -> Value {
    let answer = client.get(&format!("/api/search?{query}"));
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!(answer.headers["content-type"], "application/json");
    answer.json()
}

fn names(answer: &Value) -> Vec<&str> {
    let results = answer["results"].as_array().expect("a list");
    results.iter().map(|row| row["name"].as_str().expect("a text")).collect()
}

#[test]
fn a_search_tells_the_best_targets_and_why_they_were_found() {
    let client = Client::new(fixture(240, 0, 0));
    let found = search(&client, "q=site02-EDGE2_1&limit=2");
    assert_eq!((&found["total"], &found["mistyped"]), (&4.into(), &false.into()));
    assert_eq!(names(&found), ["site02-edge2_1", "site02-edge2_10"]);
    let first = &found["results"][0];
    assert_eq!(first["page"], "/t/site02-edge2_1");
    assert_eq!(first["device"], "site02-edge2");
    let marks = serde_json::json!([{ "field": "name", "start": 0, "end": 14 }]);
    assert_eq!(first["marks"], marks);
    // JavaScript counts letters beyond ASCII as one or two units, not as bytes.
    let found = search(&client, "q=lab+site02-edge2&limit=1");
    let marks = found["results"][0]["marks"].as_array().expect("a list").clone();
    let lab = marks.iter().find(|mark| mark["field"] == "title").expect("a mark");
    let title = found["results"][0]["title"].as_str().expect("a text");
    let start = title.chars().position(|letter| letter == '<').expect("a letter") + 1;
    assert_eq!((&lab["start"], &lab["end"]), (&start.into(), &(start + 3).into()));
}

#[test]
fn labels_and_addresses_are_found_and_told() {
    let client = Client::new(fixture(240, 0, 0));
    let found = search(&client, "q=site:site03&limit=1");
    assert_eq!(found["total"], 36);
    let mark = &found["results"][0]["marks"][0];
    assert_eq!((&mark["field"], &mark["text"]), (&"site".into(), &"site03".into()));
    let found = search(&client, "q=10.7.13.5");
    assert_eq!(names(&found), [name(13 * 12 + 4)]);
    assert_eq!(found["results"][0]["marks"][0]["field"], "address");
}

#[test]
fn a_mistyped_word_finds_what_was_meant() {
    let client = Client::new(fixture(240, 0, 0));
    let found = search(&client, "q=frankfrut");
    assert_eq!((&found["total"], &found["mistyped"]), (&60.into(), &true.into()));
    assert!(client.get("/?q=frankfrut").text().contains("that are alike"));
    assert_eq!(search(&client, "q=nothing-like-it")["total"], 0);
    assert_eq!(search(&client, "")["total"], 240);
    assert_eq!(search(&client, "limit=100000")["results"].as_array().map(Vec::len), Some(200));
    assert_eq!(client.get("/api/search?q=a&limit=x").status, 400);
}

#[test]
fn a_large_catalogue_is_searched_while_its_index_is_made_and_after() {
    let client = Client::new(fixture(6000, 0, 0));
    for _ in 0..40 {
        let found = search(&client, "q=site01-core1_7");
        assert_eq!((&found["total"], names(&found)[0]), (&1.into(), "site01-core1_7"));
        std::thread::sleep(Duration::from_millis(10));
    }
    // Only an index knows of labels: it is there by and by.
    let begin = Instant::now();
    while search(&client, "q=site:site03")["total"] != 36 {
        assert!(begin.elapsed().as_secs() < 60, "an index is made");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn devices_are_listed_by_site() {
    let client = Client::new(fixture(240, 0, 0));
    let sites = client.get("/devices");
    assert!(sites.text().contains("7 sites · 240 targets · 12 not answering"), "{}", sites.text());
    assert!(sites.text().contains("href=\"/devices?site=site02\""));
    let site = client.get("/devices?site=site02");
    assert!(site.text().contains("3 devices · 36 targets · 12 not answering"), "{}", site.text());
    assert!(site.text().contains("href=\"/device/site02-edge2\""));
    assert!(site.text().contains("no answer to 5 datagrams"));
    let silent = client.get("/devices?silent=1");
    assert!(silent.text().contains("1 site · 36 targets · 12 not answering"));
    assert!(!silent.text().contains("site03"));
    assert_eq!(client.get("/devices?page=0").status, 400);
    assert_eq!(client.get("/devices?page=18446744073709551615").status, 200);
    assert!(client.get("/devices?site=none").text().contains("7 sites"));
    assert!(client.get("/").text().contains("href=\"/device/site01-core1\""));
}

#[test]
fn a_device_shows_all_its_ports_as_charts_in_the_page() {
    let client = Client::new(fixture(24, 8, 3));
    let page = client.get("/device/site01-core1");
    assert_eq!(page.text().matches("<article").count(), 12);
    assert_eq!(page.text().matches("<svg class=\"multiple\"").count(), 12);
    assert!(!page.text().contains("style="));
    let lines = |text: &str| text.matches("class=\"line0\" d=\"M").count();
    assert_eq!(lines(page.text()), 8, "four ports have no database");
    assert!(page.text().contains("Ærø &lt;lab&gt;") && !page.text().contains("<lab>"));
    for query in ["period=week", "period=hour", "scale=shared", "sort=traffic&period=year"] {
        let page = client.get(&format!("/device/site01-core1?{query}"));
        assert_eq!(page.status, 200);
        assert_eq!(lines(page.text()), 8, "{query}");
    }
    for query in ["period=century", "scale=vast", "sort=luck", "page=0"] {
        assert_eq!(client.get(&format!("/device/site01-core1?{query}")).status, 400, "{query}");
    }
    assert_eq!(client.get("/device/none").status, 404);
    let beyond = client.get("/device/site01-core1?page=18446744073709551615");
    assert_eq!(beyond.status, 200);
}

#[test]
fn ports_share_a_scale_and_are_sorted_by_traffic_if_that_is_asked() {
    let client = Client::new(fixture(12, 12, 2));
    let tops = |query: &str| {
        let page = client.get(&format!("/device/site01-core1?{query}"));
        let page = page.text();
        let tops = page.split("class=\"reach\">").skip(1).map(|rest| rest.split('<').next());
        tops.map(|top| top.unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    let shared = tops("scale=shared");
    assert_eq!(shared.len(), 12);
    assert!(shared.iter().all(|top| *top == shared[0]), "{shared:?}");
    let own = tops("");
    assert!(own.iter().any(|top| *top != own[0]), "{own:?}");
    let page = client.get("/device/site01-core1?sort=traffic");
    let page = page.text();
    let order: Vec<usize> = page
        .split("data-target=\"site01-core1_")
        .skip(1)
        .filter_map(|rest| rest.split('"').next()?.parse().ok())
        .collect();
    // The fixture makes port 7 the busiest, and ports 1 and 8 the least busy ones.
    assert_eq!((order.len(), order[0]), (12, 7));
    assert!(order[10..].contains(&1) && order[10..].contains(&8), "{order:?}");
}

#[test]
fn a_port_shows_its_newest_value_however_long_the_span() {
    let client = Client::new(fixture(1, 1, 20));
    // The first value of an element whose tag begins so.
    let value = |page: &str, tag: &str| {
        let behind = page.split(tag).nth(1).expect("an element");
        let value = behind.split("<dd>").nth(1).and_then(|rest| rest.split('<').next());
        value.expect("a value").trim().to_owned()
    };
    let now = value(client.get(&format!("/t/{}", name(0))).text(), "<dl class=\"now\"");
    assert!(now.ends_with("b/s"), "{now}");
    for period in ["hour", "day", "year"] {
        let page = client.get(&format!("/device/site01-core1?period={period}"));
        assert_eq!(value(page.text(), "<article"), now, "{period}");
    }
    const SPAN_SECONDS: i64 = 400 * 300;
    let page = client.get("/device/site01-core1?period=day");
    let (start, end) = (fixture::NOW_SECONDS - SPAN_SECONDS, fixture::NOW_SECONDS);
    assert!(page.text().contains(&format!("data-start=\"{start}\" data-end=\"{end}\"")));
}

/// Databases of which only the names matter.
struct Unread;

impl Tree for Unread {
    fn list(&self, _: &str, _: &str, _: usize) -> io::Result<EntriesPage> {
        Ok(EntriesPage::default())
    }

    fn outline(&self, _: &str) -> Result<Outline, Unanswered> {
        Err(Unanswered::Missing)
    }

    fn fetch(&self, _: &str, _: &Query) -> Result<Stretch, Unanswered> {
        Err(Unanswered::Missing)
    }
}

/// What the pages of databases answer to one who may see everything, or what begins with `fra/`.
fn ask(router: &axum::Router, address: &str, sees_all: bool) -> String {
    let token = Token::of([if sees_all { 1 } else { 2 }; 32]);
    let request = Request::builder()
        .uri(address)
        .header("authorization", format!("Bearer {}", token.reveal()));
    let request = request.body(Body::empty()).expect("a request");
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(async {
        let response = router.clone().oneshot(request).await.expect("an answer");
        assert_eq!(response.status(), 200, "{address}");
        let body = to_bytes(response.into_body(), usize::MAX).await.expect("it is in memory");
        String::from_utf8(body.to_vec()).expect("it is text")
    })
}

#[test]
fn databases_without_a_configuration_are_found_by_name_new_ones_soon() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = Arc::new(RrdFiles::below(directory.path()));
    let specs = ["DS:a:GAUGE:600:U:U", "RRA:AVERAGE:0.5:1:10"];
    let definition = rrd::spec::definition(300, specs).expect("a definition");
    let make = |name: &str| {
        let begin = Timestamp::from_seconds(1_700_000_000);
        let path = directory.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a directory")).expect("it is made");
        store.create(name.as_ref(), &definition, begin).expect("a new database");
    };
    ["fra/core1/load.rrd", "fra/core1/memory.rrd", "ber/core1/load.rrd"]
        .iter()
        .for_each(|it| make(it));
    let lines = [1, 2].map(|seed| {
        let hash = Token::of([seed; 32]).hash();
        format!("{seed} read {hash} {}\n", if seed == 1 { "" } else { "fra/" })
    });
    let tokens = Tokens::parse(lines.concat().as_bytes()).expect("a file of tokens");
    let mut context = TreeContext::new(Arc::new(Unread), "t".to_owned(), "gyre".to_owned());
    context.names = Some(Names::of(Rooted::new(Arc::clone(&store) as _)));
    let router = server::tree_router(context, Hosts::of_this_machine());
    let router = Gate::new(Current::new(tokens)).around(router);
    let found = |query: &str, sees_all| -> Value {
        let text = ask(&router, &format!("/api/search?q={query}"), sees_all);
        serde_json::from_str(&text).expect("it is JSON")
    };
    let all = found("load", true);
    assert_eq!((&all["total"], names(&all)[0]), (&2.into(), "ber/core1/load.rrd"));
    assert_eq!(all["results"][0]["page"], "/db/ber%2Fcore1%2Fload%2Errd".replace("%2E", "."));
    assert_eq!(names(&found("load", false)), ["fra/core1/load.rrd"]);
    assert_eq!(
        (&found("laod", false)["total"], &found("ber", false)["total"]),
        (&1.into(), &0.into())
    );
    let page = ask(&router, "/?q=core1+memory", true);
    assert!(page.contains("href=\"/db/fra%2Fcore1%2Fmemory.rrd\""), "{page}");
    make("fra/core2/load.rrd");
    let begin = Instant::now();
    while found("core2", true)["total"] != 1 {
        assert!(begin.elapsed().as_secs() < 60, "a new name is found");
        std::thread::sleep(Duration::from_millis(100));
    }
}
