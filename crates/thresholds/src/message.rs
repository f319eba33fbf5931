//! The mail about a limit, word for word as MRTG's, so that filters of mail go on to work.

use std::borrow::Cow;
use std::sync::LazyLock;

use mrtg::Target;
use regex_lite::Regex;

use crate::limit::{Bound, LimitId, letter};

/// What a mail is about.
pub(crate) struct About<'a> {
    pub(crate) target: &'a Target,
    pub(crate) limit: LimitId,
    /// The limit as it is written.
    pub(crate) written: &'a str,
    pub(crate) bound: &'a Bound,
    pub(crate) description: Option<&'a str>,
    pub(crate) is_broken: bool,
}

/// Head and body, each line with `\n` behind it.
pub(crate) fn text(about: &About<'_>, from: &str, to: &str) -> String {
    let About { target, limit, written, bound, .. } = about;
    let router = &target.name;
    let of =
        format!("{router} {} {} {}", limit.kind.word(), limit.side.word(), letter(limit.direction));
    let body = body(about);
    match about.is_broken {
        true => format!(
            "From: {from}\nTo: {to}\n\
             Subject: [MRTG-TH] BROKEN {of} ( {}{} vs {}{} )\n\n\
             Threshold BROKEN\n----------------\n{body}\n",
            bound.limit, bound.limit_absolute, bound.value, bound.value_absolute
        ),
        false => format!(
            "From: {from}\nTo: {to}\n\
             Subject: [MRTG-TH] UN-BROKEN {of} ( {} vs {})\n\n\
             Threshold UN-BROKEN\n-------------------\n{body}\n",
            written, bound.value
        ),
    }
}

fn body(about: &About<'_>) -> String {
    let About { target, limit, bound, .. } = about;
    let page_top = without_tags(target.page_top().as_deref().unwrap_or_default());
    let mut body = format!(
        "    \n{}\n\n   Target: {}\n     Type: {}\nDirection: {}\n    Bound: {}\n\
         Threshold: {}{}\n  Current: {}{}\n\n{page_top}\n\n",
        target.title(),
        target.name,
        limit.kind.word(),
        letter(limit.direction),
        limit.side.word(),
        bound.limit,
        bound.limit_absolute,
        bound.value,
        bound.value_absolute,
    );
    if let Some(description) = about.description {
        body += &format!("\n{description}\n");
    }
    body
}

static HEADING: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new("<h1>.*?</h1>").ok());
static ROW_OF_TWO: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\s*<tr>\s*<td>(.*?)</td>\s*<td>(.*?)</td>\s*</tr>\s*").ok());
static TAG: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\s*<.+?>\s*\n?").ok());

/// The operator's HTML as text: without its heading, a line for each row of a table of two columns,
/// without tags.
fn without_tags(html: &str) -> String {
    let mut text = Cow::Borrowed(html);
    let mut replace = |pattern: &LazyLock<Option<Regex>>, most: usize, by: &str| {
        if let Some(pattern) = LazyLock::force(pattern) {
            text = Cow::Owned(pattern.replacen(&text, most, by).into_owned());
        }
    };
    replace(&HEADING, 1, "");
    replace(&ROW_OF_TWO, 0, "$1 $2\n");
    replace(&TAG, 0, "");
    text.into_owned()
}

#[cfg(test)]
mod tests {
    use super::without_tags;

    #[test]
    fn a_table_of_two_columns_becomes_lines() {
        let html = "<h1>Heading</h1>\n<div id=\"sysdetails\">\n <table>\n  <tr>\n   <td>System:</td>\n\
                    <td>here</td>\n  </tr>\n  <tr><td>Max:</td> <td>a < b</td></tr>\n </table>\n</div>";
        assert_eq!(without_tags(html), "System: here\nMax: a < b");
        assert_eq!(without_tags("no <b>tags</b>\nare left"), "notagsare left");
        assert_eq!(without_tags(""), "");
    }
}
