//! Every row of docs/compatibility.md on graphs is drawn twice, with two values, and demands two
//! results: an option that is read and then forgotten fails here.
//!
//! A row without a case fails, and so does a case without a row. Debian's rrdtool draws the cases,
//! too: it must tell the two values apart as the page says, and where the result is text, the texts
//! must be equal. The cases are in the files beside this one; [`case`] tells what they look like.
#![allow(clippy::disallowed_methods)] // the test starts programs and reads the files they make

#[path = "../page/mod.rs"]
mod page;
mod apart;
mod case;
mod program;
mod section;

use std::collections::BTreeSet;

use case::Case;
use page::State;
use program::{Outcome, Place};
use section::Section;

/// Draws all cases of a section of the page, and compares its rows with theirs.
fn check(section: Section) {
    let rows = section.rows(&page::page());
    let cases = Case::all(section.cases());
    let apart = section.apart();
    let mut names: BTreeSet<&str> = cases.iter().map(|case| case.row.as_str()).collect();
    names.extend(apart);
    let expected: BTreeSet<&str> = rows.keys().map(String::as_str).collect();
    assert_eq!(names, expected, "the cases, then the rows of the page");
    let place = Place::new();
    let drawn = cases.iter().filter(|case| rows[&case.row] != State::NotYet);
    let wrong: Vec<String> = drawn
        .filter_map(|case| {
            let wrong = draw_twice(section, case, rows[&case.row], &place)?;
            Some(format!("{case:?}: {wrong}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{section:?}\n{}", wrong.join("\n"));
}

/// What is wrong with a case, if anything.
fn draw_twice(section: Section, case: &Case, state: State, place: &Place) -> Option<String> {
    let both = [&case.first, &case.second].map(|value| section.words(case, value));
    let ours = both.each_ref().map(|words| place.ours(words));
    let is_effective = state != State::Accepted;
    if (ours[0] != ours[1]) != is_effective {
        return Some(format!("not as the page says: {ours:?}"));
    }
    if !ours.iter().any(Outcome::is_success) {
        return Some(format!("neither is drawn: {ours:?}"));
    }
    let asked = both.iter().filter(|_| !case.ours_alone);
    let theirs: Vec<Outcome> = asked.filter_map(|words| place.theirs(words)).collect();
    let [first, second] = &theirs[..] else { return None };
    if (first != second) != is_effective {
        return Some(format!("not as rrdtool does: {theirs:?}"));
    }
    let is_equal = !section.is_text(&case.row) || ours[0].is_as(first) && ours[1].is_as(second);
    (!is_equal).then(|| format!("ours: {ours:?}, rrdtool's: {theirs:?}"))
}

#[test]
fn options_of_graphs() {
    check(Section::Options);
}

#[test]
fn options_of_xport() {
    check(Section::Xport);
}

#[test]
fn elements() {
    check(Section::Elements);
}

#[test]
fn operators() {
    check(Section::Operators);
}

#[test]
fn functions() {
    check(Section::Functions);
}

#[test]
fn image_formats() {
    check(Section::Formats);
}

#[test]
fn value_formatters() {
    check(Section::Formatters);
}
