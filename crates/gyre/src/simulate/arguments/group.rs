//! Files of one layout, from the command line: `--files`, `--step` and operands, or `--group`.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

use ::options::Misuse;

use super::values::step_seconds;

/// Files of one layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::simulate) struct WantedGroup {
    pub(in crate::simulate) files: u32,
    /// `None`: the default, or the step of the file.
    pub(in crate::simulate) step_seconds: Option<u64>,
    pub(in crate::simulate) layout: WantedLayout,
}

/// The source of a layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::simulate) enum WantedLayout {
    /// The layout of MRTG's databases.
    Mrtg,
    /// The layout of this file.
    File(PathBuf),
    /// DS and RRA words as `create` takes them.
    Words(Vec<String>),
}

impl WantedLayout {
    pub(super) fn of_operands(operands: Vec<OsString>) -> Result<Self, Misuse> {
        if operands.is_empty() {
            return Ok(Self::Mrtg);
        }
        if operands.iter().all(|word| is_of_layout(word.as_bytes())) {
            return words(operands.iter().map(OsString::as_os_str)).map(Self::Words);
        }
        match <[OsString; 1]>::try_from(operands) {
            Ok([path]) => Ok(Self::File(path.into())),
            Err(_) => Err(Misuse::operands("one file, or DS and RRA")),
        }
    }
}

impl WantedGroup {
    pub(super) fn new(
        files: u32,
        step_seconds: Option<u64>,
        layout: WantedLayout,
    ) -> Result<Self, Misuse> {
        match (&layout, step_seconds) {
            (WantedLayout::File(path), Some(_)) => {
                Err(Misuse::option("step", format!("{} has its own", path.display())))
            }
            _ => Ok(Self { files, step_seconds, layout }),
        }
    }

    /// Parses `N [STEP] [FILE.rrd | DS:... RRA:...]`. The name of the file is the rest of the text,
    /// so it may hold white space. A file whose name looks like a step is written with `./`.
    pub(super) fn parse(value: &OsStr) -> Result<Self, Misuse> {
        let of_group =
            |misuse: Misuse| Misuse::unfit(format!("--group {}: {misuse}", value.display()));
        let (files, rest) = first_word(value.as_bytes());
        let files = number(files).filter(|files| *files > 0).ok_or_else(|| {
            let expected = format!("a number of files from 1 to {}", u32::MAX);
            of_group(Misuse::words(expected, OsStr::from_bytes(files).display()))
        })?;
        let (step, behind) = first_word(rest);
        let step = str::from_utf8(step).ok().filter(|word| is_of_time(word));
        let step = step.map(step_seconds).transpose().map_err(of_group)?;
        let layout = if step.is_some() { behind } else { rest };
        let layout = layout_of(layout).map_err(of_group)?;
        Self::new(files, step, layout).map_err(of_group)
    }
}

/// The layout, from the text after the number and the step.
fn layout_of(text: &[u8]) -> Result<WantedLayout, Misuse> {
    let text = text.trim_ascii();
    match text {
        b"" => Ok(WantedLayout::Mrtg),
        _ if is_of_layout(text) => {
            let each = text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
            words(each.map(OsStr::from_bytes)).map(WantedLayout::Words)
        }
        _ => Ok(WantedLayout::File(OsStr::from_bytes(text).into())),
    }
}

/// Whether a word is a number with or without a unit: then it is a step, even if not a valid one.
fn is_of_time(word: &str) -> bool {
    let number = word.strip_suffix(|unit: char| unit.is_ascii_alphabetic()).unwrap_or(word);
    !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_of_layout(word: &[u8]) -> bool {
    word.starts_with(b"DS:") || word.starts_with(b"RRA:")
}

fn words<'a>(words: impl Iterator<Item = &'a OsStr>) -> Result<Vec<String>, Misuse> {
    let text = |word: &OsStr| {
        let text = word.to_str().map(str::to_owned);
        text.ok_or_else(|| Misuse::words("text", word.display()))
    };
    words.map(text).collect()
}

fn first_word(text: &[u8]) -> (&[u8], &[u8]) {
    let text = text.trim_ascii_start();
    let end = text.iter().position(u8::is_ascii_whitespace).unwrap_or(text.len());
    text.split_at(end)
}

fn number(word: &[u8]) -> Option<u32> {
    str::from_utf8(word).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<(u32, Option<u64>, WantedLayout), String> {
        let group = WantedGroup::parse(OsStr::new(text)).map_err(|misuse| misuse.to_string())?;
        Ok((group.files, group.step_seconds, group.layout))
    }

    #[test]
    fn a_group_says_how_many_how_often_and_what() {
        let file = |name: &str| WantedLayout::File(name.into());
        let words = WantedLayout::Words(vec!["DS:a:GAUGE:9:U:U".into(), "RRA:LAST:0:1:9".into()]);
        assert_eq!(parsed("7"), Ok((7, None, WantedLayout::Mrtg)));
        assert_eq!(parsed("7 5m"), Ok((7, Some(300), WantedLayout::Mrtg)));
        assert_eq!(parsed("7 DS:a:GAUGE:9:U:U RRA:LAST:0:1:9"), Ok((7, None, words.clone())));
        assert_eq!(parsed(" 7 60  DS:a:GAUGE:9:U:U\tRRA:LAST:0:1:9 "), Ok((7, Some(60), words)));
        assert_eq!(parsed("7 two words.rrd"), Ok((7, None, file("two words.rrd"))));
        assert_eq!(parsed("7 ./60"), Ok((7, None, file("./60"))));
    }

    #[test]
    fn names_of_any_bytes_are_files() {
        let group = WantedGroup::parse(OsStr::from_bytes(b"2 \xff.rrd")).unwrap();
        assert_eq!(group.layout, WantedLayout::File(OsStr::from_bytes(b"\xff.rrd").into()));
    }

    #[test]
    fn mistakes_name_the_group() {
        let none = "--group : expected a number of files from 1 to 4294967295, found ";
        assert_eq!(parsed("").unwrap_err(), none);
        let zero = "--group 0 60: expected a number of files from 1 to 4294967295, found 0";
        assert_eq!(parsed("0 60").unwrap_err(), zero);
        let step = "--group 3 60 a.rrd: --step: a.rrd has its own";
        assert_eq!(parsed("3 60 a.rrd").unwrap_err(), step);
        for step in ["0", "0s", "5q"] {
            let error = parsed(&format!("3 {step}")).unwrap_err();
            assert!(error.starts_with(&format!("--group 3 {step}: --step: ")), "{error}");
        }
        assert!(matches!(parsed("3 60.rrd").unwrap().2, WantedLayout::File(_)));
    }
}
