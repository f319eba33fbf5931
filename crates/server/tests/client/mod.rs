//! A browser without a network: calls the router.

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Request};
use tokio::runtime::{Builder, Runtime};
use tower::ServiceExt as _;

use super::fixture::Fixture;

pub(crate) struct Client {
    router: Router,
    runtime: Runtime,
    _site: Fixture,
}

pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Client {
    pub(crate) fn new(site: Fixture) -> Self {
        let router = server::router(site.context.clone(), server::Hosts::of_this_machine());
        Self::of(router, site)
    }

    /// The same over other pages of the site.
    pub(crate) fn of(router: Router, site: Fixture) -> Self {
        Self {
            router,
            runtime: Builder::new_current_thread().build().expect("a runtime"),
            _site: site,
        }
    }

    pub(crate) fn get(&self, address: &str) -> Answer {
        self.get_with(address, &[])
    }

    pub(crate) fn get_with(&self, address: &str, headers: &[(&str, &str)]) -> Answer {
        let mut request = Request::get(address);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Body::empty()).expect("an address");
        let router = self.router.clone();
        self.runtime.block_on(async {
            let response = router.oneshot(request).await.expect("a router always answers");
            let status = response.status().as_u16();
            let headers = response.headers().clone();
            let body = to_bytes(response.into_body(), usize::MAX).await;
            Answer { status, headers, body: body.expect("it is in memory").to_vec() }
        })
    }
}

impl Answer {
    pub(crate) fn text(&self) -> &str {
        str::from_utf8(&self.body).expect("pages are UTF-8")
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).expect("it is JSON")
    }
}
