//! The index beside a search that looks at every text: it finds the same, and never less.

use find::{Builder, Document, Field, FieldText, Found, Index, Page, Query};
use proptest::prelude::*;

#[derive(Clone, Debug)]
struct Owned {
    name: String,
    title: String,
    device: String,
    remark: String,
    labels: Vec<(String, String)>,
}

impl Owned {
    fn texts(&self) -> Vec<&str> {
        let labels = self.labels.iter().map(|(_, value)| &**value);
        [&*self.name, &*self.title, &*self.device, &*self.remark]
            .into_iter()
            .chain(labels)
            .collect()
    }

    fn contains(&self, word: &str) -> bool {
        self.texts().iter().any(|text| text.to_lowercase().contains(word))
    }
}

fn index(documents: &[Owned]) -> Index {
    let mut builder = Builder::default();
    for Owned { name, title, device, remark, labels } in documents {
        let document = Document { name, title, device, remark, address: "", labels };
        builder.add(&document).expect("it is small");
    }
    builder.finish().expect("it is small")
}

fn all(index: &Index, query: &str) -> Found {
    let page = Page { first: 0, limit: usize::MAX };
    index.search(&index.query(query), |_| true, page)
}

fn text() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        Just("core"),
        Just("score"),
        Just("site01"),
        Just("-"),
        Just("_"),
        Just("/"),
        Just(" "),
        Just(" "),
        Just("7"),
        Just("17"),
        Just("Ærø"),
        Just("·"),
        Just("Frankfurt"),
        Just("<lab>"),
        Just("10.0.0.1"),
        Just("É"),
        Just("1:2"),
    ];
    prop::collection::vec(part, 0..6).prop_map(|parts| parts.concat())
}

fn document() -> impl Strategy<Value = Owned> {
    let label = prop_oneof![Just("site"), Just("role")].prop_map(str::to_owned);
    let labels = prop::collection::vec((label, text()), 0..3);
    (text(), text(), text(), text(), labels).prop_map(|(name, title, device, remark, labels)| {
        Owned { name, title, device, remark, labels }
    })
}

proptest! {
    #[test]
    fn nothing_that_contains_all_words_is_missing_and_nothing_else_is_found(
        documents in prop::collection::vec(document(), 1..40),
        query in prop::collection::vec(text(), 1..3),
        cut in 0_usize..4,
    ) {
        let query = query.join(" ").to_lowercase();
        let query: String = query.chars().skip(cut).collect();
        let words: Vec<&str> = query.split_whitespace().collect();
        let has_all = |it: &Owned| words.iter().all(|word| it.contains(word));
        let expected: Vec<u32> =
            (0..).zip(&documents).filter(|(_, it)| has_all(it)).map(|(nth, _)| nth).collect();
        let index = index(&documents);
        let found = all(&index, &query);
        prop_assert_eq!(found.total, found.documents.len());
        if expected.is_empty() {
            prop_assert!(found.total == 0 || found.is_mistyped);
            return Ok(());
        }
        let mut sorted = found.documents.clone();
        sorted.sort_unstable();
        // Signs at the end of a word may stand behind white space.
        prop_assert!(expected.iter().all(|document| sorted.contains(document)));
        prop_assert_eq!(&sorted, &expected);
        for (first, limit) in [(0, 3), (2, 5)] {
            let page = index.search(&index.query(&query), |_| true, Page { first, limit });
            let expected: Vec<u32> =
                found.documents.iter().copied().skip(first).take(limit).collect();
            prop_assert_eq!(page.documents, expected);
        }
        let third = index.search(&index.query(&query), |it| it % 3 == 0, Page { first: 0, limit: 99 });
        if !third.is_mistyped {
            let thirds = expected.iter().filter(|it| **it % 3 == 0).count();
            prop_assert_eq!(third.total, thirds);
        }
        // Each word that was found is marked.
        for document in &sorted {
            let it = &documents[*document as usize];
            let texts = it.texts();
            let fields = [Field::NAME, Field::TITLE, Field::DEVICE, Field::REMARK];
            let texts: Vec<FieldText<'_>> = fields
                .into_iter()
                .zip(&texts)
                .map(|(field, text)| FieldText { field, text })
                .collect();
            let in_labels = words.iter().any(|word| {
                it.labels.iter().any(|(_, value)| value.to_lowercase().contains(word))
            });
            let marks = index.query(&query).marks(&texts);
            prop_assert!(in_labels || words.is_empty() || !marks.is_empty());
            for mark in marks {
                prop_assert!(texts[mark.text].text.get(mark.bytes).is_some_and(|it| !it.is_empty()));
            }
        }
    }
}

proptest! {
    #[test]
    fn words_in_some_fields_find_what_has_them_there_in_its_own_order(
        documents in prop::collection::vec(document(), 1..40),
        query in prop::collection::vec(text(), 0..3),
    ) {
        let query = query.join(" ");
        let lowered = query.to_lowercase();
        let has = |it: &Owned, word: &str| {
            [&it.title, &it.remark].iter().any(|text| text.to_lowercase().contains(word))
        };
        let has_all = |it: &Owned| lowered.split_whitespace().all(|word| has(it, word));
        let expected: Vec<u32> =
            (0..).zip(&documents).filter(|(_, it)| has_all(it)).map(|(nth, _)| nth).collect();
        let query = Query::of_words(&query, &[Field::TITLE, Field::REMARK]).expect("it is short");
        prop_assert_eq!(index(&documents).written(&query, |_| true), expected);
    }
}

fn site() -> Vec<Owned> {
    let named = |name: &str, title: &str, device: &str, remark: &str, site: &str| Owned {
        name: name.to_owned(),
        title: title.to_owned(),
        device: device.to_owned(),
        remark: remark.to_owned(),
        labels: vec![("site".to_owned(), site.to_owned())],
    };
    vec![
        named("site01-score1_7", "uplink to core", "score1.example", "192.0.2.7", "fra"),
        named("edge-core", "customers", "edge.example", "192.0.2.70", "ber"),
        named("core10_7", "uplink to Frankfurt", "core10.example", "10.2.0.192", "fra"),
        named("core1_7", "uplink to Frankfurt", "core1.example", "192.0.2.77", "fra"),
        named("core1_70", "customers", "core1.example", "", "fra"),
    ]
}

fn names(query: &str) -> Vec<String> {
    let documents = site();
    let found = all(&index(&documents), query);
    found.documents.iter().map(|nth| documents[*nth as usize].name.clone()).collect()
}

#[test]
fn the_best_comes_first() {
    // Names that begin so, the shorter one first; then a word of a name, then one of a title.
    assert_eq!(names("core"), ["core1_7", "core10_7", "core1_70", "edge-core", "site01-score1_7"]);
    assert_eq!(names("core1_7"), ["core1_7", "core1_70", "site01-score1_7"]);
    assert_eq!(names("e1_70"), ["core1_70"]);
    assert_eq!(names("192.0.2.7"), ["site01-score1_7", "core1_7", "edge-core"]);
}

#[test]
fn keys_limit_words_to_fields_and_labels() {
    assert_eq!(names("site:ber"), ["edge-core"]);
    assert_eq!(names("device:core1. customers"), ["core1_70"]);
    assert_eq!(names("title=core"), ["site01-score1_7"]);
    assert_eq!(names("name:frankfurt"), [""; 0]);
}

#[test]
fn a_mistyped_word_finds_what_was_meant_if_nothing_else_matches() {
    assert_eq!(names("frankfrut"), ["core1_7", "core10_7"]);
    assert_eq!(names("core1 frankfrut"), ["core1_7", "core10_7"]);
    assert_eq!(names("custmer"), ["core1_70", "edge-core"]);
    assert_eq!(names("core1-70"), ["core1_70"]);
    assert_eq!(names("nothing"), [""; 0]);
    let documents = site();
    let index = index(&documents);
    let query = index.query("frankfrut");
    assert!(all(&index, "frankfrut").is_mistyped && !all(&index, "frankfurt").is_mistyped);
    let title = FieldText { field: Field::TITLE, text: &documents[2].title };
    let marks = query.marks(&[title]);
    assert_eq!(
        marks.iter().map(|mark| &title.text[mark.bytes.clone()]).collect::<Vec<_>>(),
        ["Frankfurt"]
    );
}

#[test]
fn nothing_to_search_for_finds_everything_in_order() {
    let found = all(&index(&site()), "  ");
    assert_eq!((found.total, found.documents), (5, vec![0, 1, 2, 3, 4]));
    assert_eq!(all(&index(&[]), "a").total, 0);
    assert_eq!(all(&index(&[]), "").total, 0);
}
