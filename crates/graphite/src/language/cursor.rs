//! A place in a target.

use crate::Error;

/// How much of a target an error shows.
const SHOWN_BYTES: usize = 200;

/// A place in a target.
#[derive(Clone)]
pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// Bytes from the start.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// What follows.
    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// What was passed since a place.
    pub(super) fn since(&self, at: usize) -> &'a str {
        &self.text[at..self.at]
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn pass(&mut self, bytes: usize) {
        self.at += bytes;
    }

    pub(super) fn skip_blanks(&mut self) {
        let rest = self.rest();
        self.pass(rest.len() - rest.trim_start().len());
    }

    /// Passes a sign that comes next, after blanks.
    pub(super) fn takes(&mut self, sign: char) -> bool {
        self.skip_blanks();
        let is_next = self.peek() == Some(sign);
        if is_next {
            self.pass(sign.len_utf8());
        }
        is_next
    }

    /// Passes the letters that are taken.
    pub(super) fn take_while(&mut self, is_taken: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let length = rest.find(|letter| !is_taken(letter)).unwrap_or(rest.len());
        self.pass(length);
        &rest[..length]
    }

    /// Passes a name of a function or a parameter.
    pub(super) fn name(&mut self) -> Option<&'a str> {
        let is_first = |letter: char| letter.is_ascii_alphabetic() || letter == '_';
        self.peek().filter(|letter| is_first(*letter))?;
        Some(self.take_while(|letter| is_first(letter) || letter.is_ascii_digit()))
    }

    /// Whether an argument could end here.
    pub(super) fn is_at_end_of_argument(&self) -> bool {
        matches!(self.rest().trim_start().chars().next(), None | Some(',' | ')'))
    }

    /// What is wrong here.
    pub(super) fn expected(&self, expected: &'static str) -> Error {
        let mut end = self.text.len().min(SHOWN_BYTES);
        while !self.text.is_char_boundary(end) {
            end -= 1;
        }
        Error::Syntax { target: self.text[..end].to_owned(), at: self.at, expected }
    }
}
