//! The options of the benchmarks; each has its own rows.

use std::ffi::OsString;

use ::options::help::{Columns, append_options};
use ::options::{CommandLine, Misuse, OwnRow, Value};

const COLUMNS: Columns = Columns { indent: 32, width: 100 };

/// The options of a benchmark.
pub(crate) trait Options: Sized + 'static {
    /// The benchmark's name.
    const NAME: &'static str;
    /// A line about what it measures.
    const ABOUT: &'static str;
    /// Its parts, if they can be chosen.
    const PARTS: &'static [&'static str] = &[];
    /// Its options, without `--quick`.
    const TABLE: &'static [OwnRow<Self>];

    /// The values for the full size.
    fn full() -> Self;

    /// The values for a run of seconds that does not disturb the machine; `None` if there is no
    /// such size.
    fn quick() -> Option<Self> {
        None
    }
}

/// Sets a number above zero.
pub(crate) fn fill<N>(into: &mut N, value: &Value) -> Result<(), Misuse>
where
    N: std::str::FromStr + PartialOrd + Default,
{
    *into = positive(value.text()?).ok_or_else(|| value.wrong("a number above zero"))?;
    Ok(())
}

/// Sets positive numbers, separated by commas.
pub(crate) fn fill_list(into: &mut Vec<u64>, value: &Value) -> Result<(), Misuse> {
    let numbers = value.text()?.split(',').map(positive).collect::<Option<_>>();
    *into = numbers.ok_or_else(|| value.wrong("numbers above zero, with commas between them"))?;
    Ok(())
}

fn positive<N>(text: &str) -> Option<N>
where
    N: std::str::FromStr + PartialOrd + Default,
{
    text.parse().ok().filter(|number| *number > N::default())
}

/// Sets the parts that the value names.
pub(crate) fn choose(
    into: &mut Vec<&'static str>,
    known: &[&'static str],
    value: &Value,
) -> Result<(), Misuse> {
    let find = |name: &str| known.iter().copied().find(|part| *part == name);
    let parts = value.text()?.split(',').map(find).collect::<Option<_>>();
    *into = parts.ok_or_else(|| value.wrong(format!("some of {}", known.join(","))))?;
    Ok(())
}

/// Parses the arguments of a benchmark.
///
/// # Errors
///
/// Names the word, and what was expected.
pub(crate) fn parse<O: Options>(words: &[String]) -> Result<O, String> {
    let (options, operands) = parse_with_operands(words)?;
    match operands.first() {
        None => Ok(options),
        Some(word) => Err(format!("bench {}: expected options, found {}", O::NAME, word.display())),
    }
}

/// The same for arguments that have words beside the options.
///
/// # Errors
///
/// As for [`parse`].
pub(crate) fn parse_with_operands<O: Options>(
    words: &[String],
) -> Result<(O, Vec<OsString>), String> {
    let is_quick = |word: &&String| *word == "--quick";
    let quick = words.iter().any(|word| is_quick(&word)).then(O::quick).flatten();
    let has_size = O::quick().is_some();
    let mut options = quick.unwrap_or_else(O::full);
    let words = words.iter().filter(|word| !(has_size && is_quick(word)));
    let line = CommandLine { synopsis: O::NAME, summary: O::ABOUT, options: O::TABLE, notes: "" };
    let read = line.read_into(&mut options, words.map(OsString::from));
    let operands = read.map_err(|misuse| format!("bench {}: {misuse}", O::NAME))?;
    operands.map(|operands| (options, operands)).ok_or_else(help::<O>)
}

/// The help of a benchmark.
pub(crate) fn help<O: Options>() -> String {
    let mut text = format!("  {:9} {}\n", O::NAME, O::ABOUT);
    append_options(&mut text, O::TABLE.iter().map(OwnRow::naming), COLUMNS);
    if O::quick().is_some() {
        let what = "everything at a small size, within seconds";
        text += &format!("{:indent$}{what}\n", "      --quick", indent = COLUMNS.indent);
    }
    if !O::PARTS.is_empty() {
        text +=
            &format!("{:indent$}{}\n", "      parts", O::PARTS.join(","), indent = COLUMNS.indent);
    }
    text
}

#[cfg(test)]
mod tests {
    use ::options::{OwnRow, checked, switch};

    use super::{Options, choose, fill, help, parse};

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
        const TABLE: &'static [OwnRow<Self>] = &[
            checked("--files", "N", "files (9)", |few, it| fill(&mut few.files, &it)),
            checked("--only", "P,...", "some", |few, it| choose(&mut few.parts, &PARTS, &it)),
            switch("--json", "as JSON", |few| few.json = true),
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
            ("--file 3", "bench few: unknown option --file"),
            ("--files", "bench few: --files: expected N"),
            ("--files 0", "bench few: --files: expected a number above zero, found 0"),
            ("--only hot", "bench few: --only: expected some of cold,warm, found hot"),
        ];
        for (words, said) in cases {
            assert_eq!(few(words), Err(said.to_owned()));
        }
    }

    #[test]
    fn the_help_has_a_line_for_each() {
        assert_eq!(help::<Few>().lines().count(), 5);
        assert!(
            help::<Few>().contains("      --files N                 files (9)\n"),
            "{}",
            help::<Few>()
        );
    }
}
