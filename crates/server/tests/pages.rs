//! The pages and graphs, requested from the router without a port.
#![allow(clippy::disallowed_methods, reason = "it runs rrdtool and measures time")]

mod fixture;
mod client;
mod exposition;

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use client::{Answer, Client};
use fixture::{fixture, name};

#[test]
fn the_index_is_searched_and_paged() {
    let client = Client::new(fixture(1200, 0, 0));
    let first = client.get("/");
    assert_eq!(first.status, 200);
    assert_eq!(first.text().matches("<tr data-words").count(), 50);
    assert!(first.text().contains("Page 1 of 24"));
    let last = client.get("/?page=24");
    assert!(last.text().contains(&name(1199)));
    let found = client.get("/?q=EDGE2+site01+customers");
    assert!(found.text().contains("<b>3</b> targets"), "{}", found.text());
    assert!(found.text().contains(&format!("/t/{}", name(13))));
    let none = client.get("/?q=nothing-has-this-name");
    assert!(none.text().contains("Nothing found"));
}

#[test]
fn silent_devices_are_marked_and_found() {
    let client = Client::new(fixture(120, 0, 0));
    let page = client.get("/?silent=1");
    assert!(page.text().contains("<b>12</b> targets"));
    assert_eq!(page.text().matches("dot silent").count(), 12);
    let target = client.get(&format!("/t/{}", name(48)));
    assert!(target.text().contains("does not answer: no answer to 5 datagrams"));
}

#[test]
fn what_devices_say_is_escaped_and_what_the_operator_writes_is_not() {
    let client = Client::new(fixture(12, 1, 1));
    let page = client.get(&format!("/t/{}", name(0)));
    assert!(page.text().contains("Ærø &lt;lab&gt;"));
    assert!(!page.text().contains("<lab>"));
    assert!(page.text().contains("<td>noc@example.net</td>"));
    let policy = &page.headers["content-security-policy"];
    let policy = policy.to_str().expect("it is text");
    assert!(policy.contains("script-src 'self';") && policy.contains("default-src 'none'"));
    let search = client.get("/?q=%22%3E%3Cscript%3Ealert(1)%3C/script%3E");
    assert!(!search.text().contains("<script>alert"));
}

#[test]
fn a_target_has_its_four_graphs() {
    let client = Client::new(fixture(1, 1, 2));
    let page = client.get(&format!("/t/{}", name(0)));
    for (period, words) in [
        ("day", "“Daily” Graph (5 Minute Average)"),
        ("week", "“Weekly” Graph (30 Minute Average)"),
        ("month", "“Monthly” Graph (2 Hour Average)"),
        ("year", "“Yearly” Graph (1 Day Average)"),
    ] {
        assert!(page.text().contains(words), "{words}");
        let address = format!("/graph/{}/{period}.svg", name(0));
        assert!(page.text().contains(&format!("src=\"{address}\"")));
        let graph = client.get(&address);
        assert_eq!(graph.headers["content-type"], "image/svg+xml");
        assert!(graph.text().contains("Average") && graph.text().contains("</svg>"));
        let narrow = client.get(&format!("{address}?size=narrow&paper=dark"));
        assert!(narrow.body.len() > 1000 && narrow.body != graph.body);
        let picture = client.get(&address.replace(".svg", ".png"));
        assert!(picture.body.starts_with(b"\x89PNG"));
    }
}

#[test]
fn what_is_measured_often_has_a_graph_of_the_last_hour() {
    let client = Client::new(fixture(2, 2, 1));
    let page = client.get(&format!("/t/{}", name(1)));
    // It is measured every 10 seconds, but the rows of its database are five minutes long.
    assert!(page.text().contains("“Hourly” Graph (5 Minute Average)"));
    assert_eq!(page.text().matches("<figure>").count(), 5);
    let slow = client.get(&format!("/t/{}", name(0)));
    assert!(!slow.text().contains("Hourly"));
}

#[test]
fn a_graph_that_did_not_change_is_not_sent_again() {
    let client = Client::new(fixture(2, 1, 1));
    let address = format!("/graph/{}/day.svg", name(0));
    let graph = client.get(&address);
    let tag = graph.headers["etag"].to_str().expect("it is text");
    assert!(graph.headers["cache-control"].to_str().is_ok_and(|it| it.contains("max-age=")));
    let again = client.get_with(&address, &[("if-none-match", tag)]);
    assert_eq!((again.status, again.body.len()), (304, 0));
    let other = client.get_with(&address, &[("if-none-match", "\"another\"")]);
    assert_eq!(other.status, 200);
}

#[test]
fn a_target_without_a_database_has_empty_graphs() {
    let client = Client::new(fixture(1, 0, 0));
    let graph = client.get(&format!("/graph/{}/day.svg", name(0)));
    assert_eq!(graph.status, 200, "{}", graph.text());
    assert!(graph.text().contains("</svg>"));
}

#[test]
fn wrong_addresses_have_a_page_that_says_so() {
    let client = Client::new(fixture(1, 0, 0));
    for (address, status) in [
        ("/nowhere", 404),
        ("/t/no-such-target", 404),
        ("/graph/no-such-target/day.svg", 404),
        (&format!("/graph/{}/century.svg", name(0)), 404),
        (&format!("/graph/{}/day.gif", name(0)), 404),
        (&format!("/graph/{}/day.svg?paper=pink", name(0)), 400),
        (&format!("/graph/{}/day.svg?size=vast", name(0)), 400),
        ("/?page=0", 400),
        ("/?page=x", 400),
        ("/api/targets.json?limit=all", 400),
    ] {
        let answer = client.get(address);
        assert_eq!(answer.status, status, "{address}");
        assert!(answer.text().contains("All targets"), "{address}");
    }
    let beyond = client.get("/?page=18446744073709551615");
    assert_eq!(beyond.status, 200);
}

#[test]
fn programs_are_told_in_json_what_is_not_there() {
    let client = Client::new(fixture(1, 0, 0));
    for (address, error) in [
        ("/api/", "there is no path /api/"),
        ("/api/nowhere?q=1", "there is no path /api/nowhere"),
        ("/api/v1/status/flags", "there is no path /api/v1/status/flags"),
        ("/api/targets/none.json", "there is no target none"),
    ] {
        let answer = client.get(address);
        assert_eq!((answer.status, &*kind(&answer)), (404, "application/json"), "{address}");
        let body = answer.json();
        assert_eq!(body["error"], error, "{address}");
        let is_of_prometheus = body["status"] == "error" && body["errorType"] == "not_found";
        assert_eq!(is_of_prometheus, address.starts_with("/api/v1/"), "{body}");
    }
    assert!(kind(&client.get("/apix")).starts_with("text/html"));
}

fn kind(answer: &Answer) -> String {
    answer.headers["content-type"].to_str().expect("it is a text").to_owned()
}

#[test]
fn programs_get_the_same_as_json() {
    let client = Client::new(fixture(1200, 1, 1));
    let status = client.get("/api/status.json").json();
    assert_eq!(status["targets"], 1200);
    assert_eq!(status["cycle"]["targets_missed"], 12);
    assert_eq!(status["devices"][4]["health"], "silent");
    let targets = client.get("/api/targets.json?q=site01-core1&first=10&limit=5").json();
    assert_eq!(targets["found"], 12);
    assert_eq!(targets["targets"].as_array().map(Vec::len), Some(2));
    assert_eq!(targets["targets"][0]["name"], "site01-core1_11");
    let target = client.get(&format!("/api/targets/{}.json", name(0))).json();
    assert!(target["latest"]["ds0"].as_f64().is_some_and(|value| value > 0.0));
}

#[test]
fn a_hundred_thousand_targets_are_searched_at_once() {
    let client = Client::new(fixture(100_000, 0, 0));
    let start = std::time::Instant::now();
    let page = client.get("/?q=site2000+access3+customers");
    let took = start.elapsed();
    assert!(page.text().contains("<b>3</b> targets found among 100,000"));
    // It takes a few hundredths of a second, while an index is made beside it; the bound is for a
    // busy machine.
    assert!(took.as_secs() < 10, "{took:?}");
}

/// The page shows how to draw its graphs by hand: the real rrdtool must accept these commands.
#[test]
fn rrdtool_draws_what_the_page_says() {
    if oracle::program("rrdtool", "the graph commands on a target's page").is_none() {
        return;
    }
    let site = fixture(1, 1, 2);
    let directory = site.directory.path().to_owned();
    let client = Client::new(site);
    let page = client.get(&format!("/t/{}", name(0)));
    let commands: Vec<_> = page
        .text()
        .split("<pre><code")
        .skip(1)
        .filter_map(|rest| rest.split_once("</code>"))
        .filter_map(|(command, _)| Some(command.split_once('>')?.1))
        .map(|command| command.replace("&lt;", "<").replace("&amp;", "&"))
        .collect();
    assert_eq!(commands.len(), 5, "what is shown, and four periods");
    for command in commands {
        let output = std::process::Command::new("sh")
            .args(["-c", &command])
            .current_dir(&directory)
            .output()
            .expect("a shell");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{command}\n{errors}");
    }
    let picture = std::fs::read(directory.join("month.png")).expect("rrdtool wrote it");
    assert!(picture.starts_with(b"\x89PNG"));
}

#[test]
fn only_names_of_ours_are_answered() {
    let client = Client::new(fixture(1, 0, 0));
    for host in ["127.0.0.1:8080", "localhost", "[::1]:8080"] {
        assert_eq!(client.get_with("/", &[("host", host)]).status, 200, "{host}");
    }
    // Requests of a hostile page whose name resolves to our address, for any path.
    for path in ["/", "/api/status.json", "/none", "/assets/x/gyre.css"] {
        let answer = client.get_with(path, &[("host", "rebound.example:8080")]);
        assert_eq!(answer.status, 421, "{path}");
        assert!(answer.text().contains("rebound.example"), "{}", answer.text());
        assert!(answer.text().contains("--allow-host"), "{}", answer.text());
    }
    let both = [("host", "localhost"), ("host", "rebound.example")];
    assert_eq!(client.get_with("/", &both).status, 421);
    assert_eq!(client.get("http://rebound.example/").status, 421);
}

#[test]
fn prometheus_gets_the_same_as_metrics() {
    let client = Client::new(fixture(144, 0, 0));
    let plain = client.get("/metrics");
    assert_eq!((plain.status, &*kind(&plain)), (200, "text/plain; version=0.0.4; charset=utf-8"));
    let samples = exposition::read(plain.text(), false);
    assert_eq!(samples["gyre_devices{state=\"silent\"}"], 1.0);
    assert_eq!(samples["gyre_devices{state=\"restarted\"}"], 1.0);
    assert_eq!(samples["gyre_devices{state=\"answering\"}"], 10.0);
    assert_eq!(samples["gyre_alerts"], 2.0);
    let hook = "gyre_alerts_sent_total{receiver=\"webhook\",address=\"https://chat.example.net\"";
    assert_eq!(samples[&*format!("{hook}}}")], 2.0);
    assert_eq!(samples[&*format!("{hook},nth=\"2\"}}")], 3.0);
    assert!(!plain.text().contains("gyre_device_"), "series of devices only if asked for");
    let accept = "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5";
    let open = client.get_with("/metrics?devices=all", &[("accept", accept)]);
    assert_eq!(kind(&open), "application/openmetrics-text; version=1.0.0; charset=utf-8");
    let samples = exposition::read(open.text(), true);
    let up = samples.iter().filter(|(name, _)| name.starts_with("gyre_device_up{"));
    assert_eq!(up.map(|(_, value)| value).sum::<f64>(), 11.0);
    assert_eq!(client.get("/metrics?devices=some").status, 400);
}

#[test]
fn promtool_finds_nothing_wrong_with_metrics() {
    let Some(promtool) = oracle::program("promtool", "the text of /metrics") else { return };
    let client = Client::new(fixture(144, 0, 0));
    for address in ["/metrics", "/metrics?devices=all"] {
        let said = checked(&promtool, &client.get(address).body);
        assert_eq!(said, "", "{address}");
    }
    let wrong = checked(&promtool, b"# TYPE a counter\na 1\n");
    assert!(wrong.contains("_total"), "it does check: {wrong}");
}

/// What promtool says about metrics: nothing if they are as they should be.
fn checked(promtool: &Path, metrics: &[u8]) -> String {
    let mut command = Command::new(promtool);
    command.args(["check", "metrics"]).stdin(Stdio::piped());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("promtool starts");
    let mut input = child.stdin.take().expect("it is a pipe");
    input.write_all(metrics).expect("promtool reads");
    drop(input);
    let output = child.wait_with_output().expect("promtool ends");
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8(said).expect("promtool writes text");
    assert_eq!(output.status.success(), said.is_empty(), "{said}");
    said
}
