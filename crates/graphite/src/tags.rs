//! Conditions on tags: `server=a`, `rack!=b`, `dc=~east.*`, `dc!=~west.*`.

use series::{Comparison, METRIC_NAME, Matcher};

use crate::Error;

/// The conditions of `seriesByTag()`: at least one must not be met by a series without the tag.
pub(crate) fn matchers(conditions: &[&str]) -> Result<Vec<Matcher>, Error> {
    let all = self::conditions(conditions)?;
    match all.iter().all(|it| it.matches("")) {
        true => Err(Error::EveryTag),
        false => Ok(all),
    }
}

/// Conditions as a request has them.
pub(crate) fn conditions(conditions: &[&str]) -> Result<Vec<Matcher>, Error> {
    conditions.iter().map(|it| matcher(it)).collect()
}

/// The conditions that the name of a tagged series tells.
pub(crate) fn of_name(name: &str) -> Result<Vec<Matcher>, Error> {
    let tags = crate::time_series::tags_of(name);
    let equal =
        |(tag, value): (&String, &String)| Ok(Matcher::new(label(tag), Comparison::Equal, value)?);
    tags.iter().map(equal).collect()
}

/// The label of a tag.
pub(crate) fn label(tag: &str) -> &str {
    if tag == "name" { METRIC_NAME } else { tag }
}

/// The tag of a label.
pub(crate) fn tag(label: &str) -> &str {
    if label == METRIC_NAME { "name" } else { label }
}

/// The tag that a condition is about.
pub(crate) fn tag_of(condition: &str) -> Result<&str, Error> {
    Ok(split(condition)?.0)
}

fn split(condition: &str) -> Result<(&str, &str), Error> {
    let wrong = || Error::TagCondition { text: condition.to_owned() };
    let end = condition.find(['=', '!']).filter(|end| *end > 0).ok_or_else(wrong)?;
    let (tag, rest) = condition.split_at(end);
    match !condition.contains(';') && (rest.starts_with('=') || rest.starts_with("!=")) {
        true => Ok((tag, rest)),
        false => Err(wrong()),
    }
}

fn matcher(condition: &str) -> Result<Matcher, Error> {
    let (tag, rest) = split(condition)?;
    let operators = [
        ("!=~", Comparison::MatchesNot),
        ("!=", Comparison::NotEqual),
        ("=~", Comparison::Matches),
        ("=", Comparison::Equal),
    ];
    let found = operators.into_iter().find_map(|(sign, it)| Some((rest.strip_prefix(sign)?, it)));
    let (value, comparison) =
        found.ok_or_else(|| Error::TagCondition { text: condition.to_owned() })?;
    let by_pattern = matches!(comparison, Comparison::Matches | Comparison::MatchesNot);
    // A pattern matches the beginning of a value; a label's condition, the whole.
    let value = if by_pattern { format!("(?:{value})(?s:.*)") } else { value.to_owned() };
    Ok(Matcher::new(label(tag), comparison, &value)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_the_beginning() {
        let matches = |condition: &str, value: &str| matcher(condition).unwrap().matches(value);
        assert!(matches("a=~ea", "east") && matches("a=~^east$", "east"));
        assert!(!matches("a=~st", "east") && matches("a!=~st", "east"));
        assert!(matches("a=b=c", "b=c") && matches("a!=b", ""));
        assert_eq!(matcher("name=x").unwrap().label, METRIC_NAME);
    }

    #[test]
    fn what_is_no_condition_is_refused() {
        for condition in ["a", "=b", "a!b", "a;b=c", "a~b"] {
            assert!(matches!(matcher(condition), Err(Error::TagCondition { .. })), "{condition}");
        }
        assert!(matches!(matchers(&["a!=b"]), Err(Error::EveryTag)));
        assert!(matches!(matchers(&["a=~(b"]), Err(Error::WrongPattern(_))));
    }
}
