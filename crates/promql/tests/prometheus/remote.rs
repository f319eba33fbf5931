//! Remote read by a real Prometheus, which then evaluates queries over what it was given.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

use oracle::Prometheus;
use promql::api::{Api, InstantQuery, RangeQuery};
use promql::{Limits, remote_read};

use crate::memory::Memory;
use crate::{RANGE, TIMES, compare, report, samples};

/// Serves remote read from a thread of its own for as long as the test runs; returns its address.
fn serve(memory: Arc<Memory>) -> String {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (stream, memory) = (stream.unwrap(), Arc::clone(&memory));
            std::thread::spawn(move || reply(&stream, &memory));
        }
    });
    format!("http://{address}/api/v1/read")
}

/// One request, and the end of the connection.
fn reply(mut stream: &TcpStream, memory: &Memory) {
    let mut reader = BufReader::new(stream);
    let (mut line, mut length) = (String::new(), 0);
    while reader.read_line(&mut line).unwrap() > 2 {
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        line.clear();
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let answer = remote_read::answer(memory, &body, 1 << 20, &|| true).unwrap();
    let (kind, encoding) = (remote_read::CONTENT_TYPE, remote_read::CONTENT_ENCODING);
    let head = format!(
        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: {kind}\r\nContent-Encoding: \
         {encoding}\r\nContent-Length: {}\r\n\r\n",
        answer.len()
    );
    stream.write_all(&[head.as_bytes(), &answer].concat()).unwrap();
}

#[test]
fn prometheus_reads_our_samples_and_answers_as_we_do() {
    let memory = Arc::new(samples::series());
    let tested = "remote read by Prometheus";
    let url = serve(Arc::clone(&memory));
    let Some(prometheus) = Prometheus::start_reading_from(&url, tested) else { return };
    let limits = Limits::default();
    let api = Api { source: &*memory, limits, now_micros: 0, goes_on: &|| true };
    let mut found = Vec::new();
    for query in [
        "load",
        "sum by (host) (load{if=~\"eth.*\",host!=\"b\"})",
        "rate(packets_total{host!~\"b|c\"}[5m])",
        "max_over_time(temperature[1h]) - temperature offset 10m",
        "nosuch",
    ] {
        for time in TIMES {
            let theirs = prometheus.ask("/api/v1/query", &[("query", query), ("time", time)]);
            let ours = api.query(&InstantQuery { query, time: Some(time) });
            found.extend(compare::difference(&ours, &theirs));
        }
        let RangeQuery { start, end, step, .. } = RANGE;
        let parameters = [("query", query), ("start", start), ("end", end), ("step", step)];
        let theirs = prometheus.ask("/api/v1/query_range", &parameters);
        found
            .extend(compare::difference(&api.query_range(&RangeQuery { query, ..RANGE }), &theirs));
    }
    report(found);
}
