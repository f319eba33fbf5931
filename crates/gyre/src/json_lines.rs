//! JSON with an object on each line: the files, then the total.

use serde_json::{Map, Value};

/// Puts a value and the end of its line.
pub(crate) fn put_line(out: &mut Vec<u8>, value: &Value) {
    // Writing to a Vec cannot fail.
    let _ = serde_json::to_writer(&mut *out, value);
    out.push(b'\n');
}

/// Adds the name of a file. A name that is not UTF-8 gets its bytes beside it.
pub(crate) fn put_path(object: &mut Map<String, Value>, path: &[u8]) {
    let text = String::from_utf8_lossy(path);
    if text.as_bytes() != path {
        object.insert("file_bytes".into(), path.into());
    }
    object.insert("file".into(), text.into());
}
