//! Alerts at a real Alertmanager, and at webhooks beside those that it tells itself.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use oracle::{ALERTMANAGER_PASSWORD, ALERTMANAGER_USER, Alertmanager, Notifying, Reach};
use serde_json::{Value, json};

use super::super::{Gyre, Programs, get, text};
use super::hooks::Hooks;
use super::{Agent, FORECASTS, Site, write_past};

const WHAT: &str = "alerts against Alertmanager";

const SITE: &str = r#"
WorkDir: DIR/work
LogFormat: rrdtool
Interval: 0:01
Title[_]: A line
MaxBytes[_]: 1000
Options[_]: gauge
Target[uplink]: AGENT
ThreshMaxI[uplink]: 50%
ThreshDesc[uplink]: Call the "provider"
SetEnv[uplink]: MRTG_INT_DESCR="eth0"
gyre*Labels[uplink]: site="Zürich" severity="critical"
"#;

const QUIET: [Option<&str>; 2] = [Some("gauge\n400"), Some("gauge\n7")];
const LOUD: [Option<&str>; 2] = [Some("gauge\n800"), Some("gauge\n7")];

fn notifying(webhook: &str) -> Notifying<'_> {
    Notifying { webhook, receiver: "gyre", group_by: &["alertname", "device"] }
}

/// The alerts that an Alertmanager has.
fn alerts(alertmanager: &Alertmanager) -> Vec<Value> {
    let reply = alertmanager.ask("/api/v2/alerts", &[]);
    assert_eq!(reply.status, 200, "{}", reply.body);
    let body = reply.body;
    serde_json::from_str(&body).unwrap_or_else(|error| panic!("{error}: {body}"))
}

fn wait_for_alerts(alertmanager: &Alertmanager, count: usize) -> Vec<Value> {
    let until = Instant::now() + Duration::from_secs(40);
    loop {
        let alerts = alerts(alertmanager);
        if alerts.len() == count {
            return alerts;
        }
        assert!(Instant::now() < until, "expected {count} alerts, found {alerts:#?}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// The page is made anew with a cycle.
fn wait_until_status_lacks(address: &str, words: &str) {
    let until = Instant::now() + Duration::from_secs(40);
    while get(address, "/status").contains(words) {
        assert!(Instant::now() < until, "the status page still says {words}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

fn address_of_pages(gyre: &mut Gyre) -> String {
    let line = gyre.said.wait_for("web pages at http://");
    line.split("http://").nth(1).unwrap().trim_end_matches('/').to_owned()
}

/// The values of all metrics whose names begin so.
fn metrics(address: &str, begin: &str) -> Vec<String> {
    let page = get(address, "/metrics");
    page.lines().filter(|line| line.starts_with(begin)).map(str::to_owned).collect()
}

fn status_is(status: &str) -> impl Fn(&Value) -> bool {
    move |body| body["status"] == status
}

/// A message without what may differ: the place of the sender, and the value, which is the last one
/// that was told.
fn compared(mut message: Value) -> Value {
    assert!(message["externalURL"].as_str().unwrap().starts_with("http://"));
    message["externalURL"] = json!("");
    for name in ["value", "summary"] {
        let places = message["alerts"].as_array_mut().unwrap().iter_mut();
        for alert in places.map(|it| &mut it["annotations"]) {
            assert!(alert[name].is_string(), "{alert:#?}");
            alert[name] = json!("");
        }
        message["commonAnnotations"][name] = json!("");
    }
    message
}

#[test]
fn an_alert_stands_at_an_alertmanager_until_the_limit_holds() {
    let Some(programs) = Programs::find() else { return };
    let hooks = Hooks::start();
    let theirs = hooks.url("/theirs");
    let Some(alertmanager) = Alertmanager::start(&notifying(&theirs), Reach::Port, WHAT) else {
        return;
    };
    let agent = Agent::start(&programs, "receivers");
    agent.answer(LOUD);
    let site = agent.site("receivers", SITE, &[]);
    let url = format!("http://{}/", alertmanager.address());
    let (ours, refused) = (hooks.url("/ours"), hooks.url("/refused"));
    let token = secret(&site.directory, "token", "bearer abc.d\n");
    let mut gyre = Gyre::start(
        &site.configuration(),
        &[
            "--alertmanager",
            &url,
            "--webhook",
            &refused,
            "--web-url",
            "http://pages.example.org/",
            "--alert-auth",
            &token,
            "--webhook",
            &ours,
        ],
    );
    let address = address_of_pages(&mut gyre);
    let stands = wait_for_alerts(&alertmanager, 1);
    let alert = &stands[0];
    assert_eq!(alert["status"]["state"], "active");
    let agent_name = alert["labels"]["device"].as_str().unwrap();
    assert!(agent_name.starts_with("127.0.0.1"), "{agent_name}");
    let labels = json!({"alertname": "ThresholdBroken", "target": "uplink", "database": "uplink",
        "device": agent_name, "interface": "eth0", "site": "Zürich", "severity": "critical",
        "limit": "ThreshMaxI", "direction": "in"});
    assert_eq!(alert["labels"], labels);
    let annotations = json!({"title": "A line", "description": "Call the \"provider\"",
        "limit": "50% (500.0)", "value": "80.0% (800.0)",
        "summary": "uplink: in is 80.0% (800.0), above the limit 50% (500.0)"});
    let mut told = alert["annotations"].clone();
    for name in ["value", "summary"] {
        // The mean of equal values is not always their value to the last digit.
        let value = told[name].as_str().unwrap().replace("(800)", "(800.0)");
        told[name] = json!(value);
    }
    assert_eq!(told, annotations);
    assert_eq!(alert["generatorURL"], "http://pages.example.org/t/uplink");

    let post = hooks.wait_for("/ours", status_is("firing"));
    assert!(post.head.contains(&"authorization: Bearer abc.d".to_owned()), "{:?}", post.head);
    assert_eq!(post.body["externalURL"], "http://pages.example.org");
    let theirs = hooks.wait_for("/theirs", status_is("firing"));
    assert!(!theirs.head.iter().any(|line| line.starts_with("authorization")));
    assert_eq!(compared(post.body), compared(theirs.body));

    // It is not told again and again, and whoever refuses it is named once.
    for _ in 0..3 {
        gyre.said.wait_for("1 targets polled, 0 missed");
    }
    assert_eq!((hooks.count("/ours"), hooks.count("/refused")), (1, 1));
    let refusal = format!(
        "the webhook at {} refuses 1 alerts: it answers 400 Bad Request: not \
        today",
        hooks.url("")
    );
    assert!(gyre.said.text.contains(&refusal), "{}", gyre.said.text);
    let am = format!("receiver=\"alertmanager\",address=\"{}\"", url.trim_end_matches('/'));
    let hook = format!("receiver=\"webhook\",address=\"{}\"", hooks.url(""));
    assert_eq!(metrics(&address, "gyre_alerts "), ["gyre_alerts 1"]);
    let up = [
        format!("gyre_alert_receiver_up{{{am}}} 1"),
        format!("gyre_alert_receiver_up{{{hook}}} 0"),
        format!("gyre_alert_receiver_up{{{hook},nth=\"2\"}} 1"),
    ];
    assert_eq!(metrics(&address, "gyre_alert_receiver_up"), up);
    let sent = metrics(&address, "gyre_alerts_sent_total");
    assert!(sent.contains(&format!("gyre_alerts_sent_total{{{am}}} 1")), "{sent:?}");
    let refused = metrics(&address, "gyre_alerts_refused_total");
    assert!(refused.contains(&format!("gyre_alerts_refused_total{{{hook}}} 1")), "{refused:?}");

    agent.answer(QUIET);
    wait_for_alerts(&alertmanager, 0);
    let ours = hooks.wait_for("/ours", status_is("resolved"));
    let theirs = hooks.wait_for("/theirs", status_is("resolved"));
    assert_eq!(compared(ours.body), compared(theirs.body));
    assert_eq!(metrics(&address, "gyre_alerts "), ["gyre_alerts 0"]);
    gyre.process.signal("-TERM");
    gyre.wait();
}

#[test]
fn a_failed_forecast_is_an_alert_also_if_the_run_ends_at_once() {
    let Some(programs) = Programs::find() else { return };
    let hooks = Hooks::start();
    let theirs = hooks.url("/theirs");
    let Some(alertmanager) = Alertmanager::start(&notifying(&theirs), Reach::Port, WHAT) else {
        return;
    };
    let agent = Agent::start(&programs, "forecast");
    agent.answer([Some("gauge\n50000"), Some("gauge\n200")]);
    let text =
        SITE.replace("0:01", "1").replace("ThreshMaxI[uplink]: 50%", "HWThreshMaxI[uplink]: 0");
    let text = text.replace("Title[_]", &format!("RRDHWRRAs[_]: {FORECASTS}\nTitle[_]"));
    let text = text.replace("MaxBytes[_]: 1000", "MaxBytes[_]: 1000\nAbsMax[_]: 100000");
    let site = agent.site("forecast", &text, &[]);
    let past = agent.directory.join("past.rrd");
    write_past(&programs, &past);
    fs::copy(&past, site.directory.join("work/uplink.rrd")).unwrap();
    let url = format!("http://{}", alertmanager.address());
    let more = ["--once", "--rrd-files", "--alertmanager", &url];
    let mut gyre = Gyre::start(&site.configuration(), &more);
    gyre.wait();
    let alerts = wait_for_alerts(&alertmanager, 1);
    assert_eq!(alerts[0]["labels"]["alertname"], "ForecastFailed");
    assert_eq!(alerts[0]["annotations"]["summary"], "uplink: in is not as forecast");
    // Nobody confirms it, so Alertmanager ends it after four intervals.
    let time = |name: &str| alerts[0][name].as_str().unwrap().parse::<jiff::Timestamp>().unwrap();
    let lasts = time("endsAt").duration_since(time("startsAt"));
    assert_eq!(lasts, jiff::SignedDuration::from_mins(4));
}

/// Five alerts of one group come in halves, until a post is small enough.
#[test]
fn a_webhook_that_takes_small_posts_alone_is_told_in_halves() {
    let Some(programs) = Programs::find() else { return };
    let hooks = Hooks::start();
    let agent = Agent::start(&programs, "halves");
    agent.answer(LOUD);
    let more = |nth| format!("Target[line{nth}]: AGENT\nThreshMaxI[line{nth}]: 50%\n");
    let lines: String = (1..5).map(more).collect();
    let site = agent.site("halves", &format!("{SITE}{lines}"), &[]);
    let url = hooks.url("/small");
    let mut gyre = Gyre::start(&site.configuration(), &["--webhook", &url]);
    let address = address_of_pages(&mut gyre);
    hooks.wait_for_small(5);
    let all = |body: &Value| body["alerts"].as_array().is_some_and(|alerts| alerts.len() == 5);
    hooks.wait_for("/small", all);
    let refused = metrics(&address, "gyre_alerts_refused_total");
    assert!(!refused.is_empty() && refused.iter().all(|line| line.ends_with(" 0")), "{refused:?}");
    gyre.process.signal("-TERM");
    gyre.wait();
}

#[test]
fn an_alertmanager_that_is_down_or_slow_delays_nothing_and_is_told_later() {
    let Some(programs) = Programs::find() else { return };
    let hooks = Hooks::start();
    let theirs = hooks.url("/theirs");
    let Some(mut alertmanager) = Alertmanager::start(&notifying(&theirs), Reach::Port, WHAT) else {
        return;
    };
    alertmanager.kill();
    let agent = Agent::start(&programs, "down");
    agent.answer(LOUD);
    let site = agent.site("down", SITE, &[]);
    let url = format!("http://{}", alertmanager.address());
    let ours = hooks.url("/ours");
    let mut gyre =
        Gyre::start(&site.configuration(), &["--alertmanager", &url, "--webhook", &ours]);
    let address = address_of_pages(&mut gyre);
    let waits = format!("Alertmanager at {url}: Connection refused; alerts for it wait");
    gyre.said.wait_for(&waits);
    // The other receiver does not wait for it.
    hooks.wait_for("/ours", status_is("firing"));
    gyre.said.wait_for("1 targets polled, 0 missed");
    let failed = metrics(&address, "gyre_alert_posts_failed_total{receiver=\"alertmanager\"");
    assert!(!failed[0].ends_with(" 0"), "{failed:?}");
    assert!(get(&address, "/status").contains("Connection refused"));
    alertmanager.start_again();
    gyre.said.wait_for(&format!("Alertmanager at {url} takes alerts again"));
    wait_for_alerts(&alertmanager, 1);
    wait_until_status_lacks(&address, "Connection refused");

    alertmanager.halt();
    agent.answer(QUIET);
    gyre.said.wait_for(&format!("Alertmanager at {url}: it takes too long; alerts for it wait"));
    alertmanager.go_on();
    gyre.said.wait_for("takes alerts again");
    wait_for_alerts(&alertmanager, 0);
    hooks.wait_for("/theirs", status_is("resolved"));
    gyre.process.signal("-TERM");
    gyre.wait();
    let cycles = gyre.cycles();
    assert!(cycles.len() > 8 && cycles.iter().copied().eq(0..cycles.len() as u64), "{cycles:?}");
    assert_eq!(gyre.said.text.matches("alerts for it wait").count(), 2, "{}", gyre.said.text);
}

#[test]
fn a_later_run_ends_the_alerts_of_the_last_one() {
    let Some(programs) = Programs::find() else { return };
    let hooks = Hooks::start();
    let (first, second) = (hooks.url("/first"), hooks.url("/second"));
    let agent = Agent::start(&programs, "later");
    agent.answer(LOUD);
    let site = agent.site("later", SITE, &[]);
    let start = |more: &[&str]| {
        Gyre::start(&site.configuration(), &[&["--no-web", "--webhook", &first], more].concat())
    };
    let mut gyre = start(&[]);
    let began = hooks.wait_for("/first", status_is("firing")).body;
    gyre.process.signal("-TERM");
    gyre.wait();
    // It still stands: who was told is not told again, and who is new is told.
    let mut gyre = start(&["--webhook", &second]);
    let told = hooks.wait_for("/second", status_is("firing")).body;
    assert_eq!(told["alerts"][0]["startsAt"], began["alerts"][0]["startsAt"]);
    for _ in 0..3 {
        gyre.said.wait_for("1 targets polled, 0 missed");
    }
    assert_eq!(hooks.count("/first"), 1);
    // A killed run leaves what it wrote when it was last told of a change.
    kill_below(&gyre);
    let _ = gyre.process.0.wait();
    agent.answer(QUIET);
    let mut gyre = start(&["--webhook", &second]);
    for path in ["/first", "/second"] {
        let ended = hooks.wait_for(path, status_is("resolved")).body;
        assert_eq!(ended["alerts"][0]["startsAt"], began["alerts"][0]["startsAt"]);
    }
    assert_eq!(hooks.count("/first"), 2);
    gyre.process.signal("-TERM");
    gyre.wait();

    let file = site.directory.join("work/store/site.alerts");
    fs::write(&file, "gyre alerts 1\n").unwrap();
    let mut gyre = start(&[]);
    let expected = format!("{}: expected `sum` and the CRC-32", file.display());
    gyre.said.wait_for(&expected);
    gyre.process.signal("-TERM");
    gyre.wait();
}

#[test]
fn an_alertmanager_may_want_tls_and_a_password() {
    let Some(programs) = Programs::find() else { return };
    let hooks = Hooks::start();
    let theirs = hooks.url("/theirs");
    let Some(alertmanager) = Alertmanager::start(&notifying(&theirs), Reach::Tls, WHAT) else {
        return;
    };
    let agent = Agent::start(&programs, "encrypted");
    agent.answer(LOUD);
    let site = agent.site("encrypted", SITE, &[]);
    let url = format!("https://{}", alertmanager.address());
    let line = format!("basic {ALERTMANAGER_USER}:wrong");
    let password = secret(&site.directory, "password", &line);
    let authority = alertmanager.authority().display().to_string();
    let more =
        ["--alert-auth", &password, "--alert-ca", &authority, "--alertmanager", &url, "--no-web"];
    let mut gyre = Gyre::start(&site.configuration(), &more);
    gyre.said.wait_for(&format!("Alertmanager at {url}: it answers 401 Unauthorized"));
    // The file is read for each post.
    let line = format!("basic {ALERTMANAGER_USER}:{ALERTMANAGER_PASSWORD}\n");
    secret(&site.directory, "password", &line);
    gyre.said.wait_for("takes alerts again");
    let told = hooks.wait_for("/theirs", status_is("firing"));
    assert_eq!(told.body["alerts"][0]["generatorURL"], "");
    gyre.process.signal("-TERM");
    gyre.wait();
    assert!(!gyre.said.text.contains(ALERTMANAGER_PASSWORD));

    // Without its authority, it is not believed.
    let mut gyre = Gyre::start(&site.configuration(), &["--alertmanager", &url]);
    let line = gyre.said.wait_for("alerts for it wait");
    assert!(line.contains("certificate") || line.contains("UnknownIssuer"), "{line}");
    gyre.process.signal("-TERM");
    gyre.wait();
}

/// Kills what `timeout` has started.
fn kill_below(gyre: &Gyre) {
    let id = gyre.process.0.id();
    let below = fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap();
    let status = Command::new("kill").args(["-KILL", below.trim()]).status().unwrap();
    assert!(status.success(), "{below}");
}

/// A file that its owner alone may read.
fn secret(directory: &Path, name: &str, text: &str) -> String {
    let path = directory.join(name);
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    path.display().to_string()
}

#[test]
fn options_of_receivers_that_cannot_be_used_are_one_clear_error() {
    let directory = tempfile::tempdir().unwrap();
    let site = Site { directory: directory.path().to_owned() };
    fs::write(site.configuration(), "WorkDir: /nowhere\n").unwrap();
    let path = |name: &str| directory.path().join(name).display().to_string();
    secret(directory.path(), "wrong", "me and you\n");
    fs::write(directory.path().join("open"), "bearer x\n").unwrap();
    fs::set_permissions(directory.path().join("open"), fs::Permissions::from_mode(0o644)).unwrap();
    let refusal = |words: &[&str]| {
        let mut gyre = Command::new(env!("CARGO_BIN_EXE_gyre"));
        let output = gyre.arg("run").arg(site.configuration()).args(words).output().unwrap();
        let said = text(&output).replace(&path(""), "");
        (output.status.code().unwrap(), said.lines().next().unwrap().to_owned())
    };
    let form = "expected http://HOST or https://HOST, perhaps with a port and a path";
    let cases: [(&[&str], i32, &str); 7] = [
        (&["--alertmanager", "am:9093"], 2, form),
        (&["--web-url", "pages"], 2, form),
        (&["--webhook", "http://u:s3cret@h/"], 2, "expected no user in it"),
        (&["--webhook", "http://h/", "--alert-auth", "x"], 2, "and none follows"),
        (
            &["--alert-auth", &path("wrong"), "--webhook", "http://h/"],
            1,
            "--alert-auth: wrong: expected one line, `bearer TOKEN` or `basic NAME:PASSWORD`",
        ),
        (&["--alert-auth", &path("open"), "--webhook", "http://h/"], 1, "open: it has mode 0644"),
        (
            &["--alert-ca", &path("wrong"), "--webhook", "https://h/"],
            1,
            "--alert-ca wrong: expected certificates in PEM, found none",
        ),
    ];
    for (words, code, expected) in cases {
        let (found, said) = refusal(words);
        assert!(found == code && said.contains(expected), "{words:?}: {found}: {said}");
        assert!(!said.contains("s3cret"), "{said}");
    }
}
