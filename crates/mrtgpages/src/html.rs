//! Texts of the configuration as HTML.

use maud::{Escaper, Markup, PreEscaped};
use std::fmt::Write as _;

/// The longest name of a character that is looked for, such as `&thetasym;`.
const LONGEST_NAME_BYTES: usize = 32;

/// A text in which nothing is a tag. References to characters stay: configurations have `&nbsp;`
/// in their legends, which MRTG puts into its pages as it is.
pub(crate) fn text(text: &str) -> Markup {
    let mut html = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        let (before, reference) = rest.split_at(at);
        escape(before, &mut html);
        let length = reference_bytes(reference);
        let (reference, behind) = reference.split_at(length.unwrap_or(1));
        html.push_str(if length.is_some() { reference } else { "&amp;" });
        rest = behind;
    }
    escape(rest, &mut html);
    PreEscaped(html)
}

fn escape(text: &str, html: &mut String) {
    // Writing to a String cannot fail.
    let _ = Escaper::new(html).write_str(text);
}

/// The length of the reference that the text begins with: `&name;`, `&#8211;` or `&#x2013;`.
fn reference_bytes(text: &str) -> Option<usize> {
    let end = text.bytes().take(LONGEST_NAME_BYTES).position(|byte| byte == b';')?;
    let name = text.get(1..end)?;
    let digits = name.strip_prefix('#').unwrap_or(name);
    let is_name = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_name.then_some(end + 1)
}

/// A comment on a line of its own, of text that contains no `--`.
pub(crate) fn comment(words: &str) -> Markup {
    debug_assert!(!words.contains("--"));
    PreEscaped(format!("\n<!-- {words} -->\n"))
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn references_stay_and_tags_do_not() {
        assert_eq!(text("a&nbsp;b &#8211; &#x2013;").0, "a&nbsp;b &#8211; &#x2013;");
        assert_eq!(text("AT&T <b> \"x\" & y;").0, "AT&amp;T &lt;b&gt; &quot;x&quot; &amp; y;");
        assert_eq!(text("&<script>;").0, "&amp;&lt;script&gt;;");
        assert_eq!(text("&").0, "&amp;");
        assert_eq!(text("&ü;").0, "&amp;ü;");
    }
}
