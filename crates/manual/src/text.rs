//! Texts of commands, as pages and completions need them.

/// The first sentence, without its full stop.
pub(crate) fn first_sentence(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_end = |word: &&str| word.ends_with('.') && word.len() > 2 && !word.ends_with("...");
    let end = words.iter().position(is_end).map_or(words.len(), |last| last + 1);
    let sentence = words.get(..end).unwrap_or_default().join(" ");
    sentence.strip_suffix('.').map(str::to_owned).unwrap_or(sentence)
}

/// At most so many letters of a text: whole words, and dots where some are left out.
pub(crate) fn shortened(text: &str, letters_max: usize) -> String {
    if text.chars().count() <= letters_max {
        return text.to_owned();
    }
    let mut short = String::new();
    for word in text.split_whitespace() {
        if short.chars().count() + word.chars().count() + 4 > letters_max {
            break;
        }
        if !short.is_empty() {
            short.push(' ');
        }
        short += word;
    }
    short.trim_end_matches([',', ';', ':', '.']).to_owned() + "..."
}

#[cfg(test)]
mod tests {
    use super::{first_sentence, shortened};

    #[test]
    fn texts_are_cut_between_words() {
        assert_eq!(first_sentence("A file .rrd of\nit. And more."), "A file .rrd of it");
        assert_eq!(first_sentence("no stop"), "no stop");
        assert_eq!(shortened("one two, three", 12), "one two...");
        assert_eq!(shortened("one two", 7), "one two");
    }
}
