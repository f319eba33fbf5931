//! Names of databases, and back.
//!
//! | series | database |
//! |---|---|
//! | `a.b.c` of Graphite | `a/b/c.rrd` |
//! | `node_load1{instance="h:9100",job="node"}` | `node_load1/instance=h:9100,job=node.rrd` |
//! | the same without labels | `node_load1/,.rrd` |
//! | host `h`, plugin `cpu-0`, type `cpu-idle` of collectd | `h/cpu-0/cpu-idle.rrd` |
//!
//! Labels stand in the order of their names. A part of a name has at most [`PART_BYTES`] of them,
//! the next ones follow behind a slash. What a name cannot hold stands behind a percent sign, as in
//! URLs. So a name with labels says of which series the database is, and no two series with labels
//! share one. A path of Graphite that would read as such a name has none; names of
//! collectd stay as they are, whatever they read as.

use std::fmt::Write as _;

use crate::identity::Identity;
use crate::sent::Form;

/// The bytes of labels after which another part of a name begins.
pub const PART_BYTES: usize = 200;
/// The most bytes of a label with its value, and of a part of a series' name.
pub const LABEL_BYTES_MAX: usize = 240;
/// The most bytes of a database's name.
pub const NAME_BYTES_MAX: usize = 1000;

/// Stands for no labels at all.
const NO_LABELS: &str = ",";
const SUFFIX: &str = ".rrd";

/// Why no database can be named after a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unnamable {
    /// It has no name, or a part of its path has none.
    #[error(
        "expected a name between the dots of a path, one in front of labels, and NAME=VALUE of each"
    )]
    Empty,
    /// A path has a letter that no name of a file can have.
    #[error("expected a path without slashes and control characters")]
    Letter,
    /// A path would be that of a series with labels.
    #[error("expected a path whose last part does not read as labels")]
    Labels,
    /// It would be too long.
    #[error(
        "expected a name of at most {NAME_BYTES_MAX} bytes, and {LABEL_BYTES_MAX} in each label \
         and between two dots"
    )]
    Long,
}

/// The name of the database of a series.
///
/// # Errors
///
/// The series' name is empty, too long, or, as a path, has letters that no file's name has.
pub fn name(identity: &Identity, form: Form) -> Result<String, Unnamable> {
    let mut name = match form {
        Form::Path => path(&identity.name, '.')?,
        Form::File => path(&identity.name, '/')?,
        Form::Labelled => labelled(identity)?,
    };
    if form == Form::Path && self::identity(&name).is_some() {
        return Err(Unnamable::Labels);
    }
    name.push_str(SUFFIX);
    if name.len() > NAME_BYTES_MAX { Err(Unnamable::Long) } else { Ok(name) }
}

fn path(text: &str, separator: char) -> Result<String, Unnamable> {
    let mut name = String::with_capacity(text.len() + SUFFIX.len());
    for part in text.split(separator) {
        match part {
            "" | "." | ".." => return Err(Unnamable::Empty),
            part if part.len() > LABEL_BYTES_MAX => return Err(Unnamable::Long),
            part if part.contains(|letter: char| letter == '/' || letter.is_control()) => {
                return Err(Unnamable::Letter);
            }
            _ if name.is_empty() => (),
            _ => name.push('/'),
        }
        name.push_str(part);
    }
    Ok(name)
}

fn labelled(identity: &Identity) -> Result<String, Unnamable> {
    if identity.name.is_empty() {
        return Err(Unnamable::Empty);
    }
    let mut name = String::with_capacity(PART_BYTES);
    write_name(&mut name, &identity.name);
    if name.split('/').any(|part| part.len() > LABEL_BYTES_MAX) {
        return Err(Unnamable::Long);
    }
    name.push('/');
    let mut begin = name.len();
    if identity.labels.is_empty() {
        name.push_str(NO_LABELS);
    }
    for (label, value) in &identity.labels {
        if label.is_empty() {
            return Err(Unnamable::Empty);
        }
        if name.len() > begin {
            let is_full = name.len() - begin > PART_BYTES;
            name.push(if is_full { '/' } else { ',' });
            if is_full {
                begin = name.len();
            }
        }
        let label_begin = name.len();
        write_escaped(&mut name, label, |letter| matches!(letter, '%' | '/' | ',' | '=' | '.'));
        name.push('=');
        write_escaped(&mut name, value, |letter| matches!(letter, '%' | '/' | ','));
        let part_bytes = name.len() - begin;
        if name.len() - label_begin > LABEL_BYTES_MAX || name.len() > NAME_BYTES_MAX {
            return Err(Unnamable::Long);
        }
        if part_bytes > LABEL_BYTES_MAX {
            // It does not fit behind those before it.
            name.replace_range(label_begin - 1..label_begin, "/");
            begin = label_begin;
        }
    }
    Ok(name)
}

/// A name: a dot separates two parts of the path, unless one of them would be empty.
fn write_name(out: &mut String, text: &str) {
    let bytes = text.as_bytes();
    let is_alone = |at: usize| {
        let neighbour = |at: Option<usize>| at.and_then(|at| bytes.get(at)).copied();
        [neighbour(at.checked_sub(1)), neighbour(at.checked_add(1))]
            .iter()
            .all(|byte| byte.is_some_and(|byte| byte != b'.'))
    };
    for (at, letter) in text.char_indices() {
        match letter {
            '.' if is_alone(at) => out.push('/'),
            '%' | '/' | ',' | '=' | '.' => escape(out, letter),
            letter if letter.is_control() => escape(out, letter),
            letter => out.push(letter),
        }
    }
}

fn write_escaped(out: &mut String, text: &str, is_special: impl Fn(char) -> bool) {
    for letter in text.chars() {
        match letter {
            letter if is_special(letter) || letter.is_control() => escape(out, letter),
            letter => out.push(letter),
        }
    }
}

fn escape(out: &mut String, letter: char) {
    let mut bytes = [0; 4];
    for byte in letter.encode_utf8(&mut bytes).bytes() {
        write!(out, "%{byte:02X}").expect("memory takes everything");
    }
}

/// The series of a database that is named after one with labels; `None` if it is not.
#[must_use]
pub fn identity(database: &str) -> Option<Identity> {
    let name = database.strip_suffix(SUFFIX).unwrap_or(database);
    let is_list = |part: &str| part == NO_LABELS || part.contains('=');
    let mut lists = Vec::new();
    let mut rest = name;
    while let Some((before, list)) = rest.rsplit_once('/').filter(|(_, part)| is_list(part)) {
        lists.push(list);
        rest = before;
    }
    if lists.is_empty() || rest.is_empty() {
        return None;
    }
    let mut labels = Vec::new();
    for part in lists.iter().rev().filter(|list| **list != NO_LABELS) {
        for label in part.split(',') {
            let (label, value) = label.split_once('=')?;
            labels.push((unescaped(label)?.into(), unescaped(value)?.into()));
        }
    }
    let parts: Option<Vec<String>> = rest.split('/').map(unescaped).collect();
    Some(Identity::new(parts?.join("."), labels))
}

fn unescaped(text: &str) -> Option<String> {
    if !text.contains('%') {
        return Some(text.to_owned());
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        rest = behind;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let (digits, behind) = rest.split_at_checked(2)?;
        bytes.push(u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?);
        rest = behind;
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn series(name: &str, labels: &[(&str, &str)]) -> Identity {
        Identity::new(name, labels.iter().map(|(name, value)| ((*name).into(), (*value).into())))
    }

    #[test]
    fn names_are_those_of_the_table() {
        let load = series("node_load1", &[("job", "node"), ("instance", "h:9100")]);
        let shown = |identity: &Identity, form| name(identity, form).unwrap();
        assert_eq!(shown(&load, Form::Labelled), "node_load1/instance=h:9100,job=node.rrd");
        assert_eq!(shown(&series("up", &[]), Form::Labelled), "up/,.rrd");
        assert_eq!(shown(&series("a.b.c", &[]), Form::Path), "a/b/c.rrd");
        assert_eq!(shown(&series("h/cpu-0/cpu-idle", &[]), Form::File), "h/cpu-0/cpu-idle.rrd");
        assert_eq!(
            shown(&series("a..b=", &[("k", "x,/%")]), Form::Labelled),
            "a%2E%2Eb%3D/k=x%2C%2F%25.rrd"
        );
    }

    #[test]
    fn long_lists_go_on_in_another_part() {
        let value = "v".repeat(90);
        let long = series("m", &[("a", &value), ("b", &value), ("c", &value), ("d", &value)]);
        let name = name(&long, Form::Labelled).unwrap();
        assert!(name.split('/').all(|part| part.len() <= LABEL_BYTES_MAX + SUFFIX.len()), "{name}");
        assert_eq!(identity(&name), Some(long));
    }

    #[test]
    fn what_cannot_be_a_name_is_refused() {
        for (text, why) in [
            ("", Unnamable::Empty),
            ("a..b", Unnamable::Empty),
            ("a.b/c", Unnamable::Letter),
            ("up.job=x", Unnamable::Labels),
            ("up.,", Unnamable::Labels),
        ] {
            assert_eq!(name(&series(text, &[]), Form::Path), Err(why), "{text}");
        }
        assert_eq!(name(&series(&"x".repeat(300), &[]), Form::Path), Err(Unnamable::Long));
        let nameless = series("a", &[("", "b")]);
        assert_eq!(name(&nameless, Form::Labelled), Err(Unnamable::Empty));
        let label = "v".repeat(LABEL_BYTES_MAX);
        assert_eq!(name(&series("m", &[("k", &label)]), Form::Labelled), Err(Unnamable::Long));
        assert_eq!(name(&series("../../etc", &[]), Form::Path), Err(Unnamable::Empty));
        assert_eq!(name(&series("h/../x", &[]), Form::File), Err(Unnamable::Empty));
    }

    #[test]
    fn other_databases_are_of_no_series_with_labels() {
        for other in ["a/b.rrd", "a=b.rrd", "router/port1.rrd", "a/b=%zz.rrd", "a/b=c,d.rrd"] {
            assert_eq!(identity(other), None, "{other}");
        }
    }

    proptest! {
        #[test]
        fn a_name_says_of_which_series_it_is(
            metric in "[a-z.=%,/é\n]{1,20}",
            labels in proptest::collection::vec(("[a-z_.=%,/]{1,12}", "\\PC{1,60}|[.%/,=\\n]{1,8}"), 0..12),
        ) {
            let labels = labels.iter().map(|(name, value)| (name.into(), value.into()));
            let identity = Identity::new(metric, labels);
            if let Ok(name) = name(&identity, Form::Labelled) {
                prop_assert_eq!(super::identity(&name), Some(identity));
                for part in name.split('/') {
                    prop_assert!(!part.is_empty() && !part.starts_with('.') && part.len() <= 255);
                }
            }
        }
    }
}
