//! `SetEnv[]`: `NAME="value"` pairs, in which cfgmaker describes an interface.

use texts::{Reader, Text, Writer};

use crate::text::{decode, is_space, trim_start};

/// Names and values, in order.
pub(crate) type Pairs = Vec<(String, String)>;

/// Keeps the pairs; `None` if there are none.
pub(crate) fn put(pairs: &Pairs, writer: &mut Writer) -> Option<Text> {
    let fields = pairs.iter().flat_map(|(name, value)| [name.as_str(), value.as_str()]);
    (!pairs.is_empty()).then(|| writer.put(&fields.collect::<Vec<_>>()))
}

/// The pairs that were kept.
pub(crate) fn read(text: &Text) -> Pairs {
    read_in_turn(text, &mut Reader::default())
}

/// The same by a reader that reads many in their order.
pub(crate) fn read_in_turn(text: &Text, reader: &mut Reader) -> Pairs {
    let mut fields = reader.fields(text).map(str::to_owned);
    let mut pairs = Vec::new();
    while let (Some(name), Some(value)) = (fields.next(), fields.next()) {
        pairs.push((name, value));
    }
    pairs
}

/// The description that cfgmaker wrote about the interface.
pub(crate) fn description(pairs: &Pairs) -> String {
    let wanted = ["MRTG_INT_DESCR", "MRTG_INT_IP"];
    let found = wanted.iter().filter_map(|wanted| {
        let (_, value) = pairs.iter().find(|(name, _)| name == wanted)?;
        (!value.is_empty()).then_some(value.as_str())
    });
    found.collect::<Vec<_>>().join(", ")
}

/// The pairs, in order; `None` if the value has another form.
pub(crate) fn parse(value: &[u8]) -> Option<Pairs> {
    let mut rest = value;
    let mut pairs = Vec::new();
    while !rest.is_empty() {
        let (name, after) = split_at_byte(rest, b'=')?;
        let (text, after) = split_at_byte(after.strip_prefix(b"\"")?, b'"')?;
        let plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        if name.is_empty() || !name.iter().all(plain) {
            return None;
        }
        if after.first().is_some_and(|byte| !is_space(*byte)) {
            return None;
        }
        pairs.push((decode(name), decode(text)));
        rest = trim_start(after);
    }
    (!pairs.is_empty()).then_some(pairs)
}

fn split_at_byte(bytes: &[u8], mark: u8) -> Option<(&[u8], &[u8])> {
    let at = bytes.iter().position(|byte| *byte == mark)?;
    Some((bytes.get(..at)?, bytes.get(at + 1..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_split() {
        let pairs = parse(b"MRTG_INT_IP=\"\" MRTG_INT_DESCR=\"eth 0=x\" ").unwrap();
        assert_eq!(pairs[0], ("MRTG_INT_IP".into(), String::new()));
        assert_eq!(pairs[1], ("MRTG_INT_DESCR".into(), "eth 0=x".into()));
    }

    #[test]
    fn other_forms_are_refused() {
        for wrong in ["", "A", "A=b", "A=\"b", "A=\"b\"C=\"d\"", "=\"x\"", "A B=\"x\""] {
            assert_eq!(parse(wrong.as_bytes()), None, "{wrong}");
        }
    }
}
