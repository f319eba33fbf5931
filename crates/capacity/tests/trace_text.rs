//! Traces as text: parsing is the inverse of writing, a written trace plays like the generated one,
//! and errors are named.

use capacity::replay::{Method, Outcome};
use capacity::scenario::{CachePolicy, ReadaheadPolicy, Scenario, players};
use capacity::trace::{Access, BlockMap, Fleet, Group, Scatter, Shape, Touch};
use capacity::trace_text::{FileGroup, Files, Line, Parser, Runs, heading};
use proptest::prelude::*;

mod definitions;

/// The picture in the module's documentation, without its explanations.
const PICTURE: &str = "gyre page trace 1\nfiles 2 data 26 metadata 2\nfiles 1 data 9 metadata 0\n\
    at 1036800300\n0 w26 r0 w2 r27 w14 w0\n2 r0 w5-7 w0\ncount\nat 1036800600\n1 w26 r0 w2 w0\n";

#[test]
fn the_picture_is_a_trace() {
    let picture = include_str!("../src/trace_text/mod.rs");
    let told: Vec<&str> = picture.lines().filter_map(|line| line.strip_prefix("//! ")).collect();
    for line in PICTURE.lines() {
        let is_line = |told: &&str| *told == line || told.starts_with(&format!("{line}  "));
        assert!(told.iter().any(is_line), "{line}");
    }
    let mut parser = Parser::default();
    let mut events = String::new();
    for line in PICTURE.lines() {
        match parser.line(line.as_bytes()).unwrap() {
            Line::Nothing => {}
            event => events += &format!("{event}\n"),
        }
    }
    parser.end().unwrap();
    assert_eq!(heading(parser.files()) + &events, PICTURE);
    assert_eq!((parser.files().files(), parser.files().pages()), (3, 2 * 28 + 9));
    assert_eq!(parser.files().place(2).unwrap().first_page, 56);
}

#[test]
fn mistakes_are_named_with_their_lines() {
    let start = "gyre page trace 1\nfiles 2 data 3 metadata 1\n";
    let page = "line 3: expected r or w and pages from 0 to 3, found";
    let mistakes = [
        ("", "line 1: expected \"gyre page trace 1\", found nothing".to_owned()),
        ("gyre page trace 2\n", "line 1: expected \"gyre page trace 1\", found \"gyre page trace 2\"".into()),
        ("gyre page trace 1\n0 r0\n", "line 2: expected files N data PAGES metadata PAGES, found \"0 r0\"".into()),
        ("gyre page trace 1\n", "line 2: expected files N data PAGES metadata PAGES, found nothing".into()),
        (&format!("{start}0 r4"), format!("{page} \"r4\"")),
        (&format!("{start}0 r2-1"), format!("{page} \"r2-1\"")),
        (&format!("{start}0 r+1"), format!("{page} \"r+1\"")),
        (&format!("{start}0 x\u{e9}"), format!("{page} \"x\\xc3\\xa9\"")),
        (&format!("{start}2 r0"), "line 3: expected a file from 0 to 1, found \"2\"".into()),
        (&format!("{start}at noon"), "line 3: expected at SECONDS, found \"at noon\"".into()),
        (&format!("{start}count 1"), "line 3: expected files, at, count or the number of a file, found \"count\"".into()),
        (&format!("{start}count\nfiles 1 data 1 metadata 0"), "line 4: expected all files before the first event, found \"files 1 data 1 metadata 0\"".into()),
        (&format!("{start}files 9 data 999999999 metadata 0"), "line 3: expected files with pages, all together fewer than 1073741824, found \"files 9 data 999999999 metadata 0\"".into()),
    ];
    for (text, expected) in mistakes {
        let mut parser = Parser::default();
        let first = text.lines().find_map(|line| parser.line(line.as_bytes()).err());
        let first = first.unwrap_or_else(|| parser.end().unwrap_err());
        assert_eq!(first.to_string(), expected);
    }
}

#[test]
fn what_is_told_plays_as_what_is_generated() {
    let shape = |definition| Shape::new(&definition, 4096, BlockMap::Indirect).unwrap();
    let mrtg = Group { shape: shape(definitions::mrtg()), files: 7 };
    let other =
        Group { shape: shape(definitions::definition(60, 3, &[(700, 1), (90, 7)])), files: 4 };
    let fleet = Fleet::new(vec![mrtg, other], 12_000 * 86_400, Scatter::ByChance(3)).unwrap();
    for (cache, method) in CachePolicy::NAMES
        .iter()
        .zip([Method::Pwrite, Method::Stream, Method::Mapping].iter().cycle())
    {
        for readahead in
            [ReadaheadPolicy::None, ReadaheadPolicy::OnDemand(32), ReadaheadPolicy::Observed]
        {
            let (fleet, method) = (fleet.clone(), *method);
            let scenario =
                Scenario { fleet, method, warming_seconds: 7200, counted_seconds: 86_400 };
            let sizes = [11, 50, 160];
            let generated = sizes.map(|pages| scenario.run(cache.1, readahead, pages));
            let played = played(&scenario, cache.1, readahead, &sizes);
            assert_eq!(played, generated, "{}", cache.0);
            assert_eq!(scenario.run_sizes(cache.1, readahead, &sizes, |_| {}), generated);
        }
    }
}

fn played(
    scenario: &Scenario,
    cache: CachePolicy,
    readahead: ReadaheadPolicy,
    sizes: &[u32],
) -> Vec<Outcome> {
    let files = scenario.files().unwrap();
    let mut players = players(&files, scenario.method, cache, readahead, sizes);
    let mut parser = Parser::default();
    for line in heading(&files).lines() {
        parser.line(line.as_bytes()).unwrap();
    }
    let told: Result<(), ()> = scenario.tell(|line| {
        let line = line.to_string();
        let line = parser.line(line.as_bytes()).unwrap();
        players.iter_mut().for_each(|play| match line {
            Line::Nothing => panic!("no event"),
            Line::Cycle(_) => play.write_back(),
            Line::Count => play.restart(),
            Line::Update { file, runs } => play.update(file, runs),
        });
        Ok(())
    });
    told.unwrap();
    players.iter_mut().for_each(|play| play.write_back());
    players.iter().flat_map(|play| play.outcomes()).collect()
}

proptest! {
    #[test]
    fn reading_is_the_inverse_of_writing(
        groups in prop::collection::vec((1_u32..1000, 1_u32..5000, 0_u32..4), 1..5),
        updates in prop::collection::vec(
            (any::<prop::sample::Index>(), prop::collection::vec((any::<prop::sample::Index>(), any::<bool>(), 1_u32..5), 0..9)), 0..9
        ),
        at in any::<u64>(),
    ) {
        let mut files = Files::default();
        for (count, data_pages, metadata_pages) in groups {
            let group = FileGroup { files: count, data_pages, metadata_pages };
            prop_assert!(files.add(group));
        }
        let mut parser = Parser::default();
        for line in heading(&files).lines() {
            prop_assert_eq!(parser.line(line.as_bytes()), Ok(Line::Nothing));
        }
        prop_assert_eq!(parser.files(), &files);
        for line in [Line::Cycle(at), Line::Count] {
            prop_assert_eq!(parser.line(line.to_string().as_bytes()), Ok(line));
        }
        for (file, pages) in updates {
            let file = file.index(files.files() as usize) as u32;
            let place = files.place(file).unwrap();
            let mut runs = Runs::default();
            for (page, is_read, length) in pages {
                let page = page.index(place.pages as usize) as u32;
                let access = if is_read { Access::Read } else { Access::Write };
                for page in page..(page + length).min(place.pages) {
                    runs.push(Touch { page, access });
                }
            }
            let line = Line::Update { file, runs: runs.as_slice() };
            prop_assert_eq!(parser.line(line.to_string().as_bytes()), Ok(line));
        }
    }

    #[test]
    fn no_bytes_panic(lines in prop::collection::vec("(files|at|count|[0-9]{1,12}| |[rw][0-9]{1,11}(-[0-9]{1,11})?|data|metadata|\\PC){0,8}", 0..20)) {
        let mut parser = Parser::default();
        for line in ["gyre page trace 1", "files 3 data 9 metadata 1"] {
            prop_assert!(parser.line(line.as_bytes()).is_ok());
        }
        for line in lines {
            let _ = parser.line(line.as_bytes());
        }
    }
}
