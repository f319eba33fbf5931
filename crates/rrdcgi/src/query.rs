//! The variables of a request.

use std::collections::HashMap;

/// Variables by name.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Variables(HashMap<Vec<u8>, Vec<u8>>);

impl Variables {
    /// Those of a query or a form: `name=value&...`.
    pub(crate) fn of_query(query: &[u8]) -> Self {
        let mut variables = Self::default();
        for pair in query.split(|byte| *byte == b'&') {
            variables.add(pair);
        }
        variables
    }

    /// Those that a person types for a page without a web server: `name=value`, one a line.
    pub(crate) fn of_lines(lines: &[u8]) -> Self {
        let mut variables = Self::default();
        for line in lines.split(|byte| *byte == b'\n') {
            variables.add(line);
        }
        variables
    }

    fn add(&mut self, pair: &[u8]) {
        let Some(place) = pair.iter().position(|byte| *byte == b'=') else { return };
        let (name, value) = (decoded(&pair[..place]), decoded(&pair[place + 1..]));
        let value = harmless(value);
        // One that is given several times has its values one a line.
        match self.0.get_mut(&name) {
            Some(found) => {
                found.push(b'\n');
                found.extend(value);
            }
            None => drop(self.0.insert(name, value)),
        }
    }

    pub(crate) fn get(&self, name: &[u8]) -> Option<&[u8]> {
        self.0.get(name).map(Vec::as_slice)
    }
}

/// Text as it was before it was encoded. What is encoded wrongly stays as it is; C has no text
/// behind a zero.
fn decoded(text: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(text.len());
    let mut rest = text;
    while let [first, after @ ..] = rest {
        let (byte, after) = match (first, after) {
            (b'%', [high, low, after @ ..]) => match (digit(*high), digit(*low)) {
                (Some(high), Some(low)) => (high * 16 + low, after),
                _ => (b'%', &rest[1..]),
            },
            (b'+', after) => (b' ', after),
            (byte, after) => (*byte, after),
        };
        if byte == 0 {
            break;
        }
        plain.push(byte);
        rest = after;
    }
    plain
}

fn digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).map(|digit| digit as u8)
}

/// No value can be, or end, a tag of the page or of HTML.
fn harmless(mut value: Vec<u8>) -> Vec<u8> {
    for byte in &mut value {
        if matches!(byte, b'<' | b'>') {
            *byte = b'_';
        }
    }
    value
}

/// A value in quotes, so that it is one word.
pub(crate) fn quoted(value: &[u8]) -> Vec<u8> {
    let mut text = vec![b'"'];
    for byte in value {
        match byte {
            b'"' => text.extend_from_slice(b"\"'\"'\""),
            byte => text.push(*byte),
        }
    }
    text.push(b'"');
    text
}

/// A value that leads neither to another directory's beginning nor above one.
pub(crate) fn as_path(value: &[u8]) -> Vec<u8> {
    let mut path = value.to_vec();
    path.iter_mut().take_while(|byte| **byte == b'/').for_each(|byte| *byte = b'_');
    for place in 1..path.len() {
        if path[place - 1] == b'.' && path[place] == b'.' {
            path[place - 1] = b'_';
            path[place] = b'_';
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::{Variables, as_path, quoted};

    #[test]
    fn variables_are_decoded() {
        let variables =
            Variables::of_query(b"a+b=1&c=%2Fa+b%22&c=%3cb%3E&empty=&none&=x&z=1%00x&d=a=b");
        let get = |name: &str| {
            variables.get(name.as_bytes()).map(|value| String::from_utf8_lossy(value).into_owned())
        };
        assert_eq!(get("a b").as_deref(), Some("1"));
        assert_eq!(get("c").as_deref(), Some("/a b\"\n_b_"));
        assert_eq!(get("empty").as_deref(), Some(""));
        assert_eq!(get("none"), None);
        assert_eq!(get("z").as_deref(), Some("1"));
        assert_eq!(get("d").as_deref(), Some("a=b"));
        assert_eq!(Variables::of_query(b"a=%4&b=%zz%").get(b"b"), Some(&b"%zz%"[..]));
        assert_eq!(Variables::of_lines(b"a=1\nb=%41\n").get(b"b"), Some(&b"A"[..]));
    }

    #[test]
    fn paths_lead_nowhere_else() {
        for (value, path) in [
            ("a/b.rrd", "a/b.rrd"),
            ("../x", "__/x"),
            ("a/../x", "a/__/x"),
            ("//x", "__x"),
            (".../y", "__./y"),
            ("..../..", "____/__"),
            ("", ""),
            ("a.b", "a.b"),
        ] {
            assert_eq!(as_path(value.as_bytes()), path.as_bytes(), "{value}");
        }
        for text in ["/..//../x", ".../...//..", "a/.././b/....c"] {
            let path = String::from_utf8(as_path(text.as_bytes())).unwrap();
            assert!(!path.starts_with('/') && !path.contains(".."), "{path}");
        }
    }

    #[test]
    fn quotes_are_quoted() {
        assert_eq!(quoted(b"a \"b\""), b"\"a \"'\"'\"b\"'\"'\"\"");
    }
}
