//! Computed updates, of one layout and of several.

use std::process::Command;

use quick_xml::Reader;
use quick_xml::events::Event;
use serde_json::Value;

use super::{GYRE, directory, json, text};

#[test]
fn all_forms_say_the_same() {
    let words = ["--files", "20", "--pages", "4,10", "--cache", "lru,linux", "--days", "2"];
    let found = json(&[&words[..], &["--json"]].concat());
    let simulations = found["simulations"].as_array().unwrap();
    assert_eq!(simulations.len(), 4);
    assert_eq!(found["groups"][0]["data_pages_of_file"], 26);
    assert_eq!(simulations[0]["updates"], 20 * 2 * 288);
    let csv = text(&[&words[..], &["--csv"]].concat());
    let line = csv.lines().nth(1).unwrap();
    assert_eq!(line.split(',').nth(6).unwrap(), simulations[0]["page_ins"].to_string());
    let table = text(&words);
    let page_ins = simulations[0]["page_ins"].as_f64().unwrap() / (20.0 * 2.0 * 288.0);
    let shown = table.lines().find(|line| line.trim_start().starts_with("4 ")).unwrap();
    assert!(shown.contains(&format!("{page_ins:.4}")), "{shown}");
}

#[test]
fn a_file_says_its_layout() {
    let directory = directory();
    let path = directory.path().join("one.rrd");
    let name = path.to_str().unwrap();
    let layout = ["--step", "60", "DS:a:GAUGE:120:U:U", "RRA:LAST:0.5:1:5000"];
    let created = Command::new(GYRE).args(["create", name]).args(layout).output().unwrap();
    assert!(created.status.success(), "{}", String::from_utf8_lossy(&created.stderr));
    let options = ["--pages", "2", "--days", "1", "--json"];
    let of_file = json(&[&[name], &options[..]].concat());
    let of_words = json(&[&layout[..], &options[..]].concat());
    assert_eq!(of_file, of_words);
    assert_eq!(of_file["groups"][0]["step_seconds"], 60);
}

/// The counts of every simulation, with further options.
fn simulations(words: &[&str], further: &[&str]) -> Value {
    json(&[words, further, &["--json"]].concat())["simulations"].clone()
}

#[test]
fn sizes_in_one_pass_are_the_sizes_one_by_one() {
    let words = ["--files", "30", "--days", "1", "--method", "mapping", "--file-system", "ext2"];
    let together = simulations(&words, &["--pages", "1-12"]);
    let together = together.as_array().unwrap();
    assert_eq!(together.len(), 12);
    for (pages, found) in (1..).zip(together) {
        assert_eq!(*found, simulations(&words, &["--pages", &pages.to_string()])[0]);
    }
}

#[test]
fn groups_are_told_apart_in_every_form() {
    let directory = directory();
    let path = directory.path().join("core routers.rrd");
    let name = path.to_str().unwrap();
    let layout = ["--step", "60", "DS:a:GAUGE:120:U:U", "RRA:LAST:0.5:1:9000"];
    let created = Command::new(GYRE).args(["create", name]).args(layout).output().unwrap();
    assert!(created.status.success(), "{}", String::from_utf8_lossy(&created.stderr));
    let (of_file, of_words) = (format!("7 {name}"), format!("7 60 {}", layout[2..].join(" ")));
    let options = ["--group", "20 5m", "--pages", "3,9", "--days", "1", "--cache", "lru,linux"];
    let of_file = [&["--group", &of_file], &options[..]].concat();
    let found = json(&[&of_file[..], &["--json"]].concat());
    assert_eq!(found, json(&[&["--group", &of_words], &options[..], &["--json"]].concat()));
    assert_eq!(found["files"], 27);
    assert_eq!(found["groups"][0]["step_seconds"], 60);
    assert_eq!(found["groups"][1]["data_pages_of_file"], 26);
    let first = &found["simulations"][0];
    assert_eq!(first["groups"][0]["updates"], 7 * 1440);
    assert_eq!(first["groups"][1]["updates"], 20 * 288);
    let of_groups =
        |count: &str| (0..2).map(|nth| first["groups"][nth][count].as_u64().unwrap()).sum::<u64>();
    for count in ["updates", "references", "page_ins", "pages_read_ahead"] {
        assert_eq!(of_groups(count), first[count].as_u64().unwrap(), "{count}");
    }
    let csv = text(&[&of_file[..], &["--csv"]].concat());
    assert_eq!(csv.lines().count(), 1 + 4 * 3);
    let of_second = format!("3,lru,none,2,{},", 20 * 288);
    assert!(csv.lines().nth(3).unwrap().starts_with(&of_second), "{csv}");
    let table = text(&of_file);
    assert!(table.contains("\npages read for each update of group 2, by"), "{table}");
    let table = text(&[&of_file[..], &["--cache", "lru"]].concat());
    assert!(table.contains("group 1 reads    group 2 reads\n"), "{table}");
}

#[test]
fn readahead_is_drawn_beside_none() {
    let directory = directory();
    let path = directory.path().join("curve.svg");
    let plot = ["--plot", path.to_str().unwrap()];
    let policies = ["--readahead", "none,observed", "--method", "stream", "--days", "1"];
    text(&[&policies[..], &["--pages", "1-20"], &plot].concat());
    let svg = std::fs::read_to_string(path).unwrap();
    assert!(svg.contains("lru, observed"), "{svg}");
    assert_eq!(points_of_curves(&svg), [20, 20]);
}

/// The number of points of each curve in a drawing, which must be XML. Curves are recognized by the
/// width of their lines.
fn points_of_curves(svg: &str) -> Vec<usize> {
    let (mut reader, mut curves) = (Reader::from_str(svg), Vec::new());
    loop {
        match reader.read_event().unwrap() {
            Event::Eof => return curves,
            Event::Empty(element) if element.name().as_ref() == "path" => {
                let value = |name| element.try_get_attribute(name).unwrap().unwrap().value;
                if value("stroke-width") == "2" {
                    let path = value("d");
                    let points = path.split(['M', 'L', 'H', 'V']).skip(1);
                    let is_number = |number: &str| number.parse::<f64>().is_ok();
                    let is_point = |point: &str| point.split(' ').all(is_number);
                    curves.push(points.inspect(|point| assert!(is_point(point), "{path}")).count());
                }
            }
            _ => {}
        }
    }
}

#[test]
fn comma_separated_values_are_numbers_below_their_names() {
    let csv = text(&["--group", "2 60", "--group", "3", "--days", "1", "--pages", "4", "--csv"]);
    let mut lines = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let names = lines.next().unwrap();
    let lines: Vec<Vec<&str>> = lines.collect();
    assert_eq!(lines.len(), 3);
    for line in lines {
        assert_eq!(line.len(), names.len(), "{line:?}");
        let is_total = line[3] == "all";
        for (name, value) in names.iter().zip(line).skip(4) {
            let is_empty = !is_total && ["evictions", "write_backs"].contains(name);
            assert!(value.parse::<u64>().is_ok() != is_empty, "{name}: {value}");
        }
    }
}
