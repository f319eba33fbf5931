//! What the value of an option can be.

/// What a shell offers as the value of an option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Offer<'a> {
    /// One of these words.
    Words(Vec<&'a str>),
    /// Files.
    Files,
    /// Directories.
    Directories,
    /// Nothing: a number, a name, an address.
    Nothing,
}

/// What to offer for a value that the help calls so. Words in small letters stand for themselves.
pub(super) fn offer(value: &str) -> Offer<'_> {
    let is_of_word = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let is_word = |word: &&str| {
        word.starts_with(|first: char| first.is_ascii_lowercase()) && word.bytes().all(is_of_word)
    };
    let words: Vec<&str> = value.split(['|', ',']).filter(is_word).collect();
    let has = |kinds: &[&str]| kinds.iter().any(|kind| value.contains(kind));
    if !words.is_empty() {
        Offer::Words(words)
    } else if has(&["DIR", "STORE"]) {
        Offer::Directories
    } else if has(&["FILE", "PATH", "SOCKET", "WHERE", "CFG"]) {
        Offer::Files
    } else {
        Offer::Nothing
    }
}

#[cfg(test)]
mod tests {
    use super::{Offer, offer};

    #[test]
    fn values_are_told_by_their_names() {
        assert_eq!(offer("always|TIME|off"), Offer::Words(vec!["always", "off"]));
        assert_eq!(offer("topdown|bottomup2"), Offer::Words(vec!["topdown", "bottomup2"]));
        assert_eq!(offer("1h|FILE"), Offer::Files);
        assert_eq!(offer("FILE"), Offer::Files);
        assert_eq!(offer("DIRECTORY"), Offer::Directories);
        assert_eq!(offer("ADDRESS:PORT"), Offer::Nothing);
    }
}
