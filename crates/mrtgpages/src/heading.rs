//! The heading of a target in the index: the text of its page's first `h1`.

/// The text between the first `<h1>` and `</h1>`, without tags, in which references to characters
/// stay; `None` if there is none.
pub(crate) fn first_heading(page_top: &str) -> Option<String> {
    // Letters of ASCII keep their places when they change their case.
    let lower = page_top.to_ascii_lowercase();
    let opens = lower.find("<h1")?;
    let begin = opens + lower.get(opens..)?.find('>')? + 1;
    let end = begin + lower.get(begin..)?.find("</h1")?;
    let words = without_tags(page_top.get(begin..end)?);
    let words: Vec<&str> = words.split_whitespace().collect();
    (!words.is_empty()).then(|| words.join(" "))
}

fn without_tags(html: &str) -> String {
    let mut text = String::new();
    let mut rest = html;
    while let Some((before, tag)) = rest.split_once('<') {
        text.push_str(before);
        rest = tag.split_once('>').map_or("", |(_, behind)| behind);
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::first_heading;

    #[test]
    fn the_text_of_the_first_h1_counts() {
        let heading = |html: &str| first_heading(html);
        let expected = Some("Top b &amp; c".to_owned());
        assert_eq!(heading("<H1 class=x>Top\n <em>b &amp; c</em></H1><h1>d</h1>"), expected);
        for none in ["", "<h1>", "<h1></h1>", "Top", "<h1>Top", "<h1>ü<", "<h1"] {
            assert_eq!(heading(none), None, "{none}");
        }
    }
}
