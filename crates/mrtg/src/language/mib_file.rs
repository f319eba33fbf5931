//! MIB files: the object identifiers that they assign to names, and nothing else of them.
//!
//! ```text
//! name OBJECT-TYPE ... ::= { parent 3 }
//! name OBJECT IDENTIFIER ::= { iso org(3) dod(6) 1 }
//! ```
//!
//! Quoted text and comments are skipped. A file in which a brace or a quote is not closed is read up
//! to there.

/// An assignment: the name, and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Assignment {
    pub(crate) name: Vec<u8>,
    /// The name that it is below, if the identifier does not begin with a number.
    pub(crate) parent: Option<Vec<u8>>,
    /// The numbers below that.
    pub(crate) numbers: Vec<u32>,
}

/// Why a file is not understood to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// The line, counted from 1.
    pub(crate) line: u32,
    pub(crate) expected: &'static str,
}

/// What stands between a name and the `::=` of its object identifier.
const MACROS: [&[u8]; 9] = [
    b"OBJECT",
    b"OBJECT-TYPE",
    b"OBJECT-IDENTITY",
    b"OBJECT-GROUP",
    b"MODULE-IDENTITY",
    b"MODULE-COMPLIANCE",
    b"NOTIFICATION-TYPE",
    b"NOTIFICATION-GROUP",
    b"AGENT-CAPABILITIES",
];

/// The assignments of a file in their order, and its first fault.
pub(crate) fn read(text: &[u8]) -> (Vec<Assignment>, Option<Fault>) {
    let mut reader = Reader { tokens: Tokens { text, at: 0, line: 1 }, found: Vec::new() };
    let fault = reader.read_all().err();
    (reader.found, fault)
}

struct Reader<'t> {
    tokens: Tokens<'t>,
    found: Vec<Assignment>,
}

impl<'t> Reader<'t> {
    fn read_all(&mut self) -> Result<(), Fault> {
        let mut before: &[u8] = b"";
        let mut name: Option<&[u8]> = None;
        while let Some(token) = self.tokens.next()? {
            match token {
                b"IMPORTS" => self.skip_to_semicolon()?,
                b"::=" => {
                    let Some(name) = name.take() else { continue };
                    before = self.tokens.next()?.unwrap_or_default();
                    if before == b"{" {
                        self.read_identifier(name)?;
                    }
                    continue;
                }
                keyword if MACROS.contains(&keyword) && is_name(before) => name = Some(before),
                _ => {}
            }
            before = token;
        }
        Ok(())
    }

    fn skip_to_semicolon(&mut self) -> Result<(), Fault> {
        while self.tokens.next()?.is_some_and(|token| token != b";") {}
        Ok(())
    }

    /// `parent number ...}` or `name(number) ...}`. A name with its number is an assignment, too.
    fn read_identifier(&mut self, name: &[u8]) -> Result<(), Fault> {
        let expected = "numbers and names up to `}`";
        let mut one = Assignment { name: name.to_vec(), parent: None, numbers: Vec::new() };
        loop {
            let line = self.tokens.line;
            let fault = Fault { line, expected };
            let token = self.tokens.next()?.ok_or(fault)?;
            if token == b"}" {
                break;
            }
            if let Some(number) = number(token) {
                one.numbers.push(number);
            } else if self.tokens.take(b"(")? {
                let inner = self.tokens.next()?.and_then(number).ok_or(fault)?;
                one.numbers.push(inner);
                self.found.push(Assignment { name: token.to_vec(), ..one.clone() });
                if !self.tokens.take(b")")? {
                    return Err(fault);
                }
            } else if is_name(token) && one.parent.is_none() && one.numbers.is_empty() {
                one.parent = Some(token.to_vec());
            } else {
                return Err(fault);
            }
        }
        if !one.numbers.is_empty() {
            self.found.push(one);
        }
        Ok(())
    }
}

fn is_name(token: &[u8]) -> bool {
    token.first().is_some_and(u8::is_ascii_lowercase)
}

fn number(token: &[u8]) -> Option<u32> {
    std::str::from_utf8(token).ok()?.parse().ok()
}

/// Words, `::=`, and single marks.
#[derive(Clone, Copy)]
struct Tokens<'t> {
    text: &'t [u8],
    at: usize,
    line: u32,
}

impl<'t> Tokens<'t> {
    fn next(&mut self) -> Result<Option<&'t [u8]>, Fault> {
        self.skip_blanks()?;
        let rest = self.rest();
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        let word = rest.iter().take_while(|byte| is_word(byte)).count();
        let length = match word {
            0 if rest.starts_with(b"::=") => 3,
            0 => rest.len().min(1),
            // Two hyphens begin a comment, also right behind a word.
            _ => rest.windows(2).take(word).position(|two| two == b"--").unwrap_or(word),
        };
        self.at += length;
        Ok(rest.get(..length).filter(|token| !token.is_empty()))
    }

    /// Steps over this token, if it is the next.
    fn take(&mut self, wanted: &[u8]) -> Result<bool, Fault> {
        let before = *self;
        let found = self.next()? == Some(wanted);
        if !found {
            *self = before;
        }
        Ok(found)
    }

    fn skip_blanks(&mut self) -> Result<(), Fault> {
        loop {
            let rest = self.rest();
            let length = match rest {
                [first, ..] if first.is_ascii_whitespace() => 1,
                [b'-', b'-', ..] => comment_length(rest),
                [b'"', quoted @ ..] => {
                    let close = quoted.iter().position(|byte| *byte == b'"');
                    let fault = Fault { line: self.line, expected: "a closing `\"`" };
                    close.ok_or(fault)? + 2
                }
                _ => return Ok(()),
            };
            let skipped = rest.get(..length).unwrap_or(rest);
            let ends = skipped.iter().filter(|byte| **byte == b'\n').count();
            self.line = self.line.saturating_add(u32::try_from(ends).unwrap_or(u32::MAX));
            self.at += length;
        }
    }

    fn rest(&self) -> &'t [u8] {
        self.text.get(self.at..).unwrap_or_default()
    }
}

/// A comment ends with its line, or with two more hyphens.
fn comment_length(rest: &[u8]) -> usize {
    let body = rest.get(2..).unwrap_or_default();
    let line = body.iter().position(|byte| *byte == b'\n').unwrap_or(body.len());
    let inside = body.get(..line).unwrap_or_default();
    2 + inside.windows(2).position(|two| two == b"--").map_or(line, |at| at + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        let (found, fault) = read(text.as_bytes());
        assert_eq!(fault, None);
        let show = |one: &Assignment| {
            let [name, parent] =
                [&one.name, one.parent.as_deref().unwrap_or(b"")].map(String::from_utf8_lossy);
            format!("{name}={parent}{:?}", one.numbers)
        };
        found.iter().map(show).collect()
    }

    #[test]
    fn assignments_of_every_kind_are_read() {
        let text = "A-MIB DEFINITIONS ::= BEGIN\nIMPORTS enterprises FROM RFC1155-SMI\n \
            OBJECT-TYPE FROM RFC-1212;\n\
            acme OBJECT IDENTIFIER ::= { enterprises 9999 } -- ours -- \n\
            box MODULE-IDENTITY LAST-UPDATED \"0\" DESCRIPTION \"no { brace ::= \n\" ::= {acme 1}\n\
            load OBJECT-TYPE SYNTAX INTEGER { up(1), down(2) } INDEX { x }\n\
            DEFVAL { { a } } ::= { box 2 7 }--end\n\
            whole OBJECT IDENTIFIER ::= { iso org(3) 6 }\n\
            Kind ::= SEQUENCE { a INTEGER }\n trap TRAP-TYPE ENTERPRISE acme ::= 6\nEND\n";
        let expected = [
            "acme=enterprises[9999]",
            "box=acme[1]",
            "load=box[2, 7]",
            "org=iso[3]",
            "whole=iso[3, 6]",
        ];
        assert_eq!(shown(text), expected);
    }

    #[test]
    fn what_is_before_a_fault_counts() {
        for (text, line, expected) in [
            ("a OBJECT IDENTIFIER ::= { b 1 }\n\nc OBJECT-TYPE \"open", 3, "a closing `\"`"),
            ("a OBJECT IDENTIFIER ::= { b 1 }\nc OBJECT-TYPE ::= { a 2", 2, "up to `}`"),
            ("a OBJECT IDENTIFIER ::= { b 1 }\nc OBJECT-TYPE ::= { a b 2 }", 2, "up to `}`"),
        ] {
            let (found, fault) = read(text.as_bytes());
            let fault = fault.unwrap();
            assert_eq!((found.len(), fault.line), (1, line), "{text}");
            assert!(fault.expected.ends_with(expected), "{fault:?}");
        }
    }
}
