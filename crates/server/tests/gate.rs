//! Who is let in, and what is shown to them.

mod fixture;

use std::io;
use std::sync::Arc;

use access::{Current, Token, Tokens};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request, Response};
use fixture::{Fixture, fixture, name};
use rrd::Stretch;
use rrd::fetch::Query;
use server::{EntriesPage, Entry, Gate, Hosts, Tree, TreeContext, Unanswered};
use store::Outline;
use tokio::runtime::Builder;
use tower::ServiceExt as _;

/// Targets on 12 ports a device: `site01-core1_1` to `site01-edge2_12`.
const TARGETS: usize = 24;

struct Site {
    tokens: Current,
    router: Router,
    _fixture: Option<Fixture>,
}

struct Answer {
    status: u16,
    head: String,
    text: String,
}

fn token(seed: u8) -> Token {
    Token::of([seed; 32])
}

fn tokens(lines: &[(&str, u8, &str)]) -> Tokens {
    let lines = lines
        .iter()
        .map(|(head, seed, prefixes)| format!("{head} {} {prefixes}\n", token(*seed).hash()));
    Tokens::parse(lines.collect::<String>().as_bytes()).expect("a file of tokens")
}

const ALL: u8 = 1;
const SOME: u8 = 2;
const WRITER: u8 = 3;
const NOBODY: u8 = 9;

impl Site {
    fn new() -> Self {
        Self::of(fixture(TARGETS, 2, 1))
    }

    fn of(fixture: Fixture) -> Self {
        let tokens = Current::new(tokens(&[
            ("all read", ALL, ""),
            ("some read", SOME, "site01-core1_"),
            ("writer write", WRITER, ""),
        ]));
        let router = server::router(fixture.context.clone(), Hosts::of_this_machine());
        let gate = Gate::new(tokens.clone());
        Self { router: gate.around(router), tokens, _fixture: Some(fixture) }
    }

    /// Pages over databases without a configuration.
    fn tree() -> Self {
        let lines = [("all read", ALL, ""), ("some read", SOME, "site/router/")];
        let tokens = Current::new(tokens(&lines));
        let context = TreeContext::new(Arc::new(Reached), "t".to_owned(), "gyre".to_owned());
        let router = server::tree_router(context, Hosts::of_this_machine());
        let gate = Gate::new(tokens.clone());
        Self { router: gate.around(router), tokens, _fixture: None }
    }

    fn ask(&self, request: Request<Body>) -> Answer {
        let runtime = Builder::new_current_thread().build().expect("a runtime");
        let router = self.router.clone();
        runtime.block_on(async {
            let response: Response<Body> = router.oneshot(request).await.expect("an answer");
            let (status, head) = (response.status().as_u16(), format!("{:?}", response.headers()));
            let body = to_bytes(response.into_body(), usize::MAX).await.expect("it is in memory");
            Answer { status, head, text: String::from_utf8_lossy(&body).into_owned() }
        })
    }

    fn with(&self, method: &str, address: &str, shown: &[String]) -> Answer {
        let mut request = Request::builder().method(method).uri(address);
        for value in shown {
            request = request.header("authorization", value);
        }
        self.ask(request.body(Body::empty()).expect("a request"))
    }

    fn get(&self, address: &str, seed: u8) -> Answer {
        self.with("GET", address, &[bearer(seed)])
    }
}

/// Each directory has the same entries, behind two pages of others; a database says that it was
/// reached.
struct Reached;

impl Tree for Reached {
    fn list(&self, _: &str, from: &str, _: usize) -> io::Result<EntriesPage> {
        let next = match from {
            "" => Some("hidden1"),
            "hidden1" => Some("hidden2"),
            _ => None,
        };
        if let Some(next) = next {
            return Ok(EntriesPage { entries: Vec::new(), next: Some(next.to_owned()) });
        }
        let entries = [("site", true), ("router", true), ("other", true), ("a.rrd", false)];
        let entry = |(name, is_directory): (&str, bool)| Entry { name: name.into(), is_directory };
        Ok(EntriesPage { entries: entries.map(entry).into(), next: None })
    }

    fn outline(&self, _: &str) -> Result<Outline, Unanswered> {
        Err(Unanswered::Told("reached".to_owned()))
    }

    fn fetch(&self, _: &str, _: &Query) -> Result<Stretch, Unanswered> {
        Err(Unanswered::Told("reached".to_owned()))
    }
}

#[test]
fn prefixes_limit_directories_and_databases() {
    let tree = Site::tree();
    let listed = |directory: &str, seed| {
        let answer = tree.get(&format!("{directory}?from=hidden2"), seed);
        let entries = ["site", "router", "other", "a.rrd"].into_iter();
        let is_linked = |name: &&str| {
            let ends = [format!("%2F{name}\""), format!("/dir/{name}\""), format!("/db/{name}\"")];
            let list = answer.text.split("<ul").nth(1).unwrap_or_default();
            ends.iter().any(|end| list.contains(end))
        };
        (answer.status, entries.filter(is_linked).collect::<Vec<_>>().join(" "))
    };
    // A link to the next page must not tell a name that is not seen.
    assert!(tree.get("/", ALL).text.contains("from=hidden1"));
    assert!(!tree.get("/", SOME).text.contains("from="));
    let everything = "site router other a.rrd";
    for (directory, some) in [
        ("/", (200, "site")),
        ("/dir/site", (200, "router")),
        ("/dir/site%2Frouter", (200, everything)),
        ("/dir/other", (404, "")),
        ("/dir/site%2Fother", (404, "")),
        ("/dir/site%2Frouter%2F..", (404, "")),
        ("/dir/%2Fetc", (404, "")),
    ] {
        assert_eq!(listed(directory, SOME), (some.0, some.1.to_owned()), "{directory}");
        assert_eq!(listed(directory, ALL), (200, everything.to_owned()), "{directory}");
    }
    assert_eq!((tree.get("/store", ALL).status, tree.get("/store", SOME).status), (200, 403));
    for (name, is_seen) in [
        ("site%2Frouter%2Fa.rrd", true),
        ("site%2Fa.rrd", false),
        ("a.rrd", false),
        ("site%2Frouter%2F..%2Fa.rrd", false),
        ("site%2Frouter%2F%2Fa.rrd", false),
        ("..%2Fsite%2Frouter%2Fa.rrd", false),
    ] {
        for page in [format!("/db/{name}"), format!("/graph/{name}/in/day.svg")] {
            let (all, some) = (tree.get(&page, ALL), tree.get(&page, SOME));
            assert!(all.status == 500 && all.text.contains("reached"), "{page}");
            assert_eq!(
                (some.status, some.text.contains("reached")),
                match is_seen {
                    true => (500, true),
                    false => (404, false),
                }
            );
        }
        let charts = format!("/api/charts?d={name}");
        let (all, some) = (tree.get(&charts, ALL), tree.get(&charts, SOME));
        assert!(all.status == 200 && all.text.contains("\"problem\":\"reached\""), "{}", all.text);
        assert_eq!(some.status, if is_seen { 200 } else { 404 }, "{charts}");
        assert_eq!(some.text.contains("reached"), is_seen, "{charts}");
    }
}

#[test]
fn prefixes_limit_what_is_ranked() {
    let site = Site::new();
    let listed = |address: &str, seed| {
        let answer = site.get(address, seed);
        assert_eq!(answer.status, 200, "{address}: {}", answer.text);
        (answer.text.contains("site01-core1_1"), answer.text.contains("site01-edge2_"))
    };
    for page in ["/top?by=silent", "/api/ranks?by=silent&n=1000", "/top?by=silent&span=hour"] {
        assert_eq!(listed(page, ALL), (true, true), "{page}");
        assert_eq!(listed(page, SOME), (true, false), "{page}");
    }
    // Nor how many there are.
    let told = |seed| site.get("/api/ranks?by=silent&n=1000", seed).text;
    assert!(told(SOME).contains("\"concerned\":null"), "{}", told(SOME));
    assert!(!told(ALL).contains("\"concerned\":null"), "{}", told(ALL));
    assert!(!site.get("/top?by=silent", SOME).text.contains(" first of 120 targets"));
    for page in ["/top?by=slow", "/top?by=failing", "/store", "/store/cycle/day.svg"] {
        assert_eq!(site.get(page, SOME).status, 403, "{page}");
    }
    for page in ["/top?by=slow", "/store"] {
        assert_eq!(site.get(page, ALL).status, 200, "{page}");
    }
    assert_eq!(site.get("/api/ranks", NOBODY).status, 401);
}

fn bearer(seed: u8) -> String {
    format!("Bearer {}", token(seed).reveal())
}

/// As a browser sends it.
fn basic(user: &str, seed: u8) -> String {
    format!("Basic {}", base64(format!("{user}:{}", token(seed).reveal()).as_bytes()))
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for part in bytes.chunks(3) {
        let bits = (0..3).fold(0u32, |bits, nth| {
            bits << 8 | u32::from(part.get(nth).copied().unwrap_or_default())
        });
        for nth in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * nth) & 63) as usize];
            text.push(if nth <= part.len() { digit.into() } else { '=' });
        }
    }
    text
}

const PAGES: [&str; 9] = [
    "/",
    "/status",
    "/metrics?devices=all",
    "/api/status.json",
    "/api/targets.json",
    "/api/targets/site01-core1_1.json",
    "/api/charts?t=site01-core1_1",
    "/assets/x/style.css",
    "/none",
];

#[test]
fn nothing_is_shown_without_a_token() {
    let site = Site::new();
    let wrong = [
        vec![],
        vec![bearer(NOBODY)],
        vec![basic("all", NOBODY)],
        vec![format!("Bearer {}", &token(ALL).reveal()[1..])],
        vec![format!("Bearer {}", token(ALL).hash())],
        vec!["Bearer".into()],
        vec!["Basic !!".into()],
        vec![format!("Basic {}", base64(token(ALL).reveal().as_bytes()))], // no name, no colon
        vec![format!("Digest {}", token(ALL).reveal())],
        vec![bearer(ALL), bearer(NOBODY)],
        vec![bearer(NOBODY), bearer(ALL)],
    ];
    for page in PAGES {
        for shown in &wrong {
            let answer = site.with("GET", page, shown);
            assert_eq!(answer.status, 401, "{page} {shown:?}");
            assert!(answer.head.contains("Basic realm=") && answer.head.contains("Bearer realm="));
            assert!(!answer.text.contains("site01") && !answer.text.contains("gyre_"));
        }
    }
    let told = site.with("GET", "/api/status.json", &[]);
    let told: serde_json::Value = serde_json::from_str(&told.text).expect("JSON");
    assert!(told["error"].as_str().is_some_and(|words| words.contains("token")), "{told}");
}

#[test]
fn programs_and_browsers_show_tokens() {
    let site = Site::new();
    for page in &PAGES[..8] {
        for shown in [bearer(ALL), basic("anybody", ALL), basic("", WRITER)] {
            let answer = site.with("GET", page, &[shown]);
            assert_eq!(answer.status, 200, "{page}: {}", answer.text);
        }
    }
    assert_eq!(site.get("/none", ALL).status, 404);
    assert_eq!(site.with("HEAD", "/", &[bearer(ALL)]).status, 200);
}

#[test]
fn what_changes_something_needs_a_role_and_no_browser_sends_it_by_itself() {
    let site = Site::new();
    for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"] {
        let refused = |shown| site.with(method, "/", &[shown]);
        let reader = refused(bearer(ALL));
        assert_eq!(reader.status, 403, "{method}");
        assert!(reader.text.contains("role write"), "{}", reader.text);
        let browser = refused(basic("a", WRITER));
        assert_eq!(browser.status, 403, "{method}");
        assert!(browser.text.contains("Bearer"), "{}", browser.text);
        // Nothing that is served today changes anything.
        assert_eq!(refused(bearer(WRITER)).status, 405, "{method}");
        assert_eq!(site.with(method, "/", &[]).status, 401, "{method}");
    }
}

#[test]
fn prefixes_limit_what_is_shown() {
    let site = Site::new();
    let (own, other) = (name(0), name(12));
    assert!(own.starts_with("site01-core1_") && !other.starts_with("site01-core1_"));
    for page in [
        "/t/NAME",
        "/api/targets/NAME.json",
        "/graph/NAME/day.svg",
        "/api/charts?t=NAME",
        "/compare?t=NAME",
    ] {
        let at = |name: &str, seed| site.get(&page.replace("NAME", name), seed);
        assert_eq!(at(&own, SOME).status, 200, "{page}");
        assert_eq!(at(&other, ALL).status, 200, "{page}");
        let hidden = at(&other, SOME);
        assert_eq!(hidden.status, 404, "{page}");
        // It is as if there were none.
        let none = at("nothing_like_it", SOME);
        assert_eq!(hidden.text.replace(&other, "nothing_like_it"), none.text, "{page}");
    }
    for page in ["/", "/?q=site01", "/?silent=1", "/api/targets.json"] {
        let (all, some) = (site.get(page, ALL), site.get(page, SOME));
        assert_eq!(some.status, 200, "{page}");
        assert!(!some.text.contains("edge2"), "{page}: {}", some.text);
        if page != "/?silent=1" {
            assert!(all.text.contains("edge2") && some.text.contains(&own), "{page}");
        }
    }
    let listed = site.get("/api/targets.json", SOME);
    let listed: serde_json::Value = serde_json::from_str(&listed.text).expect("JSON");
    assert_eq!(listed["found"], 12);
    assert!(site.get("/", SOME).text.contains("Search 12 targets"));
    for page in ["/status", "/metrics", "/metrics?devices=all", "/api/status.json"] {
        let refused = site.get(page, SOME);
        assert_eq!(refused.status, 403, "{page}");
        assert!(!refused.text.contains("site01"), "{page}: {}", refused.text);
    }
}

#[test]
fn tokens_are_replaced_at_once() {
    let site = Site::new();
    assert_eq!(site.get("/", ALL).status, 200);
    site.tokens.replace(tokens(&[("new read", NOBODY, "")]));
    assert_eq!(site.get("/", ALL).status, 401);
    assert_eq!(site.get("/", NOBODY).status, 200);
    site.tokens.replace(Tokens::default());
    assert_eq!(site.get("/", NOBODY).status, 401);
}

#[test]
fn a_search_and_the_devices_tell_of_a_visitors_own_names_alone() {
    let site = Site::new();
    let total = |query: &str, seed| {
        let answer = site.get(&format!("/api/search?q={query}"), seed);
        assert_eq!(answer.status, 200);
        let value: serde_json::Value = serde_json::from_str(&answer.text).expect("it is JSON");
        (value["total"].as_u64().expect("a number"), value["mistyped"] == true)
    };
    assert_eq!(total("edge2", ALL), (12, false));
    // That another name would match is not told by what counts as mistyped, either.
    assert_eq!(total("edge2", SOME), (0, false));
    assert_eq!(total("site01-edge2", SOME), (0, false));
    assert_eq!(total("site01", SOME), (12, false));
    assert_eq!(total("core2", SOME), (12, true));
    let devices = site.get("/devices", SOME).text;
    assert!(devices.contains("1 device · 12 targets") && !devices.contains("edge2"), "{devices}");
    assert!(site.get("/devices", ALL).text.contains("2 devices · 24 targets"));
    assert_eq!(site.get("/device/site01-core1", SOME).status, 200);
    assert_eq!(site.get("/device/site01-edge2", SOME).status, 404);
    assert_eq!(site.get("/device/site01-edge2", ALL).status, 200);
}

#[test]
fn a_site_of_which_nothing_is_seen_is_as_if_there_were_none() {
    let site = Site::of(fixture(120, 0, 0));
    let page = |name: &str, seed| site.get(&format!("/devices?site={name}"), seed).text;
    assert!(page("site02", ALL).contains("3 devices"));
    assert!(page("site01", SOME).contains("1 device"));
    for name in ["site02", "none"] {
        let told = page(name, SOME).replace(&format!("site={name}"), "site=NAME");
        assert_eq!(told, page("other", SOME).replace("site=other", "site=NAME"), "{name}");
        assert!(!told.contains("site02"), "{told}");
    }
}
