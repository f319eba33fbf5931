//! A template becomes a page: each tag gives way to the text that it asks for.
//!
//! A place of the page that begins as a tag is held against all of them in turn
//! ([`Tag::ALL`]); then the next place comes, which is the second letter of what was put there.
//! So tags within that text are looked at too, and a tag directly behind one that leaves nothing is
//! passed over if it comes before it in that order. A page shows the same with either program.

use crate::tag::Tag;
use crate::text::Text;
use crate::words::{self, is_blank};

/// The largest page.
pub(crate) const PAGE_BYTES_MAX: usize = 64 << 20;
/// The most tags that a page answers, those that tags leave included.
const TAGS_MAX: usize = 100_000;
/// How deep tags may stand within tags.
const DEPTH_MAX: usize = 64;

/// What the tags of a page ask for.
pub(crate) trait Answers {
    /// The text for a tag with these words.
    fn answer(&mut self, tag: Tag, words: &[Vec<u8>]) -> Vec<u8>;
}

/// Why there is no page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PageError {
    #[error("the page has become larger than {PAGE_BYTES_MAX} bytes")]
    Large,
    #[error("the page has more than {TAGS_MAX} tags, or tags that make tags without end")]
    Tags,
    #[error("more than {DEPTH_MAX} tags stand within each other")]
    Depth,
}

/// Renders a template. Without a request, tags about one are left as they are.
pub(crate) fn render(
    template: &[u8],
    has_request: bool,
    answers: &mut dyn Answers,
) -> Result<Vec<u8>, PageError> {
    Renderer { has_request, answers, tags: 0 }.page(template, 0)
}

struct Renderer<'a> {
    has_request: bool,
    answers: &'a mut dyn Answers,
    tags: usize,
}

impl Renderer<'_> {
    /// A text with its tags answered; of one within another, `depth` tells how many are around it.
    fn page(&mut self, text: &[u8], depth: usize) -> Result<Vec<u8>, PageError> {
        if depth > DEPTH_MAX {
            return Err(PageError::Depth);
        }
        let mut text = Text::new(text);
        while text.go_to_tag() {
            for tag in Tag::ALL {
                if self.is_answered(tag, depth) && is_at(&text, tag) {
                    self.answer(&mut text, tag, depth)?;
                }
            }
            text.advance(1);
        }
        Ok(text.into_bytes())
    }

    fn is_answered(&self, tag: Tag, depth: usize) -> bool {
        (self.has_request || !tag.is_of_request()) && (depth == 0 || tag.may_be_nested())
    }

    fn answer(&mut self, text: &mut Text, tag: Tag, depth: usize) -> Result<(), PageError> {
        self.tags += 1;
        if self.tags > TAGS_MAX {
            return Err(PageError::Tags);
        }
        let name = tag.name();
        let read = words::read(text.rest().skip(name.len()));
        let answer = if read.is_open {
            let shown = text.rest().skip(1).take(name.len() - 1 + read.first_bytes);
            PARSING_PROBLEM.bytes().chain(shown).collect()
        } else {
            let mut words = read.words;
            for word in &mut words {
                if word.contains(&b'<') {
                    *word = self.page(word, depth + 1)?;
                }
            }
            self.answers.answer(tag, &words)
        };
        text.replace(name.len() + read.bytes, &answer);
        if text.len() > PAGE_BYTES_MAX {
            return Err(PageError::Large);
        }
        Ok(())
    }
}

/// What comes of a quote that is never closed: the rest of the page is within it.
const PARSING_PROBLEM: &str = "[ERROR: Parsing Problem with the following text\n Check original \
                               file. This may have been altered by parsing.]\n\n";

/// Whether a tag stands here: a blank follows its name.
fn is_at(text: &Text, tag: Tag) -> bool {
    let name = tag.name();
    text.goes_on_with(name) && text.rest().nth(name.len()).is_some_and(is_blank)
}

#[cfg(test)]
mod tests {
    use super::{Answers, PAGE_BYTES_MAX, PageError, render};
    use crate::tag::Tag;

    /// Answers with the words, in brackets; of GETVAR with one word, that word's text.
    struct Echo(&'static str);

    impl Answers for Echo {
        fn answer(&mut self, tag: Tag, words: &[Vec<u8>]) -> Vec<u8> {
            match tag {
                Tag::GetVar => self.0.into(),
                Tag::SetVar => Vec::new(),
                _ => [b"[", &words.join(&b'|')[..], b"]"].concat(),
            }
        }
    }

    fn page(template: &str) -> String {
        String::from_utf8(render(template.as_bytes(), true, &mut Echo("v")).unwrap()).unwrap()
    }

    #[test]
    fn tags_give_way_to_text() {
        assert_eq!(page("a<RRD::CV x>b <RRD::GRAPH p \"q r\">"), "a[x]b [p|q r]");
        for text in ["<RRD::CV>", "<RRD::CVX a>", "< RRD::CV a>", "<b>", "<RRD::", "<", "a>b"] {
            assert_eq!(page(text), text);
        }
        assert_eq!(page("<RRD::CV x"), "[x]");
    }

    #[test]
    fn tags_stand_within_tags() {
        assert_eq!(page("<RRD::GRAPH <RRD::CV x>.png y>"), "[[x].png|y]");
        assert_eq!(page("<RRD::GRAPH a<RRD::CV <RRD::GETVAR y>>>"), "[a[v]]");
        // What is done for its effect is no word of another tag.
        assert_eq!(page("<RRD::INTERNAL <RRD::SETVAR x y>>"), "[]");
    }

    #[test]
    fn a_filter_leaves_tags_of_requests_alone() {
        let template = b"<RRD::CV x><RRD::GETENV y><RRD::TIME::NOW z>";
        let page = render(template, false, &mut Echo("")).unwrap();
        assert_eq!(page, b"<RRD::CV x><RRD::GETENV y>[z]");
    }

    #[test]
    fn a_tag_behind_one_that_leaves_nothing_is_passed_over() {
        assert_eq!(page("<RRD::SETVAR x y><RRD::SETVAR x y>."), "<RRD::SETVAR x y>.");
        assert_eq!(page("<RRD::SETVAR x y><RRD::TIME::NOW z>."), "[z].");
    }

    #[test]
    fn nothing_goes_on_without_end() {
        let mut answers = Echo("x<RRD::GETVAR y>");
        assert_eq!(render(b"<RRD::GETVAR y>", true, &mut answers), Err(PageError::Tags));
        let deep = "<RRD::CV ".repeat(10_000);
        assert_eq!(render(deep.as_bytes(), true, &mut Echo("")), Err(PageError::Depth));
        let large = "x".repeat(1 << 20).leak();
        let many = "<RRD::GETVAR y>".repeat(PAGE_BYTES_MAX / large.len() + 1);
        assert_eq!(render(many.as_bytes(), true, &mut Echo(large)), Err(PageError::Large));
    }

    #[test]
    fn an_open_quote_is_one_clear_error() {
        assert_eq!(
            page("a<RRD::SETVAR x \"open> <RRD::CV y>"),
            "a[ERROR: Parsing Problem with the following text\n Check original file. This may have \
             been altered by parsing.]\n\nRRD::SETVAR x"
        );
    }
}
