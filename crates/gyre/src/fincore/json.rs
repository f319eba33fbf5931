//! A JSON object on each line: the files, then the total.

use std::io;

use pagecache::residency::{Counts, States, Stretch};
use serde_json::{Map, Value, json};

use super::look::{Detail, Look};
use super::names::Named;
use super::show::Show;
use super::total::Total;
use crate::json_lines::{put_line, put_path};

pub(super) struct ShowJson {
    /// Whether files are shown besides the total.
    pub(super) files: bool,
}

impl Show for ShowJson {
    fn file(&mut self, out: &mut Vec<u8>, path: &[u8], look: Look) {
        if self.files {
            put_line(out, &file(path, &look));
        }
    }

    fn end(&mut self, out: &mut Vec<u8>, total: &Total) -> io::Result<()> {
        put_line(out, &self::total(total));
        Ok(())
    }
}

/// The object of a file.
pub(super) fn file(path: &[u8], look: &Look) -> Value {
    let mut object = Map::new();
    put_path(&mut object, path);
    object.insert("bytes".into(), look.bytes.into());
    object.insert("unknown".into(), look.counts.is_none().into());
    put_counts(&mut object, look.counts.as_ref());
    if let Detail::Pages(stretches, names) = &look.detail {
        let list: Vec<Value> = match names.is_empty() {
            true => stretches.iter().map(|each| Value::Object(stretch(each))).collect(),
            false => names.iter().map(named).collect(),
        };
        object.insert("stretches".into(), list.into());
    }
    Value::Object(object)
}

fn put_counts(object: &mut Map<String, Value>, counts: Option<&Counts>) {
    let pages = counts.map(|counts| counts.pages);
    let resident = counts.map(|counts| counts.resident_pages);
    let states = counts.and_then(|counts| counts.states);
    let state = |of: fn(&States) -> u64| json!(states.as_ref().map(of));
    object.insert("pages".into(), json!(pages));
    object.insert("resident".into(), json!(resident));
    object.insert("dirty".into(), state(|states| states.dirty_pages));
    object.insert("write_back".into(), state(|states| states.write_back_pages));
    object.insert("evicted".into(), state(|states| states.evicted_pages));
    object.insert("recently_evicted".into(), state(|states| states.recently_evicted_pages));
}

fn stretch(stretch: &Stretch) -> Map<String, Value> {
    let mut object = Map::new();
    object.insert("first_page".into(), stretch.first_page.into());
    object.insert("last_page".into(), stretch.last_page().into());
    object.insert("state".into(), stretch.state.name().into());
    object
}

fn named(named: &Named) -> Value {
    let mut object = stretch(&named.stretch);
    object.insert("hot".into(), named.is_hot.into());
    object.insert("holds".into(), named.parts.iter().map(|part| part.json.clone()).collect());
    Value::Object(object)
}

/// The object of the total.
pub(super) fn total(total: &Total) -> Value {
    let mut object = Map::new();
    object.insert("files".into(), total.files.into());
    object.insert("unknown_files".into(), total.unknown_files.into());
    object.insert("failed".into(), total.failed.into());
    object.insert("page_bytes".into(), disk::page_bytes().into());
    put_counts(&mut object, Some(&total.counts()));
    json!({ "total": object })
}
