//! Splitting arguments into options and elements: options may stand anywhere, `--` ends them,
//! letters may be joined, and long names must be whole.

use super::option_table::{OPTIONS, OptionRule};
use crate::Error;

/// An option that was given, with its value.
pub(crate) type Given<'a> = (&'static OptionRule, &'a str);

/// The options in order, and the arguments that are none.
pub(crate) fn scan(arguments: &[String]) -> Result<(Vec<Given<'_>>, Vec<&str>), Error> {
    let mut given = Vec::new();
    let mut others = Vec::new();
    let mut rest = arguments.iter().map(String::as_str);
    while let Some(argument) = rest.next() {
        if argument == "--" {
            others.extend(rest.by_ref());
        } else if let Some(long) = argument.strip_prefix("--") {
            given.push(long_option(long, &mut rest)?);
        } else if argument.len() > 1 && argument.starts_with('-') {
            short_options(&argument[1..], &mut rest, &mut given)?;
        } else {
            others.push(argument);
        }
    }
    Ok((given, others))
}

fn long_option<'a>(
    text: &'a str,
    rest: &mut dyn Iterator<Item = &'a str>,
) -> Result<Given<'a>, Error> {
    let (name, inline) = match text.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (text, None),
    };
    let invalid = || Error::Option(format!("invalid option -- '{name}'"));
    let rule = named(name).ok_or_else(invalid)?;
    let value = match (rule.takes_value, inline) {
        (true, Some(value)) => value,
        (true, None) => rest
            .next()
            .ok_or_else(|| Error::Option(format!("option '--{}' requires a value", rule.long)))?,
        (false, None) => "",
        (false, Some(_)) => return Err(invalid()),
    };
    Ok((rule, value))
}

fn named(name: &str) -> Option<&'static OptionRule> {
    OPTIONS.iter().find(|rule| rule.long == name)
}

fn short_options<'a>(
    letters: &'a str,
    rest: &mut dyn Iterator<Item = &'a str>,
    given: &mut Vec<Given<'a>>,
) -> Result<(), Error> {
    for (at, letter) in letters.char_indices() {
        let rule = OPTIONS
            .iter()
            .find(|rule| rule.short == Some(letter))
            .ok_or_else(|| Error::Option(format!("invalid option -- '{letter}'")))?;
        if !rule.takes_value {
            given.push((rule, ""));
            continue;
        }
        let attached = &letters[at + letter.len_utf8()..];
        let value = match attached {
            "" => rest.next().ok_or_else(|| {
                Error::Option(format!("option requires an argument -- '{letter}'"))
            })?,
            _ => attached,
        };
        given.push((rule, value));
        return Ok(());
    }
    Ok(())
}

/// The file name of a `graph` command, its first argument that is no option, and the others.
///
/// # Errors
/// An option that does not exist, or no file name.
pub fn split_file_name(arguments: &[String]) -> Result<(String, Vec<String>), Error> {
    let (given, others) = scan(arguments)?;
    let Some((name, elements)) = others.split_first() else {
        return Err(Error::Option("missing filename".into()));
    };
    let mut plain = Vec::with_capacity(arguments.len());
    for (rule, value) in given {
        plain.push(match rule.takes_value {
            true => format!("--{}={value}", rule.long),
            false => format!("--{}", rule.long),
        });
    }
    plain.push("--".into());
    plain.extend(elements.iter().map(|element| (*element).to_owned()));
    Ok(((*name).to_owned(), plain))
}
