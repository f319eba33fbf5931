//! SmokePing's static pages: it makes its databases, and draws each target in each of its windows.

use std::fs;
use std::path::Path;

use crate::databases::dumps;
use crate::drawing::{Drawn, Studio};
use crate::library::{BOTH, assert_same, place};

const SMOKEPING: &str = "/usr/sbin/smokeping";
const START_SECONDS: u64 = END_SECONDS - 300 * 4000;
const END_SECONDS: u64 = 1_700_000_000;

#[test]
fn smokeping_draws_the_same() {
    let what = "SmokePing's graphs with our library";
    let (Some(rrdtool), Some(_)) =
        (oracle::program("rrdtool", what), oracle::program("smokeping", what))
    else {
        return;
    };
    let [debian, ours] = BOTH.map(|library| {
        let place = place();
        let studio = Studio { library, place: place.path() };
        let drawn = draw(&studio);
        let page = fs::read_to_string(place.path().join("pages/Local.far.html")).unwrap();
        (drawn, studio.without_place(&page), dumps(&rrdtool, &place.path().join("data")))
    });
    let (Drawn { sizes, facts }, page, kept) = debian;
    let (our, our_page, we_kept) = ours;
    assert_eq!(our.sizes, sizes);
    // A picture of each of the four windows of three targets, their overviews, and two logos.
    assert_eq!(sizes.len(), 4 * 3 + 3 + 2, "{sizes:?}");
    assert!(facts.contains("median rtt:  71.4 ms avg"), "{facts}");
    assert_same(&facts, &our.facts);
    assert_same(&page, &our_page);
    assert_eq!(we_kept, kept);
}

fn draw(studio: &Studio<'_>) -> Drawn {
    for name in ["data", "img", "pages", "dyn", "run"] {
        fs::create_dir(studio.place.join(name)).unwrap();
    }
    let place = studio.place.display().to_string();
    let configuration = include_str!("../programs/smokeping.config").replace("PLACE", &place);
    fs::write(studio.place.join("config"), configuration).unwrap();
    // The first run makes the databases.
    static_pages(studio, START_SECONDS);
    let (start, end) = (START_SECONDS.to_string(), END_SECONDS.to_string());
    for (target, milliseconds) in [("near", "2"), ("far", "70")] {
        let file = format!("data/Local/{target}.rrd");
        studio.script("smokeping_fill.pl", &[&file, &start, &end, milliseconds]);
    }
    let said = static_pages(studio, END_SECONDS);
    assert_eq!(said, "");
    studio.drawn()
}

fn static_pages(studio: &Studio<'_>, now_seconds: u64) -> String {
    let mut command = studio.watched(now_seconds, SMOKEPING);
    let pages = studio.place.join("pages");
    command.arg(option("--config", &studio.place.join("config")));
    command.arg(option("--static-pages", &pages));
    studio.library.said(&mut command)
}

fn option(name: &str, path: &Path) -> String {
    format!("{name}={}", path.display())
}
