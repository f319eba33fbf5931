//! Words that were mistyped once.

/// Shorter words are too like too many others.
const LETTERS_LEAST: usize = 4;

/// A word that may be mistyped.
#[derive(Debug)]
pub(crate) struct Mistyped {
    letters: Vec<char>,
}

impl Mistyped {
    /// `None` for a word that is not looked for in this way: a short one, or a number, for which
    /// another number is no help.
    pub(crate) fn new(word: &str) -> Option<Self> {
        let letters: Vec<char> = word.chars().collect();
        let is_number = letters.iter().all(|letter| !letter.is_alphabetic());
        (letters.len() >= LETTERS_LEAST && !is_number).then_some(Self { letters })
    }

    /// Whether the word becomes the beginning of a text by one change: a letter that is another, is
    /// missing or too many, or two letters that changed places. Then how many letters of the text
    /// it becomes.
    pub(crate) fn length_in(&self, text: &str) -> Option<usize> {
        // Most texts differ in the first two letters: then no more of them is looked at.
        let mut differing = self.letters.iter().copied().zip(text.chars()).take(2);
        let first_two = differing.next().zip(differing.next());
        if let Some(((one, other), (two, another))) = first_two {
            let is_one_change = one == other || two == another || one == another || two == other;
            if !is_one_change {
                return None;
            }
        }
        let text: Vec<char> = text.chars().take(self.letters.len() + 1).collect();
        let same = self.letters.iter().zip(&text).take_while(|(one, other)| one == other).count();
        let word = self.letters.get(same..)?;
        let text = text.get(same..)?;
        let begins = |word: usize, text: usize, of: &[char], whole: &[char]| {
            whole
                .get(text..)
                .is_some_and(|text| of.get(word..).is_some_and(|word| text.starts_with(word)))
        };
        let length = self.letters.len();
        if begins(1, 1, word, text) {
            return Some(length); // another letter
        }
        if let ([a, b, ..], [c, d, ..]) = (word, text)
            && (a, b) == (d, c)
            && begins(2, 2, word, text)
        {
            return Some(length); // changed places
        }
        if begins(0, 1, word, text) {
            return Some(length + 1); // one is missing
        }
        begins(1, 0, word, text).then(|| length - 1) // one too many
    }
}

#[cfg(test)]
mod tests {
    use super::Mistyped;

    fn length(word: &str, text: &str) -> Option<usize> {
        Mistyped::new(word)?.length_in(text)
    }

    #[test]
    fn one_change_is_forgiven() {
        for (word, text, expected) in [
            ("frankfrut", "frankfurt", Some(9)), // changed places
            ("rfankfurt", "frankfurt", Some(9)),
            ("frankfirt", "frankfurt", Some(9)), // another letter
            ("xrankfurt", "frankfurt", Some(9)),
            ("frakfurt", "frankfurt", Some(9)), // one is missing
            ("rankfurt", "frankfurt", Some(9)),
            ("frankkfurt", "frankfurt", Some(9)), // one too many
            ("ffrankfurt", "frankfurt", Some(9)),
            ("frankfurtx", "frankfurt", Some(9)),
            ("frankfr", "frankfurt", Some(7)), // the beginning, mistyped
            ("frnkf", "frankfurt", Some(6)),
            ("ærøby", "ærøbi", Some(5)),
            ("frenkfirt", "frankfurt", None), // two changes
            ("cor", "cro", None),             // too short
            ("12345", "12354", None),         // a number
            ("berlin", "frankfurt", None),
            ("frankfurt", "fr", None),
        ] {
            assert_eq!(length(word, text), expected, "{word} {text}");
        }
    }
}
