//! Texts with `{names}` in them: patterns that take a text apart, and templates that put one
//! together.

use regex::Regex;

use crate::wrong_rule::WrongRule;

/// A piece of a text with names in braces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    Text(String),
    /// `{name}`; `{name**}` in a pattern, where it takes slashes too.
    Name {
        name: String,
        is_deep: bool,
    },
}

/// The pieces of a text.
pub(crate) fn pieces(text: &str) -> Result<Vec<Piece>, WrongRule> {
    let wrong = |what: &'static str| WrongRule::Braces { text: text.to_owned(), what };
    let (mut all, mut rest) = (Vec::new(), text);
    while let Some((before, behind)) = rest.split_once('{') {
        let (name, behind) = behind.split_once('}').ok_or_else(|| wrong("a `}`"))?;
        let (name, is_deep) = match name.strip_suffix("**") {
            Some(name) => (name, true),
            None => (name, false),
        };
        let is_name = |name: &str| {
            let mut letters = name.bytes();
            letters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
                && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == b'_')
        };
        if !is_name(name) {
            return Err(wrong("a name of letters, digits and `_` in each pair of braces"));
        }
        all.push(Piece::Text(before.to_owned()));
        all.push(Piece::Name { name: name.to_owned(), is_deep });
        rest = behind;
    }
    all.push(Piece::Text(rest.to_owned()));
    all.retain(|piece| *piece != Piece::Text(String::new()));
    Ok(all)
}

/// Takes a database's name apart.
#[derive(Clone, Debug)]
pub(crate) struct NamePattern {
    whole: Regex,
    /// The names in braces, in order.
    pub(crate) names: Vec<String>,
}

impl NamePattern {
    /// `{device}/{interface}`: each name takes as little as it can, and no slash unless it ends in
    /// `**`.
    pub(crate) fn new(text: &str) -> Result<Self, WrongRule> {
        let text = text.strip_suffix(".rrd").unwrap_or(text);
        let (mut names, mut pattern) = (Vec::new(), String::from("^"));
        for piece in pieces(text)? {
            match piece {
                Piece::Text(text) => pattern.push_str(&regex::escape(&text)),
                Piece::Name { name, .. } if names.contains(&name) => {
                    return Err(WrongRule::Twice { name });
                }
                Piece::Name { name, is_deep } => {
                    pattern.push_str(if is_deep { "(.+?)" } else { "([^/]+?)" });
                    names.push(name);
                }
            }
        }
        pattern.push('$');
        let whole = Regex::new(&pattern);
        let whole = whole.map_err(|_| WrongRule::TooLong { text: text.to_owned() })?;
        Ok(Self { whole, names })
    }

    /// The texts that the names stand for.
    pub(crate) fn taken_apart<'t>(&self, name: &'t str) -> Option<Vec<&'t str>> {
        let captures = self.whole.captures(name)?;
        let texts = captures.iter().skip(1);
        Some(texts.map(|text| text.map_or("", |text| text.as_str())).collect())
    }
}

/// Puts a text together.
#[derive(Clone, Debug)]
pub(crate) struct Template {
    pieces: Vec<Filled>,
}

#[derive(Clone, Debug)]
enum Filled {
    Text(String),
    /// The position of a name among those that the pattern has.
    Name(usize),
}

impl Template {
    /// A template of names that are known.
    pub(crate) fn new(text: &str, known: &[&str]) -> Result<Self, WrongRule> {
        let filled = pieces(text)?.into_iter().map(|piece| match piece {
            Piece::Text(text) => Ok(Filled::Text(text)),
            Piece::Name { name, is_deep } => {
                let position = known.iter().position(|known| *known == name);
                let position = position.filter(|_| !is_deep);
                position.map(Filled::Name).ok_or_else(|| WrongRule::Unknown {
                    name,
                    text: text.to_owned(),
                    known: known.join(", "),
                })
            }
        });
        Ok(Self { pieces: filled.collect::<Result<_, _>>()? })
    }

    /// The text, each name replaced by its text after `each` has changed that.
    pub(crate) fn filled(&self, texts: &[&str], mut each: impl FnMut(&str, &mut String)) -> String {
        let mut out = String::new();
        for piece in &self.pieces {
            match piece {
                Filled::Text(text) => out.push_str(text),
                Filled::Name(position) => each(texts[*position], &mut out),
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_takes_as_little_as_it_can_and_no_slash() {
        let pattern = NamePattern::new("{host}/{plugin}-{instance}/{type}.rrd").unwrap();
        let texts = pattern.taken_apart("web-1/if-eth0-x/octets").unwrap();
        assert_eq!(texts, ["web-1", "if", "eth0-x", "octets"]);
        assert_eq!(pattern.taken_apart("a/b/if-eth0/octets"), None);
        let deep = NamePattern::new("{site**}/{host}").unwrap();
        assert_eq!(deep.taken_apart("a/b/c").unwrap(), ["a/b", "c"]);
    }

    #[test]
    fn a_template_knows_its_names() {
        let template = Template::new("net.{host}.x", &["host"]).unwrap();
        assert_eq!(template.filled(&["r1"], |text, out| out.push_str(text)), "net.r1.x");
        let error = Template::new("{hots}", &["host", "ds"]).unwrap_err();
        assert_eq!(error.to_string(), "{hots}: expected one of host, ds in braces, found hots");
        let error = NamePattern::new("{host").unwrap_err();
        assert_eq!(error.to_string(), "{host: expected a `}`");
    }
}
