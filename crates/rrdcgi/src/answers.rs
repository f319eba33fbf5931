//! What each tag asks for, answered from the request, the session and what was set before.

use std::collections::HashMap;

use rrdtool::{Failure, Session, Wording};

use crate::environment::Environment;
use crate::page::Answers;
use crate::query::{Variables, as_path, quoted};
use crate::tag::Tag;
use crate::{graph_tag, include, time_tag};

/// The rrdtool whose behaviour is followed.
const COMPATIBLE_VERSION: &str = "1.7.2";

/// The one who answers the tags of a page.
pub(crate) struct Host<'s> {
    session: &'s mut Session,
    request: Variables,
    environment: Environment,
    variables: HashMap<Vec<u8>, Vec<u8>>,
    /// What the last graph left in the page, and the lines of its PRINT elements.
    left_by_graph: Vec<String>,
    /// How long the page is good for; below zero it is to be fetched again then.
    pub(crate) good_for_seconds: Option<i64>,
}

impl<'s> Host<'s> {
    pub(crate) fn new(session: &'s mut Session, request: Variables) -> Self {
        Self {
            session,
            request,
            environment: Environment::default(),
            variables: HashMap::new(),
            left_by_graph: Vec::new(),
            good_for_seconds: None,
        }
    }

    /// A variable of the request; nothing where it has none of this name.
    fn of_request(&self, words: &[Vec<u8>], form: fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
        words.first().and_then(|name| self.request.get(name)).map(form).unwrap_or_default()
    }

    fn get_variable(&self, words: &[Vec<u8>]) -> Vec<u8> {
        let [name] = words else {
            return b"[ERROR: getvar failed because it did not get 1 argument only]".into();
        };
        self.variables.get(name).cloned().unwrap_or_else(|| not_set("getvar", name))
    }

    fn get_environment(&self, words: &[Vec<u8>]) -> Vec<u8> {
        let [name] = words else {
            return b"[ERROR: getenv failed because it did not get 1 argument only]".into();
        };
        self.environment.get(name).unwrap_or_else(|| not_set("getenv", name))
    }

    fn set_variable(&mut self, words: &[Vec<u8>]) -> Vec<u8> {
        let [name, value, ..] = words else {
            return b"[ERROR: putvar failed because not enough arguments were defined]".into();
        };
        self.variables.insert(name.clone(), value.clone());
        Vec::new()
    }

    fn set_environment(&mut self, words: &[Vec<u8>]) -> Vec<u8> {
        let [name, value, ..] = words else {
            return b"[ERROR: setenv failed because not enough arguments were defined]".into();
        };
        self.environment.set(name, value, self.session);
        Vec::new()
    }

    fn good_for(&mut self, words: &[Vec<u8>]) -> &'static str {
        let [seconds] = words else { return "[ERROR: goodfor expected 1 argument]" };
        match whole_number(seconds) {
            0 => "[ERROR: goodfor value must not be 0]",
            seconds => {
                self.good_for_seconds = Some(seconds);
                ""
            }
        }
    }

    fn graph(&mut self, words: &[Vec<u8>]) -> String {
        self.left_by_graph.clear();
        match graph_tag::draw(self.session, &texts(words)) {
            Ok(lines) => {
                self.left_by_graph = lines;
                self.left_by_graph.first().cloned().unwrap_or_default()
            }
            Err(failure) => told(&failure),
        }
    }

    /// A line of the last graph. As with rrdcgi, what is no number is 0, and -1 is what the graph
    /// itself left.
    fn print(&self, words: &[Vec<u8>]) -> &str {
        let place = match words {
            [number] => usize::try_from(whole_number(number).saturating_add(1)).ok(),
            _ => None,
        };
        let line = place.and_then(|place| self.left_by_graph.get(place));
        line.map_or("[ERROR: RRD::PRINT argument error]", String::as_str)
    }
}

impl Answers for Host<'_> {
    fn answer(&mut self, tag: Tag, words: &[Vec<u8>]) -> Vec<u8> {
        match tag {
            Tag::Cv => self.of_request(words, <[u8]>::to_vec),
            Tag::CvPath => self.of_request(words, as_path),
            Tag::CvQuote => self.of_request(words, quoted),
            Tag::GetEnv => self.get_environment(words),
            Tag::GetVar => self.get_variable(words),
            Tag::GoodFor => self.good_for(words).into(),
            Tag::Graph => self.graph(words).into(),
            Tag::Include => words.first().map(|name| include::text(name)).unwrap_or_default(),
            Tag::Print => self.print(words).into(),
            Tag::SetEnv => self.set_environment(words),
            Tag::SetVar => self.set_variable(words),
            Tag::TimeLast => {
                let answer = time_tag::last(self.session, &texts(words));
                answer.unwrap_or_else(|failure| told(&failure)).into()
            }
            Tag::TimeNow => time_tag::now(self.session, &texts(words)).into(),
            Tag::TimeStrftime => time_tag::start_or_end(self.session, &texts(words)).into(),
            Tag::Internal => internal(words).into(),
        }
    }
}

fn internal(words: &[Vec<u8>]) -> String {
    let [name] = words else { return "[ERROR: internal expected 1 argument]".into() };
    match &name.to_ascii_uppercase()[..] {
        b"VERSION" => COMPATIBLE_VERSION.into(),
        // When a program was compiled says nothing: the same sources give the same program.
        b"COMPILETIME" => concat!("gyre ", env!("CARGO_PKG_VERSION")).into(),
        _ => "[ERROR: internal unknown argument]".into(),
    }
}

/// What rrdcgi says of a name that has no value; it has no bracket at its end.
fn not_set(what: &str, name: &[u8]) -> Vec<u8> {
    [format!("[ERROR:_{what}_'").as_bytes(), name, b"'_failed"].concat()
}

fn told(failure: &Failure) -> String {
    format!("[ERROR {}]", failure.in_words(Wording::Rrdtool))
}

/// Words as text, with replacement characters for what is none.
fn texts(words: &[Vec<u8>]) -> Vec<String> {
    words.iter().map(|word| String::from_utf8_lossy(word).into_owned()).collect()
}

/// The number that a text begins with, as C's `atol` finds it; 0 for none.
fn whole_number(text: &[u8]) -> i64 {
    let text = text.trim_ascii_start();
    let (is_negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] | digits => (false, digits),
    };
    let digits = digits.iter().take_while(|byte| byte.is_ascii_digit());
    let number = digits.fold(0_i64, |number, digit| {
        number.saturating_mul(10).saturating_add(i64::from(digit - b'0'))
    });
    if is_negative { -number } else { number }
}

#[cfg(test)]
mod tests {
    use super::whole_number;

    #[test]
    fn numbers_are_read_as_c_reads_them() {
        for (text, number) in [
            ("60", 60),
            (" -60x", -60),
            ("+7", 7),
            ("x", 0),
            ("", 0),
            ("-", 0),
            ("99999999999999999999", i64::MAX),
        ] {
            assert_eq!(whole_number(text.as_bytes()), number, "{text}");
        }
    }
}
