//! Samples of agents (`--intake`): what they send can be asked for, and nothing that was
//! acknowledged is lost.
#![allow(clippy::disallowed_methods)] // processes, and sockets on loopback

mod said;
mod senders;

use std::io::Write as _;
use std::net::{TcpStream, UdpSocket};

use rustix::process::Signal;
use senders::{Sender, Site, now_seconds, wait_for};
use serde_json::json;

#[test]
fn what_agents_send_can_be_asked_for() {
    let site = Site::new(
        "graphite = \"127.0.0.1:0\"\nstatsd = \"127.0.0.1:0\"\nstatsd_interval_seconds = 1\n\
         influx = \"127.0.0.1:0\"\nhttp = true\n[[layout]]\nstep = 1\n",
    );
    let mut run = site.start(&[]);
    let time = now_seconds() - 1;
    let mut stream = TcpStream::connect(run.address("graphite")).unwrap();
    write!(stream, "servers.web1.load 1.5 {time}\ndisk.used;host=b 7 {time}\n").unwrap();
    let lines = format!("cpu,host=a,core=0 idle=97.5 {time}\n");
    assert_eq!(run.post("/write?precision=s", &lines).status, 204);
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.send_to(b"mem,host=a value=42i", run.address("influx")).unwrap();
    socket.send_to(b"requests:3|g", run.address("statsd")).unwrap();
    for (name, labels, value) in [
        ("cpu_idle", json!({ "core": "0", "host": "a" }), "97.5"),
        ("{__name__=\"disk.used\"}", json!({ "host": "b" }), "7"),
        ("mem", json!({ "host": "a" }), "42"),
    ] {
        let query = format!("last_over_time({name}[1m])");
        assert_eq!(run.labels_once_it_is(&query, value), labels, "{name}");
    }
    for (path, value) in [("servers.web1.load", 1.5), ("stats.gauges.requests", 3.0)] {
        wait_for(path, || {
            let answer = run.get(&format!("/render?target={path}&format=json&from=-1min"));
            let answer: serde_json::Value = serde_json::from_str(&answer.body).unwrap();
            let points = answer[0]["datapoints"].as_array()?.iter();
            points.filter_map(|point| point[0].as_f64()).find(|it| *it == value)
        });
    }
    let taken = |protocol: &str| {
        run.metric(&format!(
            "gyre_agent_samples_total{{protocol=\"{protocol}\",outcome=\"taken\"}}"
        ))
    };
    assert_eq!((taken("graphite"), taken("influx")), (2, 2));
    assert!(taken("statsd") > 0);
    assert_eq!(run.metric("gyre_agent_connections_open"), 1);
    run.end();
}

#[test]
fn rules_are_read_again() {
    let site = Site::new("http = true\n");
    let mut run = site.start(&[]);
    assert_eq!(run.post("/write", "a value=1").status, 204);
    site.say("http = true\n[[layout]]\nseries = \"b\"\ndrop = true\n");
    run.signal(Signal::HUP);
    run.wait_for("the rules for agents are read anew: 1");
    assert_eq!(run.post("/write", "b value=1").status, 204);
    let dropped = "gyre_agent_samples_total{protocol=\"influx\",outcome=\"dropped\"}";
    assert_eq!(run.metric(dropped), 1);
    site.say("http = true\n[[layout]]\nsteps = 1\n");
    run.signal(Signal::HUP);
    let told = run.wait_for("the rules for agents stay as they were");
    assert!(told.contains("intake.toml"), "{told}");
}

#[test]
fn nothing_acknowledged_is_lost_by_a_kill() {
    let site = Site::new("http = true\n[[layout]]\nstep = 1\n");
    let mut time = now_seconds() - 50;
    for _ in 0..3 {
        let run = site.start(&[]);
        for _ in 0..10 {
            time += 1;
            let lines: String =
                (0..50).map(|it| format!("m,n={it} value={time} {time}\n")).collect();
            assert_eq!(run.post("/api/v2/write?precision=s", &lines).status, 204);
        }
        run.kill();
    }
    let run = site.start(&[]);
    let found = run.query("last_over_time(m[2m])");
    assert_eq!(found.len(), 50);
    for (_, value) in found {
        assert_eq!(value, time.to_string());
    }
    let found = run.query("sum(count_over_time(m[2m]))");
    assert_eq!(found[0].1, (30 * 50).to_string());
}

#[test]
fn prometheus_writes_what_it_scrapes() {
    let site = Site::new("http = true\n[[layout]]\nstep = 1\n");
    let run = site.start(&[]);
    let url = format!("http://{}/api/v1/write", run.web);
    let tested = "remote write by Prometheus";
    let Some(prometheus) = oracle::Prometheus::start_writing_to(&url, tested) else { return };
    let instance = prometheus.address();
    // The first time it asks itself before it answers.
    let labels = run.labels_once_it_is("last_over_time(up[1m])", "1");
    assert_eq!(labels, json!({ "instance": instance, "job": "itself" }));
    // What it has itself is here, too.
    let names = |text: &str| {
        let answer: serde_json::Value = serde_json::from_str(text).unwrap();
        let names = answer["data"].as_array().unwrap().iter();
        let names = names.map(|name| name.as_str().unwrap().to_owned());
        names.collect::<std::collections::BTreeSet<_>>()
    };
    let path = "/api/v1/label/__name__/values";
    wait_for("the same metrics", || {
        let theirs = names(&prometheus.ask(path, &[]).body);
        let ours = names(&run.get(path).body);
        (!theirs.is_empty() && theirs.is_subset(&ours)).then_some(())
    });
    let taken = "gyre_agent_samples_total{protocol=\"remote_write\",outcome=\"taken\"}";
    assert!(run.metric(taken) > 100);
    for outcome in ["refused", "unmade", "failed", "forbidden"] {
        let name =
            format!("gyre_agent_samples_total{{protocol=\"remote_write\",outcome=\"{outcome}\"}}");
        assert_eq!(run.metric(&name), 0, "{outcome}");
    }
}

#[test]
fn vmagent_writes_what_it_scrapes() {
    let Some(program) = oracle::program("vmagent", "remote write by vmagent") else { return };
    let site = Site::new("http = true\n[[layout]]\nstep = 1\n");
    let run = site.start(&[]);
    let port = oracle::free_port();
    let scrapes = site.path("scrapes.yml");
    std::fs::write(
        &scrapes,
        format!(
            "global: {{scrape_interval: 1s}}\nscrape_configs:\n- job_name: agent\n  \
             static_configs: [{{targets: [\"127.0.0.1:{port}\"]}}]\n"
        ),
    )
    .unwrap();
    let words = [
        format!("-httpListenAddr=127.0.0.1:{port}"),
        format!("-promscrape.config={}", scrapes.display()),
        format!("-remoteWrite.url=http://{}/api/v1/write", run.web),
        format!("-remoteWrite.tmpDataPath={}", site.path("queue").display()),
    ];
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let _agent = Sender::start(&program, &words);
    let labels = run.labels_once_it_is("last_over_time(up[1m])", "1");
    let instance = format!("127.0.0.1:{port}");
    assert_eq!(labels, json!({ "instance": instance, "job": "agent" }));
}

#[test]
fn who_would_let_in_everybody_is_refused() {
    let site = Site::new("graphite = \"0.0.0.0:0\"\n");
    let told = site.refused(&[]);
    assert!(told.contains("--intake: graphite at 0.0.0.0:0: others than users"), "{told}");
    site.say("http = true\n");
    let told = site.refused(&["--no-web"]);
    assert!(told.contains("there are none"), "{told}");
    site.say("http = true\nnonsense = 1\n");
    let told = site.refused(&[]);
    assert!(told.contains("intake.toml") && told.contains("line 2"), "{told}");
    site.say("collectd = \"127.0.0.1:0\"\ncollectd_security = \"sign\"\ncollectd_users = \"no\"\n");
    let told = site.refused(&[]);
    assert!(told.contains("/no: No such file"), "{told}");
}

#[test]
fn a_reload_lets_nobody_in_whom_the_start_kept_out() {
    let users = "collectd_users = \"users\"\n";
    let site = Site::new(&format!(
        "collectd = \"127.0.0.1:0\"\ncollectd_security = \"sign\"\ncollectd_types = []\n{users}"
    ));
    std::fs::write(site.path("users"), "alice: rosebud\n").unwrap();
    let mut run = site.start(&[]);
    let address = run.address("collectd");
    // The socket stays, whatever the file says of it now.
    for text in ["http = true\n", "collectd = \"127.0.0.1:0\"\ncollectd_types = []\n"] {
        site.say(&format!("{text}{users}"));
        run.signal(Signal::HUP);
        run.wait_for("the rules for agents are read anew: 0");
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        // Host h, plugin p, type gauge, a value, the time 2^30 seconds.
        let packet = b"\0\0\0\x06h\0\0\x01\0\x0c\0\0\0\0\x40\0\0\0\0\x02\0\x06p\0\
                       \0\x04\0\x0agauge\0\0\x06\0\x0f\0\x01\x01\0\0\0\0\0\0\xf0\x3f";
        socket.send_to(packet, address).unwrap();
        let wrong = "gyre_agent_messages_wrong_total{protocol=\"collectd\"}";
        wait_for("the packet", || (run.metric(wrong) > 0).then_some(()));
        let taken = "gyre_agent_databases_made_total{protocol=\"collectd\"}";
        assert_eq!(run.metric(taken), 0);
    }
}
