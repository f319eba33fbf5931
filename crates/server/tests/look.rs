//! The pages with charts, requested from the router without a port.
#![allow(clippy::disallowed_methods, reason = "it runs rrdtool")]

mod fixture;
mod client;

use client::Client;
use fixture::{NOW_SECONDS, fixture, name};

#[test]
fn a_targets_page_shows_any_span() {
    let client = Client::new(fixture(2, 2, 9));
    let page = client.get(&format!("/t/{}", name(0)));
    let (start, end) = (NOW_SECONDS - 86_400, NOW_SECONDS);
    let text = page.text();
    assert!(text.contains(&format!("data-query=\"t={}\"", name(0))));
    assert!(text.contains(&format!("data-start=\"{start}\" data-end=\"{end}\"")));
    assert!(text.contains("aria-current=\"page\">day</a>"), "{text}");
    let spans = "data-spans=\"{&quot;day&quot;:86400,&quot;hour&quot;:3600,";
    assert!(text.contains(spans), "{text}");
    let week = client.get(&format!("/t/{}?span=week", name(0)));
    assert!(week.text().contains("aria-current=\"page\">week</a>"));
    assert!(week.text().contains(&format!("/graph/{}/week.svg\" alt=", name(0))));
    let free = client.get(&format!("/t/{}?start=end-2h&end={end}", name(0)));
    let picture = format!("/graph/{}/span.svg?start={}&amp;end={end}", name(0), end - 7200);
    assert!(free.text().contains(&picture), "{}", free.text());
    assert!(free.text().contains("value=\"end-2h\""));
    assert!(free.text().contains("“Hourly” Graph"), "the caption of what is shown");
    let export =
        free.text().split("href=\"/api/charts?").nth(1).and_then(|it| it.split('"').next());
    let export = export.expect("a link").replace("&amp;", "&");
    let rows = client.get(&format!("/api/charts?{export}")).json();
    assert_eq!((rows["start"].as_i64(), rows["end"].as_i64()), (Some(end - 7200), Some(end)));
    for (words, told) in [
        ("span=century", "expected hour, day, week, month or year"),
        ("start=now&end=now-1h", "expected a time before the end"),
        ("start=%3Cb%3E", "start: "),
    ] {
        let refused = client.get(&format!("/t/{}?{words}", name(0)));
        assert_eq!(refused.status, 400, "{words}");
        assert!(refused.text().contains(told) && !refused.text().contains("<b>"), "{words}");
    }
}

#[test]
fn a_graph_of_a_free_span_is_drawn_in_both_formats() {
    let client = Client::new(fixture(1, 1, 9));
    let (start, end) = (NOW_SECONDS - 40_000, NOW_SECONDS - 20_000);
    let address =
        |end_of: &str| format!("/graph/{}/span.{end_of}?start={start}&end={end}", name(0));
    let svg = client.get(&address("svg"));
    assert_eq!(
        (svg.status, &svg.headers["content-type"]),
        (200, &"image/svg+xml".parse().expect("text"))
    );
    let png = client.get(&address("png"));
    assert!(png.body.starts_with(b"\x89PNG"));
    let other = client.get(&format!("/graph/{}/span.svg?start={start}&end={NOW_SECONDS}", name(0)));
    assert!(other.status == 200 && other.body != svg.body);
    let wrong = client.get(&format!("/graph/{}/span.svg?start=nonsense", name(0)));
    assert_eq!(wrong.status, 400, "{}", wrong.text());
}

#[test]
fn targets_are_compared() {
    let client = Client::new(fixture(6, 3, 3));
    let pair = format!("t={}&t={}", name(0), name(2));
    for (mode, plots) in
        [("each", ["ds0", "ds1"].as_slice()), ("stack", &["ds0", "ds1"]), ("sum", &["all"])]
    {
        let page = client.get(&format!("/compare?{pair}&mode={mode}"));
        assert_eq!(page.status, 200, "{}", page.text());
        assert_eq!(page.text().matches("<figure").count(), plots.len(), "{mode}");
        assert!(page.text().contains("Ærø &lt;lab&gt;") && !page.text().contains("<lab>"));
        for plot in plots {
            let graph = client.get(&format!("/compare/{plot}.svg?{pair}&mode={mode}&span=day"));
            assert!(graph.text().contains("</svg>"), "{mode} {plot}: {}", graph.text());
            let small = client
                .get(&format!("/compare/{plot}.png?{pair}&mode={mode}&size=narrow&paper=dark"));
            assert!(small.body.starts_with(b"\x89PNG"));
        }
    }
    let many: String = (0..51).map(|nth| format!("t=x{nth}&")).collect();
    for (query, status, told) in [
        (String::new(), 200, "Add targets by their names"),
        (format!("{pair}&mode=heap"), 400, "mode: expected each, stack or sum"),
        ("t=%3Cnone%3E".to_owned(), 404, "No target is called &lt;none&gt;"),
        (many, 400, "expected at most 50 targets, found 51"),
        (format!("{pair}&span=eon"), 400, "span: expected"),
    ] {
        let page = client.get(&format!("/compare?{query}"));
        assert_eq!(page.status, status, "{query}");
        assert!(page.text().contains(told), "{query}: {}", page.text());
    }
    for (graph, status) in [("ds2.svg", 404), ("all.svg", 404), ("ds0.gif", 404), ("ds0", 404)] {
        assert_eq!(client.get(&format!("/compare/{graph}?{pair}")).status, status, "{graph}");
    }
}

/// The real rrdtool accepts the commands on the pages, and draws them.
#[test]
fn rrdtool_draws_what_a_comparison_says() {
    if oracle::program("rrdtool", "the graph commands of a comparison").is_none() {
        return;
    }
    let site = fixture(4, 4, 2);
    let directory = site.directory.path().to_owned();
    let client = Client::new(site);
    let names = format!("t={}&t={}&t={}", name(0), name(1), name(2));
    for (mode, count) in [("each", 2), ("stack", 2), ("sum", 1)] {
        let page = client.get(&format!("/compare?{names}&mode={mode}"));
        let commands: Vec<String> = page
            .text()
            .split("<code data-command>")
            .skip(1)
            .filter_map(|rest| rest.split_once("</code>"))
            .map(|(command, _)| {
                command.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
            })
            .collect();
        assert_eq!(commands.len(), count, "{mode}");
        for command in commands {
            let output = std::process::Command::new("sh")
                .args(["-c", &command])
                .current_dir(&directory)
                .output()
                .expect("a shell");
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{command}\n{errors}");
        }
    }
}
