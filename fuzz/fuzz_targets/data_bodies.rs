//! The bodies of requests that change databases, as JSON: whatever they are, there is an answer in
//! JSON, and the store is handed what it can read.
//!
//! The first byte chooses between samples and a new database.
#![no_main]

use std::sync::{Arc, LazyLock};

use axum::body::{Body, to_bytes};
use axum::http::Request;
use libfuzzer_sys::fuzz_target;
use lookup::Rules;
use nothing::Nothing;
use server::{DataContext, Hosts, Router, data_router};
use store::Rooted;
use tokio::runtime::{Builder, Runtime};
use tower::ServiceExt as _;

#[path = "../nothing.rs"]
mod nothing;

static ROUTER: LazyLock<Router> = LazyLock::new(|| {
    let store = Rooted::new(Arc::new(Nothing));
    let mut data = DataContext::new(store, Rules::default(), Box::new(|_| Vec::new()));
    data.takes_changes = true;
    data_router(data, Hosts::of_this_machine())
});

static RUNTIME: LazyLock<Runtime> =
    LazyLock::new(|| Builder::new_current_thread().build().expect("a runtime"));

fuzz_target!(|bytes: &[u8]| {
    let Some((choice, body)) = bytes.split_first() else { return };
    let request = match choice % 2 {
        0 => Request::post("http://localhost/api/samples"),
        _ => Request::put("http://localhost/api/databases/a.rrd"),
    };
    let request = request.header("content-type", "application/json").header("host", "localhost");
    let request = request.body(Body::from(body.to_vec())).expect("a request");
    let (status, body) = RUNTIME.block_on(async {
        let response = ROUTER.clone().oneshot(request).await.expect("a router always answers");
        let status = response.status().as_u16();
        (status, to_bytes(response.into_body(), usize::MAX).await.expect("it is in memory"))
    });
    assert!(status < 500, "{status} {body:?}");
    let answer: serde_json::Value = serde_json::from_slice(&body).expect("JSON");
    assert!(status < 300 || answer["error"].is_string() || answer["refused"].is_array());
});
