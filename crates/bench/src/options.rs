//! The options of the benchmarks: each has one table, which drives its parser and its help.

use std::path::PathBuf;

/// The column of the help where descriptions begin.
const HELP_COLUMN: usize = 32;

/// The value of the option that chooses parts: the help lists them.
const PARTS: &str = "P,...";

/// What a benchmark can be told.
pub(crate) trait Options: Sized + 'static {
    /// The benchmark's name.
    const NAME: &'static str;
    /// What it measures, in a line.
    const ABOUT: &'static str;
    /// Its parts, if some of them can be chosen.
    const PARTS: &'static [&'static str] = &[];
    /// Its options, `--quick` apart.
    const TABLE: &'static [Row<Self>];

    /// The benchmark at the size that its figures are asked for.
    fn full() -> Self;

    /// Everything in seconds, and nothing that others on the machine would feel; nothing where there
    /// is no such size.
    fn quick() -> Option<Self> {
        None
    }
}

/// One option.
pub(crate) struct Row<O> {
    word: &'static str,
    /// What stands behind it; nothing for a switch.
    value: &'static str,
    help: &'static str,
    set: fn(&mut O, Value<'_>) -> Result<(), String>,
}

/// An option with a value behind it.
pub(crate) const fn option<O>(
    word: &'static str,
    value: &'static str,
    help: &'static str,
    set: fn(&mut O, Value<'_>) -> Result<(), String>,
) -> Row<O> {
    Row { word, value, help, set }
}

/// An option that stands alone.
pub(crate) const fn switch<O>(
    word: &'static str,
    help: &'static str,
    set: fn(&mut O, Value<'_>) -> Result<(), String>,
) -> Row<O> {
    Row { word, value: "", help, set }
}

/// The text behind an option.
#[derive(Clone, Copy)]
pub(crate) struct Value<'a> {
    word: &'a str,
    text: &'a str,
}

impl Value<'_> {
    /// Gives a field the value that the option stands for.
    pub(crate) fn set<T>(self, into: &mut T, value: T) -> Result<(), String> {
        *into = value;
        Ok(())
    }

    /// Makes it the value of a field.
    pub(crate) fn path(self, into: &mut PathBuf) -> Result<(), String> {
        *into = self.text.into();
        Ok(())
    }

    /// The same, of a number.
    pub(crate) fn number<N>(self, into: &mut N) -> Result<(), String>
    where
        N: std::str::FromStr + PartialOrd + Default,
    {
        *into = self.positive()?;
        Ok(())
    }

    /// A number above zero.
    pub(crate) fn positive<N>(self) -> Result<N, String>
    where
        N: std::str::FromStr + PartialOrd + Default,
    {
        let number = self.text.parse().ok().filter(|number| *number > N::default());
        number.ok_or_else(|| format!("{} {}: expected a number above zero", self.word, self.text))
    }

    /// Numbers above zero, with commas between them.
    pub(crate) fn numbers(self, into: &mut Vec<u64>) -> Result<(), String> {
        let number = |text| Self { text, ..self }.positive();
        *into = self.text.split(',').map(number).collect::<Result<_, _>>()?;
        Ok(())
    }

    /// One of the names in a table.
    pub(crate) fn one_of<T: Copy>(self, known: &[(&'static str, T)]) -> Result<T, String> {
        let found = known.iter().find(|(name, _)| *name == self.text);
        found.map(|(_, value)| *value).ok_or_else(|| {
            let names = known.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
            format!("{} {}: expected one of {names}", self.word, self.text)
        })
    }

    /// The parts that it names, out of those that there are.
    pub(crate) fn parts(
        self,
        known: &[&'static str],
        into: &mut Vec<&'static str>,
    ) -> Result<(), String> {
        let part = |name: &str| {
            let found = known.iter().copied().find(|part| *part == name);
            found.ok_or_else(|| {
                format!("{} {name}: expected some of {}", self.word, known.join(","))
            })
        };
        *into = self.text.split(',').map(part).collect::<Result<_, _>>()?;
        Ok(())
    }
}

/// Reads the words of a benchmark's command line.
///
/// # Errors
/// Names the word, and what was expected.
pub(crate) fn parse<O: Options>(words: &[String]) -> Result<O, String> {
    let quick = words.iter().any(|word| word == "--quick").then(O::quick).flatten();
    let is_quick = quick.is_some();
    let mut options = quick.unwrap_or_else(O::full);
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if word == "--quick" && is_quick {
            continue;
        }
        let unknown = || format!("{word}: no option of bench {}; see bench --help", O::NAME);
        let row = O::TABLE.iter().find(|row| row.word == word).ok_or_else(unknown)?;
        let missing = || format!("{word}: expected {} after it", row.value);
        let text = match row.value {
            "" => "",
            _ => words.next().ok_or_else(missing)?,
        };
        (row.set)(&mut options, Value { word, text })?;
    }
    Ok(options)
}

/// What the help says of a benchmark.
pub(crate) fn help<O: Options>() -> String {
    let mut lines = format!("  {:9} {}\n", O::NAME, O::ABOUT);
    for Row { word, value, help, .. } in O::TABLE {
        let help = match *value {
            PARTS => format!("{help} {}", O::PARTS.join(",")),
            _ => (*help).to_owned(),
        };
        lines += &line(&format!("{word} {value}"), &help);
    }
    if O::quick().is_some() {
        lines += &line("--quick", "everything at a small size, within seconds");
    }
    lines
}

fn line(words: &str, help: &str) -> String {
    format!("{:width$} {help}\n", format!("              {words}"), width = HELP_COLUMN)
}

#[cfg(test)]
mod tests {
    use super::{Options, Row, help, option, parse, switch};

    #[derive(Debug, PartialEq)]
    struct Few {
        files: u64,
        parts: Vec<&'static str>,
        json: bool,
    }

    const PARTS: [&str; 2] = ["cold", "warm"];

    impl Options for Few {
        const NAME: &'static str = "few";
        const ABOUT: &'static str = "nothing";
        const TABLE: &'static [Row<Self>] = &[
            option("--files", "N", "files (9)", |few, it| it.number(&mut few.files)),
            option("--only", "P,...", "some", |few, it| it.parts(&PARTS, &mut few.parts)),
            switch("--json", "as JSON", |few, it| it.set(&mut few.json, true)),
        ];

        fn full() -> Self {
            Self { files: 9, parts: PARTS.into(), json: false }
        }

        fn quick() -> Option<Self> {
            Some(Self { files: 1, ..Self::full() })
        }
    }

    fn few(words: &str) -> Result<Few, String> {
        parse(&words.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn words_become_options() {
        assert_eq!(few(""), Ok(Few::full()));
        assert_eq!(few("--json --quick").map(|few| (few.files, few.json)), Ok((1, true)));
        assert_eq!(few("--files 3 --quick").map(|few| few.files), Ok(3));
        assert_eq!(few("--only warm").map(|few| few.parts), Ok(vec!["warm"]));
    }

    #[test]
    fn wrong_words_are_named() {
        let cases = [
            ("--file 3", "--file: no option of bench few; see bench --help"),
            ("--files", "--files: expected N after it"),
            ("--files 0", "--files 0: expected a number above zero"),
            ("--only hot", "--only hot: expected some of cold,warm"),
        ];
        for (words, said) in cases {
            assert_eq!(few(words), Err(said.to_owned()));
        }
    }

    #[test]
    fn the_help_has_a_line_for_each() {
        assert_eq!(help::<Few>().lines().count(), 5);
        assert!(help::<Few>().contains("--files N          files (9)\n"), "{}", help::<Few>());
    }
}
