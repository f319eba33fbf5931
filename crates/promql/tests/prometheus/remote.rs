//! Remote read by a real Prometheus, which then evaluates queries over what it was given.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

use oracle::Prometheus;
use promql::api::{Api, InstantQuery, RangeQuery};
use promql::{Limits, remote_read};

use crate::{RANGE, TIMES, compare, report, samples};

/// Serves requests from threads of its own for as long as the tests run; returns its address. A
/// handler makes the body of an answer from that of a request.
fn serve(handle: impl Fn(&[u8]) -> Vec<u8> + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let (address, handle) = (listener.local_addr().unwrap(), Arc::new(handle));
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (stream, handle) = (stream.unwrap(), Arc::clone(&handle));
            std::thread::spawn(move || reply(&stream, &*handle));
        }
    });
    format!("http://{address}/")
}

/// One request, and the end of the connection.
fn reply(mut stream: &TcpStream, handle: &dyn Fn(&[u8]) -> Vec<u8>) {
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
    let answer = handle(&body);
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
    let read = Arc::clone(&memory);
    let url = serve(move |body| remote_read::answer(&*read, body, 1 << 20, &|| true).unwrap());
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
