//! `--imginfo` among the words of a graph, and what it says of the picture.

use graph::OPTIONS;

/// The words of a graph without `--imginfo`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Words<'a> {
    pub(crate) others: Vec<&'a str>,
    /// The format that `--imginfo` gives.
    pub(crate) format: Option<&'a str>,
    /// The picture's file, or empty: the first word that belongs to no option.
    pub(crate) file: &'a str,
}

impl<'a> Words<'a> {
    pub(crate) fn of(words: &'a [String]) -> Self {
        let mut found = Self::default();
        let mut rest = words.iter().map(String::as_str);
        while let Some(word) = rest.next() {
            if word == "--" {
                found.others.push(word);
                found.others.extend(rest.by_ref().inspect(|operand| {
                    found.file = if found.file.is_empty() { operand } else { found.file };
                }));
                break;
            }
            let Some(option) = Valued::at_end_of(word) else {
                let is_operand = word == "-" || !word.starts_with('-');
                if is_operand && found.file.is_empty() {
                    found.file = word;
                }
                found.others.push(word);
                continue;
            };
            let value = if option.value.is_empty() { rest.next() } else { Some(option.value) };
            if option.long == "imginfo" && value.is_some() {
                found.others.extend(Some(option.before).filter(|joined| joined.len() > 1));
                // rrdcgi looks for the long name alone, and gives its own format where that is not.
                found.format = value.filter(|_| option.before.is_empty()).or(found.format);
            } else {
                found.others.push(word);
                found.others.extend(value.filter(|_| option.value.is_empty()));
            }
        }
        found
    }
}

/// An option that takes a value.
struct Valued<'a> {
    long: &'static str,
    /// What is joined before its letter, with the dash.
    before: &'a str,
    /// The value within the same word; empty where it is the next one.
    value: &'a str,
}

impl<'a> Valued<'a> {
    /// The option with a value that a word is, or ends with.
    fn at_end_of(word: &'a str) -> Option<Self> {
        if let Some(long) = word.strip_prefix("--") {
            let name = long.split_once('=').map_or(long, |(name, _)| name);
            let naming = OPTIONS.iter().find(|naming| naming.long == name)?;
            let value = long.get(name.len() + 1..).unwrap_or_default();
            return naming.value.map(|_| Self { long: naming.long, before: "", value });
        }
        for (place, letter) in word.strip_prefix('-')?.char_indices() {
            let naming = OPTIONS.iter().find(|naming| naming.short == Some(letter))?;
            let (before, value) = word.split_at(place + 1);
            let value = &value[letter.len_utf8()..];
            if naming.value.is_some() {
                return Some(Self { long: naming.long, before, value });
            }
        }
        None
    }
}

/// A format such as `<img src="%s" width="%lu" height="%lu">`, taken apart.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Reference {
    /// What stands before the name, the width and the height, and behind all of them.
    texts: [String; 4],
}

impl Reference {
    /// Reads a format: these three, once each and in this order, and text with `%%` for a `%`.
    pub(crate) fn parse(format: &str) -> Option<Self> {
        let mut texts: [String; 4] = Default::default();
        let mut place = 0;
        let mut rest = format;
        while let Some((before, after)) = rest.split_once('%') {
            texts[place].push_str(before);
            if let Some(after) = after.strip_prefix('%') {
                texts[place].push('%');
                rest = after;
                continue;
            }
            rest = after.strip_prefix(*["s", "lu", "lu"].get(place)?)?;
            place += 1;
        }
        texts[place].push_str(rest);
        (place == 3).then_some(Self { texts })
    }

    pub(crate) fn text(&self, name: &str, width: u32, height: u32) -> String {
        let [before, between, also_between, behind] = &self.texts;
        format!("{before}{name}{between}{width}{also_between}{height}{behind}")
    }
}

#[cfg(test)]
mod tests {
    use super::{Reference, Words};

    fn found(words: &str) -> (String, Option<String>, String) {
        let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
        let Words { others, format, file } = Words::of(&words);
        (others.join(" "), format.map(str::to_owned), file.to_owned())
    }

    #[test]
    fn the_format_is_taken_out() {
        for (words, others, format, file) in [
            ("x.png -s -1d LINE1:a", "x.png -s -1d LINE1:a", None, "x.png"),
            ("-s -1d x.png --imginfo F LINE1:a", "-s -1d x.png LINE1:a", Some("F"), "x.png"),
            ("--imginfo=F x.png", "x.png", Some("F"), "x.png"),
            ("-fF -t --imginfo x.png", "-t --imginfo x.png", None, "x.png"),
            ("-Ef F x.png -z --imginfo G", "-E x.png -z", Some("G"), "x.png"),
            ("x.png -f", "x.png -f", None, "x.png"),
            ("--lazy - -- -f G", "--lazy - -- -f G", None, "-"),
        ] {
            let expected = (others.to_owned(), format.map(str::to_owned), file.to_owned());
            assert_eq!(found(words), expected, "{words}");
        }
    }

    #[test]
    fn formats() {
        let text = |format| Reference::parse(format).map(|it| it.text("x.png", 481, 141));
        assert_eq!(text("<%s|%lu|%lu>100%%").as_deref(), Some("<x.png|481|141>100%"));
        for wrong in ["", "x", "%s", "%s %lu", "%lu %s", "%s %lu %lu %lu", "%s %d %d", "%n", "%"] {
            assert_eq!(text(wrong), None, "{wrong}");
        }
    }
}
