//! Boards: what they show, to whom, and who keeps them.
#![allow(clippy::disallowed_methods, reason = "it opens a socket and writes boards")]

mod fixture;

use std::io::{Read as _, Write as _};
use std::net::TcpListener;

use access::{Current, Token, Tokens};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Request};
use fixture::{Fixture, fixture};
use server::{Gate, Hosts, Limits};
use tokio::runtime::Builder;
use tower::ServiceExt as _;

const ALL: u8 = 1;
const SOME: u8 = 2;
const WRITER: u8 = 3;
const ADMIN: u8 = 4;

/// A board that shows something of the fixture.
const BOARD: &str = "title = 'Mine'\n[[row]]\n[[row.panel]]\ntarget = 'site01-core1_1'\n";

struct Site {
    router: Router,
    fixture: Fixture,
}

struct Answer {
    status: u16,
    headers: HeaderMap,
    text: String,
}

impl Answer {
    fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.text).expect("it is JSON")
    }

    fn tag(&self) -> &str {
        self.headers["etag"].to_str().expect("a tag is text")
    }
}

fn token(seed: u8) -> Token {
    Token::of([seed; 32])
}

impl Site {
    fn new() -> Self {
        let fixture = fixture(24, 4, 2);
        Self { router: fixture.router(), fixture }
    }

    /// The same for those who show tokens.
    fn guarded() -> Self {
        let fixture = fixture(24, 4, 2);
        let lines = [
            ("all read", ALL, ""),
            ("some read", SOME, "site01-core1_"),
            ("writer write", WRITER, ""),
            ("admin admin", ADMIN, ""),
        ];
        let lines =
            lines.map(|(head, seed, scope)| format!("{head} {} {scope}\n", token(seed).hash()));
        let tokens = Tokens::parse(lines.concat().as_bytes()).expect("a file of tokens");
        let mut boards = fixture.boards();
        boards.data.takes_changes = true;
        let router = server::boards_router(boards, Hosts::of_this_machine());
        Self { router: Gate::new(Current::new(tokens)).around(router), fixture }
    }

    fn ask(&self, request: Request<Body>) -> Answer {
        let runtime = Builder::new_current_thread().build().expect("a runtime");
        runtime.block_on(async {
            let response = self.router.clone().oneshot(request).await.expect("an answer");
            let (status, headers) = (response.status().as_u16(), response.headers().clone());
            let body = to_bytes(response.into_body(), usize::MAX).await.expect("it is in memory");
            Answer { status, headers, text: String::from_utf8_lossy(&body).into_owned() }
        })
    }

    fn get(&self, address: &str) -> Answer {
        self.ask(Request::get(address).body(Body::empty()).expect("a request"))
    }

    fn get_as(&self, seed: u8, address: &str) -> Answer {
        let shown = format!("Bearer {}", token(seed).reveal());
        let request = Request::get(address).header("authorization", shown);
        self.ask(request.body(Body::empty()).expect("a request"))
    }

    fn put_as(&self, seed: u8, name: &str, tag: Option<&str>, text: &str) -> Answer {
        let shown = format!("Bearer {}", token(seed).reveal());
        let request = Request::put(format!("/api/boards/{name}")).header("authorization", shown);
        let request = match tag {
            Some(tag) => request.header("if-match", tag),
            None => request,
        };
        self.ask(request.body(Body::from(text.to_owned())).expect("a request"))
    }

    fn write(&self, file: &str, text: &str) {
        std::fs::write(self.fixture.boards.path().join(file), text).expect("a file");
    }
}

#[test]
fn a_board_shows_all_kinds_of_panels() {
    let site = Site::new();
    let list = site.get("/boards");
    assert!(list.text.contains("<b>Backbone</b>") && list.text.contains("7 panels"));
    let board = site.get("/board/backbone");
    assert_eq!(board.status, 200);
    for (kind, count) in
        [("number-panel", 1), ("figure class=\"board-panel bars", 1), ("stacked", 1)]
    {
        assert_eq!(board.text.matches(kind).count(), count, "{kind}: {}", board.text);
    }
    assert_eq!(board.text.matches("figure class=\"board-panel lines").count(), 4);
    assert!(!board.text.contains("class=\"trouble\""), "{}", board.text);
    assert!(!board.text.contains("style="), "the content policy forbids it");
    // What a target is called comes from devices.
    assert!(board.text.contains("Ærø &lt;lab&gt;"));
    assert!(board.text.contains("href=\"/t/site01-core1_1\""));
    // The largest bar is the whole width, and the first.
    let bars = board.text.split("<ol class=\"bars\">").nth(1).expect("bars");
    assert!(bars.split("filled").nth(1).is_some_and(|first| first.contains("width=\"100.0%\"")));
}

#[test]
fn a_query_and_a_target_tell_the_same() {
    let site = Site::new();
    site.write(
        "same.toml",
        "span = '1d'\n[[row]]\n[[row.panel]]\ntarget = 'site01-core1_1'\nkind = 'number'\n\
         source = 'ds0'\nby = 'average'\n[[row.panel]]\nkind = 'number'\nby = 'average'\nunit = 'b/s'\n\
         promql = 'ds0{database=\"site01-core1_1\"} * 8'\n[[row.panel]]\nkind = 'number'\n\
         by = 'average'\nunit = 'b/s'\ngraphite = 'scale(site01-core1_1.ds0, 8)'\n",
    );
    let page = site.get("/board/same").text;
    let numbers: Vec<&str> = page.split("<dd>").skip(1).step_by(2).collect();
    let numbers: Vec<&str> = numbers.iter().filter_map(|it| it.split(' ').next()).collect();
    assert_eq!(numbers.len(), 3, "{page}");
    let numbers: Vec<f64> = numbers.iter().map(|it| it.parse().expect("a number")).collect();
    let apart = |other: f64| (other - numbers[0]).abs() / numbers[0];
    assert!(
        numbers[0] > 1.0 && apart(numbers[1]) < 0.02 && apart(numbers[2]) < 0.02,
        "{numbers:?}"
    );
}

#[test]
fn wrong_boards_and_panels_say_what_is_wrong() {
    let site = Site::new();
    site.write("broken.toml", "title = 'x'\nspam = 1\n");
    assert!(site.get("/boards").text.contains("broken.toml: line 2: unknown field `spam`"));
    let broken = site.get("/board/broken");
    assert_eq!(broken.status, 500);
    assert!(broken.text.contains("broken.toml: line 2: unknown field"));
    site.write(
        "partly.toml",
        "[[row]]\n[[row.panel]]\ntarget = 'gone'\n[[row.panel]]\npromql = 'sum(('\n\
         [[row.panel]]\ntarget = 'site01-core1_1'\nsource = 'ds7'\n[[row.panel]]\n\
         graphite = 'nosuch(a)'\n[[row.panel]]\ndatabase = '../secret'\n[[row.panel]]\n\
         target = 'site01-core1_1'\n",
    );
    let partly = site.get("/board/partly");
    assert_eq!((partly.status, partly.text.matches("class=\"trouble\"").count()), (200, 5));
    for words in ["nothing found: gone", "has no data source ds7", "nothing found: ../secret"] {
        assert!(partly.text.contains(words), "{words}: {}", partly.text);
    }
    assert_eq!(partly.text.matches("figure class=\"board-panel lines").count(), 1);
    for (address, status) in [
        ("/board/none", 404),
        ("/board/..%2Fetc", 404),
        ("/board/backbone?span=parsec", 400),
        ("/board/backbone?span=999999999w", 400),
        ("/board/backbone?span=1101d", 400),
        ("/board/backbone?span=1100d", 200),
        ("/api/boards/none", 404),
        ("/board/none/edit", 404),
    ] {
        assert_eq!(site.get(address).status, status, "{address}");
    }
}

#[test]
fn a_changed_file_is_shown_at_once() {
    let site = Site::new();
    site.write("mine.toml", BOARD);
    assert!(site.get("/board/mine").text.contains("<h1>Mine</h1>"));
    site.write("mine.toml", &BOARD.replace("Mine", "Changed"));
    assert!(site.get("/board/mine").text.contains("<h1>Changed</h1>"));
    assert!(site.get("/api/boards").json()["boards"][1]["title"] == "Changed");
}

#[test]
fn a_wall_leads_from_board_to_board() {
    let site = Site::new();
    let wall = site.get("/board/backbone?full&rotate=30").text;
    let next = "/board/ports?full&amp;rotate=30";
    assert!(wall.contains(&format!("data-next=\"{next}\" data-next-seconds=\"30\"")), "{wall}");
    let refresh = format!("<meta http-equiv=\"refresh\" content=\"30;url={next}\">");
    assert!(wall.contains(&refresh), "without scripts");
    let last = site.get("/board/ports?full&rotate=1").text;
    assert!(last.contains("data-next=\"/board/backbone?full&amp;rotate=5\""));
    let some = site.get("/board/ports?full&rotate=9&among=ports,gone").text;
    assert!(some.contains("data-next=\"/board/ports?full&amp;rotate=9&amp;among=ports%2Cgone\""));
    assert!(!site.get("/board/backbone?full").text.contains("data-next"));
}

#[test]
fn only_what_a_visitor_may_see_is_told() {
    let site = Site::guarded();
    site.write(
        "mixed.toml",
        "[[row]]\n[[row.panel]]\ntarget = 'site01-edge2_1'\n[[row.panel]]\ntarget = 'site01-*'\n\
         kind = 'bars'\nsource = 'ds0'\nfirst = 100\n[[row.panel]]\ntitle = 'Count'\n\
         kind = 'number'\npromql = 'count(ds0)'\n[[row.panel]]\ndatabase = 'site01-edge2_1.rrd'\n",
    );
    let (all, some) =
        (site.get_as(ALL, "/board/mixed").text, site.get_as(SOME, "/board/mixed").text);
    assert!(all.contains("site01-edge2_1") && !some.contains("site01-edge2"), "{some}");
    assert_eq!((all.matches("<rect class=\"track\"").count()), 24);
    assert_eq!((some.matches("<rect class=\"track\"").count()), 12);
    assert!(some.contains("<h2>Count</h2>"));
    // The text of a board may name any target.
    assert_eq!(site.get_as(ALL, "/api/boards/mixed").status, 200);
    for address in ["/api/boards/mixed", "/board/mixed/edit"] {
        assert_eq!(site.get_as(SOME, address).status, 403, "{address}");
    }
    assert_eq!(site.get("/board/mixed").status, 401);
}

#[test]
fn headings_and_errors_tell_no_hidden_names() {
    let site = Site::guarded();
    site.write(
        "secret.toml",
        "[[row]]\n[[row.panel]]\ntarget = ['site01-core1_1', 'site01-core1_2', 'hidden-1']\n\
         [[row.panel]]\npromql = 'count(ds0) or count({database=\"hidden-2\"})'\n[[row.panel]]\n\
         graphite = 'sumSeries(site01-core1_1.ds0, hidden-3.*)'\nkind = 'bars'\n",
    );
    site.write("wrong.toml", "hidden-4 = 1\n");
    for address in ["/board/secret", "/board/wrong", "/boards", "/api/boards"] {
        let (all, some) = (site.get_as(ALL, address).text, site.get_as(SOME, address).text);
        assert!(all.contains("hidden-"), "{address}: {all}");
        assert!(!some.contains("hidden-"), "{address}: {some}");
    }
    let some = site.get_as(SOME, "/board/secret").text;
    assert_eq!(some.matches("<figure").count(), 3, "{some}");
    assert!(some.contains(" and 1 more</h2>") && some.contains("<h2>value</h2>"), "{some}");
}

#[test]
fn one_bad_database_leaves_the_others() {
    let site = Site::new();
    let path = site.fixture.directory.path();
    std::fs::write(path.join("site01-core1_9.rrd"), "damaged").expect("a file");
    site.write(
        "bad.toml",
        "[[row]]\n[[row.panel]]\ntarget = ['site01-core1_1', 'site01-core1_9']\nsource = 'ds0'\n\
         [[row.panel]]\nsource = 'ds0'\n\
         database = ['site01-core1_1.rrd', 'site01-core1_9.rrd', 'gone.rrd']\n[[row.panel]]\n\
         target = 'site01-core1_9'\n",
    );
    let page = site.get("/board/bad").text;
    assert_eq!(page.matches("class=\"trouble\">cannot be read: ").count(), 1, "{page}");
    let filled = page.split("<path class=\"line ").skip(1);
    let is_filled =
        |line: &str| line.split_once('>').is_some_and(|(line, _)| line.contains(" d=\"M"));
    let filled: Vec<bool> = filled.map(is_filled).collect();
    assert_eq!(filled, [true, false, true, false, false], "{page}");
}

/// The numbers of panels that have one each.
fn numbers(page: &str) -> Vec<String> {
    let numbers = page.split("<dd>").skip(1).step_by(2);
    numbers.map(|it| it.split('<').next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn the_maximum_is_that_of_the_archive_of_maxima() {
    let site = Site::new();
    let panel = "[[row.panel]]\ntarget = 'site01-core1_1'\nsource = 'ds0'\nkind = 'number'\n";
    site.write("max.toml", &format!("span = '7d'\n[[row]]\n{panel}by = 'maximum'\n"));
    let query = |cf| rrd::fetch::Query {
        tick: rrd::Tick::SECOND,
        cf,
        start_seconds: fixture::NOW_SECONDS - 7 * 86400,
        end_seconds: fixture::NOW_SECONDS,
        step_seconds: 1800,
    };
    let most = |cf| {
        let store = &site.fixture.context.store;
        let rows = store.fetch_stretch("site01-core1_1.rrd".as_ref(), &query(cf)).expect("rows");
        let known = rows.held.iter().step_by(2).copied().filter(|it| it.is_finite());
        format!("{:.1} Mb/s", known.fold(0.0, f64::max) * 8.0 / 1e6)
    };
    let (average, maximum) =
        (most(rrd::ConsolidationFunction::Average), most(rrd::ConsolidationFunction::Max));
    assert_ne!(average, maximum);
    assert_eq!(numbers(&site.get("/board/max").text), [maximum]);
}

#[test]
fn a_database_without_averages_is_shown_and_an_old_number_is_not() {
    let site = Site::new();
    let store = &site.fixture.context.store;
    let definition = rrd::Definition {
        tick: rrd::Tick::SECOND,
        step_seconds: 300,
        sources: vec![rrd::DataSource {
            name: "a".to_owned(),
            kind: rrd::SourceKind::Gauge,
            heartbeat_seconds: 600,
            minimum: f64::NAN,
            maximum: f64::NAN,
        }],
        archives: vec![rrd::Archive::plain(rrd::ConsolidationFunction::Last, 400, 2, 0.5)],
    };
    for (name, ago) in [("present.rrd", 0), ("past.rrd", 7200)] {
        let end = fixture::NOW_SECONDS - ago;
        let start = rrd::Timestamp::from_seconds(end - 6000);
        store.create(name.as_ref(), &definition, start).expect("a new database");
        for at in (end - 5700..=end).step_by(300) {
            let readings = [rrd::Reading::of("7")];
            let time = rrd::Timestamp::from_seconds(at);
            let samples = [rrd::Sample { time, readings: &readings }];
            assert!(store.update(&[store::Update::of(name, &samples)]).is_empty());
        }
    }
    let panel = |name: &str, by: &str| {
        format!("[[row.panel]]\ndatabase = '{name}.rrd'\nkind = 'number'\nby = '{by}'\n")
    };
    let panels = [panel("present", "last"), panel("past", "last"), panel("past", "average")];
    site.write("last.toml", &format!("[[row]]\n{}", panels.concat()));
    assert_eq!(numbers(&site.get("/board/last").text), ["7.00", "–", "7.00"]);
}

#[test]
fn without_scripts_a_board_keeps_its_name() {
    let site = Site::new();
    let edit = site.get("/board/ports/edit").text;
    assert!(edit.contains("<input type=\"hidden\" name=\"name\" value=\"ports\">"), "{edit}");
    let text = "name=ports&toml=%5B%5Brow%5D%5D";
    assert!(site.get(&format!("/board/new?{text}")).text.contains("<h1>Edit ports</h1>"));
    let file = site.get(&format!("/board/new?{text}&download=1"));
    assert_eq!(file.headers["content-disposition"], "attachment; filename=\"ports.toml\"");
    let other = site.get("/board/new?name=..%2Fx&toml=a&download=1");
    assert_eq!(other.headers["content-disposition"], "attachment; filename=\"board.toml\"");
}

#[test]
fn tokens_say_who_keeps_boards() {
    let site = Site::guarded();
    assert_eq!(site.put_as(ALL, "mine", None, BOARD).status, 403);
    assert_eq!(site.put_as(SOME, "mine", None, BOARD).status, 403);
    let made = site.put_as(WRITER, "mine", None, BOARD);
    assert_eq!((made.status, made.json()["page"].as_str()), (200, Some("/board/mine")));
    assert_eq!(site.put_as(ADMIN, "mine", None, BOARD).status, 412);
    let kept = site.get_as(ALL, "/api/boards/mine");
    assert_eq!((kept.text.as_str(), kept.tag()), (BOARD, made.tag()));
    let other = BOARD.replace("Mine", "Other");
    assert_eq!(site.put_as(WRITER, "mine", Some(made.tag()), &other).status, 403);
    let replaced = site.put_as(ADMIN, "mine", Some(made.tag()), &other);
    assert_eq!(replaced.status, 200);
    assert_eq!(site.put_as(ADMIN, "mine", Some(made.tag()), BOARD).status, 412);
    assert!(site.get_as(ALL, "/board/mine").text.contains("<h1>Other</h1>"));
    for (name, text, status) in [
        ("..%2Fmine", BOARD, 400),
        ("new", BOARD, 400),
        ("preview", BOARD, 405),
        ("a.toml", BOARD, 400),
        ("bad", "title = ", 422),
        ("large", &"#".repeat(65 << 10), 413),
    ] {
        assert_eq!(site.put_as(ADMIN, name, None, text).status, status, "{name}");
    }
    let files = std::fs::read_dir(site.fixture.boards.path()).expect("a directory").count();
    assert_eq!(files, 3);
}

#[test]
fn what_a_text_shows_is_told_before_it_is_kept() {
    let site = Site::guarded();
    let ask = |text: &str| {
        let shown = format!("Bearer {}", token(SOME).reveal());
        let request = Request::post("/api/boards/preview").header("authorization", shown);
        site.ask(request.body(Body::from(text.to_owned())).expect("a request"))
    };
    let told = ask(BOARD);
    let board = &told.json()["board"];
    assert_eq!((told.status, board["title"].as_str()), (200, Some("Mine")));
    assert_eq!(board["rows"][0]["panels"][0]["target"][0], "site01-core1_1");
    assert!(told.json()["html"].as_str().is_some_and(|html| html.contains("class=\"plane\"")));
    let wrong = ask("[[row]]\n[[row.panel]]\nfind = 7\n");
    assert_eq!((wrong.status, wrong.json()["line"].as_u64()), (200, Some(3)));
    // Without scripts, a form asks for the same, and for the text as a file.
    let text = "%5B%5Brow%5D%5D%0A%5B%5Brow.panel%5D%5D%0Afind%3D%27core1%27";
    let page = site.get_as(ALL, &format!("/board/new?toml={text}"));
    assert!(page.text.contains("class=\"plane\"") && page.text.contains("find='core1'"));
    let file = site.get_as(ALL, &format!("/board/new?toml={text}&download=1"));
    assert_eq!(file.headers["content-disposition"], "attachment; filename=\"board.toml\"");
    assert_eq!(file.text, "[[row]]\n[[row.panel]]\nfind='core1'");
}

#[test]
fn without_tokens_this_machine_keeps_boards_if_it_says_so() {
    let fixture = fixture(12, 1, 1);
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let running = server::start(listener, fixture.router(), Limits::default()).expect("a server");
    let put = |headers: &str| {
        let mut stream = std::net::TcpStream::connect(running.address()).expect("it listens");
        let length = BOARD.len();
        write!(
            stream,
            "PUT /api/boards/mine HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
             Content-Length: {length}\r\n{headers}\r\n{BOARD}"
        )
        .expect("it reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it answers");
        answer.split(' ').nth(1).unwrap_or_default().to_owned()
    };
    assert_eq!(put(""), "403");
    assert_eq!(put("X-Gyre-Change: board\r\nX-Forwarded-For: 192.0.2.1\r\n"), "403");
    assert_eq!(put("X-Gyre-Change: board\r\n"), "200");
    assert_eq!(put("X-Gyre-Change: board\r\n"), "412");
    running.stop();
    let kept = std::fs::read_to_string(fixture.boards.path().join("mine.toml"));
    assert_eq!(kept.expect("it is kept"), BOARD);
}
