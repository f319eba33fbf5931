//! Text within a paragraph: fonts, and where links lead.

use super::escape::escaped;
use crate::links::{Links, Target};

/// A paragraph in the making.
pub(crate) struct Inline<'a> {
    links: &'a Links,
    /// The page itself: a link to it needs no reference.
    page: &'a Target,
    text: String,
    fonts: Vec<char>,
    link: Option<Link>,
    /// Headings of sections are in capitals, and have one font.
    is_heading: bool,
}

struct Link {
    to: String,
    /// Where its words begin.
    begin: usize,
    words: String,
}

impl<'a> Inline<'a> {
    pub(crate) fn new(links: &'a Links, page: &'a Target) -> Self {
        Self { links, page, text: String::new(), fonts: Vec::new(), link: None, is_heading: false }
    }

    /// What was gathered, and begins anew.
    pub(crate) fn take(&mut self) -> String {
        self.is_heading = false;
        std::mem::take(&mut self.text)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.text.trim().is_empty()
    }

    pub(crate) fn begin_heading(&mut self) {
        self.is_heading = true;
    }

    pub(crate) fn push(&mut self, text: &str) {
        if let Some(link) = &mut self.link {
            link.words += text;
        }
        match self.is_heading {
            true => self.text += &escaped(&text.to_uppercase()),
            false => self.text += &escaped(text),
        }
    }

    /// Something typed or shown by a program.
    pub(crate) fn push_code(&mut self, code: &str) {
        if self.is_heading {
            self.text += &escaped(code);
            return;
        }
        self.begin_font('B');
        if let Some(link) = &mut self.link {
            link.words += code;
        }
        self.text += &escaped(code);
        self.end_font();
    }

    pub(crate) fn begin_font(&mut self, font: char) {
        self.fonts.push(font);
        self.put_font(font);
    }

    pub(crate) fn end_font(&mut self) {
        self.fonts.pop();
        self.put_font(self.fonts.last().copied().unwrap_or('R'));
    }

    fn put_font(&mut self, font: char) {
        if !self.is_heading {
            self.text.push_str("\\f");
            self.text.push(font);
        }
    }

    pub(crate) fn begin_link(&mut self, to: &str) {
        let begin = self.text.len();
        self.link = Some(Link { to: to.to_owned(), begin, words: String::new() });
    }

    /// A link to a document becomes a reference to its page, one to elsewhere tells its address.
    pub(crate) fn end_link(&mut self) {
        let Some(Link { to, begin, words }) = self.link.take() else { return };
        match self.links.find(&to) {
            Some(target) if target == self.page => {}
            Some(target) => {
                let reference = reference(target);
                match words.ends_with(".md") {
                    true => self.text.replace_range(begin.., &reference),
                    false => self.text += &format!(" ({reference})"),
                }
            }
            None if to.contains("://") && to != words => {
                self.text += &format!(" <{}>", escaped(&to));
            }
            None => {}
        }
    }
}

/// A page as others refer to it.
pub(crate) fn reference(target: &Target) -> String {
    format!("\\fB{}\\fR({})", escaped(&target.name), target.section)
}
