//! The options of the chores.

/// The words after a verb.
pub(crate) struct Arguments {
    words: Vec<String>,
}

impl Arguments {
    pub(crate) fn new(words: Vec<String>) -> Self {
        Self { words }
    }

    /// Whether `--name` is given; removes it.
    pub(crate) fn flag(&mut self, name: &str) -> bool {
        let before = self.words.len();
        self.words.retain(|word| word != name);
        self.words.len() < before
    }

    /// The value after `--name`; removes both.
    pub(crate) fn value(&mut self, name: &str) -> Result<Option<String>, String> {
        let Some(place) = self.words.iter().position(|word| word == name) else {
            return Ok(None);
        };
        if place + 1 == self.words.len() {
            return Err(format!("{name} needs a word after it"));
        }
        Ok(self.words.drain(place..place + 2).next_back())
    }

    /// The number after `--name`; removes both.
    pub(crate) fn number(&mut self, name: &str) -> Result<Option<u64>, String> {
        let Some(place) = self.words.iter().position(|word| word == name) else {
            return Ok(None);
        };
        let value = self.words.get(place + 1).map(|word| word.parse());
        let Some(Ok(number)) = value else {
            return Err(format!("{name} needs a whole number"));
        };
        self.words.drain(place..place + 2);
        Ok(Some(number))
    }

    /// The remaining words.
    pub(crate) fn rest(self) -> Vec<String> {
        self.words
    }

    /// Fails if a word remains.
    pub(crate) fn finish(self) -> Result<(), String> {
        match self.words.first() {
            None => Ok(()),
            Some(word) => Err(format!("unexpected argument: {word}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Arguments;

    fn arguments(line: &str) -> Arguments {
        Arguments::new(line.split_whitespace().map(str::to_owned).collect())
    }

    #[test]
    fn options_are_taken_wherever_they_stand() {
        let mut given = arguments("snmp --seconds 20 --json");
        assert_eq!(given.number("--seconds"), Ok(Some(20)));
        assert!(given.flag("--json"));
        assert!(!given.flag("--json"));
        assert_eq!(given.rest(), ["snmp"]);
        let mut given = arguments("--to here");
        assert_eq!(given.value("--to"), Ok(Some("here".into())));
        assert_eq!(given.finish(), Ok(()));
    }

    #[test]
    fn wrong_words_are_refused() {
        assert!(arguments("--seconds soon").number("--seconds").is_err());
        assert!(arguments("--seconds").number("--seconds").is_err());
        assert!(arguments("--to").value("--to").is_err());
        assert!(arguments("--jsno").finish().is_err());
    }
}
