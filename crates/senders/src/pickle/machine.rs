//! The machine that builds lists, tuples, numbers and texts, and nothing else.
//!
//! Objects lie one behind the other and name their parts by number, so that no text makes the machine
//! call itself, and an object that is fetched from the memo costs no more than its number.

use std::borrow::Cow;

use super::text::{of_quoted, of_unicode};
use crate::lines::Wrong;
use crate::number::value;
use crate::sent::Value;

/// Longer lines are no number.
const DIGITS_MAX: usize = 400;

/// An object and the byte at which its operation stands.
#[derive(Debug)]
pub(super) struct Object<'a> {
    pub(super) at: usize,
    pub(super) what: What<'a>,
}

/// What an object is.
#[derive(Debug)]
pub(super) enum What<'a> {
    /// A text.
    Text(Cow<'a, str>),
    /// A number.
    Number(Value<'static>),
    /// A tuple of two, which is by far the most frequent one.
    Pair([Id; 2]),
    /// Another tuple, or a list.
    Many(Vec<Id>),
    /// `None`.
    Nothing,
}

/// An object's place among all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Id(u32);

/// What an operation expected in vain.
type Expected = &'static str;

/// The machine and all that it has built.
pub(super) struct Machine<'a> {
    bytes: &'a [u8],
    at: usize,
    objects: Vec<Object<'a>>,
    stack: Vec<Id>,
    /// Heights of the stack at which marks stand.
    marks: Vec<usize>,
    memo: Vec<Option<Id>>,
    puts: usize,
}

impl<'a> Machine<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        let (objects, stack) = (Vec::new(), Vec::new());
        Self { bytes, at: 0, objects, stack, marks: Vec::new(), memo: Vec::new(), puts: 0 }
    }

    /// Runs the pickle to its end.
    pub(super) fn run(&mut self) -> Result<(), Wrong> {
        loop {
            let at = self.at;
            if self.step(at).map_err(|expected| Wrong { at, expected })? {
                return Ok(());
            }
        }
    }

    /// The objects of the list that was built.
    pub(super) fn list(&self) -> Result<impl Iterator<Item = &Object<'a>>, Wrong> {
        let last = self.stack.last().and_then(|id| self.object(*id));
        let parts = match last.map(|object| &object.what) {
            Some(What::Many(parts)) => parts.as_slice(),
            Some(What::Pair(parts)) => parts,
            _ => return Err(Wrong { at: self.at, expected: "a list of points" }),
        };
        Ok(parts.iter().filter_map(|id| self.object(*id)))
    }

    /// The two parts of a tuple or list.
    pub(super) fn pair(&self, object: &Object<'a>) -> Option<[&Object<'a>; 2]> {
        let [first, second] = match &object.what {
            What::Pair(both) => *both,
            What::Many(parts) => *parts.as_slice().as_array()?,
            _ => return None,
        };
        Some([self.object(first)?, self.object(second)?])
    }

    fn object(&self, id: Id) -> Option<&Object<'a>> {
        self.objects.get(id.0 as usize)
    }

    /// Runs one operation. Says whether it was the last one.
    fn step(&mut self, at: usize) -> Result<bool, Expected> {
        let [operation] = self.array()?;
        match operation {
            b'.' => return Ok(true),
            // A protocol's number, and the length of what follows.
            0x80 => drop(self.array::<1>()?),
            0x95 => drop(self.array::<8>()?),
            b'(' => self.marks.push(self.stack.len()),
            b']' | b')' => self.push(at, What::Many(Vec::new()))?,
            b'l' | b't' => {
                let parts = self.marked()?;
                self.push(at, many(parts, operation == b'l'))?;
            }
            b'a' => {
                let part = self.pop()?;
                self.append(&[part])?;
            }
            b'e' => {
                let parts = self.marked()?;
                self.append(&parts)?;
            }
            0x85..=0x87 => {
                let count = usize::from(operation - 0x84);
                let parts = self.top(count)?;
                self.push(at, many(parts, false))?;
            }
            b'p' | b'q' | b'r' | 0x94 => self.put(operation)?,
            b'g' | b'h' | b'j' => self.get(operation)?,
            _ => {
                let what = self.plain(operation)?;
                self.push(at, what)?;
            }
        }
        Ok(false)
    }

    /// A number or text.
    fn plain(&mut self, operation: u8) -> Result<What<'a>, Expected> {
        let signed = |number: i64| What::Number(Value::Signed(number));
        Ok(match operation {
            b'N' => What::Nothing,
            0x88 => signed(1),
            0x89 => signed(0),
            b'J' => signed(i32::from_le_bytes(self.array()?).into()),
            b'K' => signed(u8::from_le_bytes(self.array()?).into()),
            b'M' => signed(u16::from_le_bytes(self.array()?).into()),
            b'G' => What::Number(Value::Float(f64::from_be_bytes(self.array()?))),
            b'I' | b'L' => What::Number(integer_of_line(self.line()?)?),
            b'F' => What::Number(float_of_line(self.line()?)?),
            0x8a => {
                let length = self.length::<1>()?;
                What::Number(integer_of_bytes(self.take(length)?)?)
            }
            0x8b => {
                let length = self.length::<4>()?;
                What::Number(integer_of_bytes(self.take(length)?)?)
            }
            b'V' => text(of_unicode(self.line()?))?,
            b'S' => text(of_quoted(self.line()?))?,
            b'U' | b'C' | 0x8c => self.text::<1>()?,
            b'T' | b'B' | b'X' => self.text::<4>()?,
            0x8d | 0x8e => self.text::<8>()?,
            _ => return Err("an operation that builds lists, tuples, numbers or texts"),
        })
    }

    fn push(&mut self, at: usize, what: What<'a>) -> Result<(), Expected> {
        let id = u32::try_from(self.objects.len()).map_err(|_| "fewer objects")?;
        self.objects.push(Object { at, what });
        self.stack.push(Id(id));
        Ok(())
    }

    /// The bottom of the stack as far as operations may see: the last mark.
    fn bottom(&self) -> usize {
        self.marks.last().copied().unwrap_or(0)
    }

    fn pop(&mut self) -> Result<Id, Expected> {
        if self.stack.len() <= self.bottom() {
            return Err("an object on the stack");
        }
        self.stack.pop().ok_or("an object on the stack")
    }

    fn top(&mut self, count: usize) -> Result<Vec<Id>, Expected> {
        if self.stack.len() < self.bottom() + count {
            return Err("objects on the stack");
        }
        Ok(self.stack.split_off(self.stack.len() - count))
    }

    fn marked(&mut self) -> Result<Vec<Id>, Expected> {
        let mark = self.marks.pop().ok_or("a mark on the stack")?;
        Ok(self.stack.split_off(mark.min(self.stack.len())))
    }

    fn append(&mut self, parts: &[Id]) -> Result<(), Expected> {
        let expected = "a list on the stack";
        if self.stack.len() <= self.bottom() {
            return Err(expected);
        }
        let list = *self.stack.last().ok_or(expected)?;
        match self.objects.get_mut(list.0 as usize).map(|object| &mut object.what) {
            Some(What::Many(all)) => all.extend_from_slice(parts),
            _ => return Err(expected),
        }
        Ok(())
    }

    fn put(&mut self, operation: u8) -> Result<(), Expected> {
        let place = if operation == 0x94 { self.puts } else { self.place(operation)? };
        // Programs number what they put away, and each object takes a byte at least.
        if place > self.bytes.len() {
            return Err("a place in the memo below the pickle's length");
        }
        let top = *self.stack.last().ok_or("an object on the stack")?;
        if self.memo.len() <= place {
            self.memo.resize(place + 1, None);
        }
        self.memo[place] = Some(top);
        self.puts += 1;
        Ok(())
    }

    fn get(&mut self, operation: u8) -> Result<(), Expected> {
        let place = self.place(operation)?;
        let found = self.memo.get(place).copied().flatten();
        self.stack.push(found.ok_or("a place in the memo that holds an object")?);
        Ok(())
    }

    fn place(&mut self, operation: u8) -> Result<usize, Expected> {
        match operation {
            b'q' | b'h' => self.length::<1>(),
            b'r' | b'j' => self.length::<4>(),
            _ => {
                let line = std::str::from_utf8(self.line()?).ok();
                line.and_then(|line| line.parse().ok()).ok_or("a place in the memo")
            }
        }
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], Expected> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let taken = rest.get(..count).ok_or("an operation that ends within the pickle")?;
        self.at += count;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Expected> {
        let taken = self.take(N)?;
        taken.try_into().map_err(|_| "an operation that ends within the pickle")
    }

    /// A number of so many bytes, little-endian.
    fn length<const N: usize>(&mut self) -> Result<usize, Expected> {
        let bytes = self.array::<N>()?;
        let length = bytes
            .iter()
            .rev()
            .try_fold(0_u64, |sum, byte| sum.checked_mul(256).map(|sum| sum + u64::from(*byte)));
        length.and_then(|length| usize::try_from(length).ok()).ok_or("a shorter length")
    }

    /// The bytes up to the line's end.
    fn line(&mut self) -> Result<&'a [u8], Expected> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let end = memchr::memchr(b'\n', rest).ok_or("a line's end")?;
        self.at += end + 1;
        Ok(&rest[..end])
    }

    fn text<const N: usize>(&mut self) -> Result<What<'a>, Expected> {
        let length = self.length::<N>()?;
        let text = std::str::from_utf8(self.take(length)?).map_err(|_| "a text in UTF-8")?;
        Ok(What::Text(Cow::Borrowed(text)))
    }
}

/// A list, or the tuple of the parts.
fn many<'a>(parts: Vec<Id>, is_list: bool) -> What<'a> {
    match parts.as_slice() {
        // A list may grow.
        &[first, second] if !is_list => What::Pair([first, second]),
        _ => What::Many(parts),
    }
}

fn text<'a>(text: Option<String>) -> Result<What<'a>, Expected> {
    text.map(|text| What::Text(Cow::Owned(text))).ok_or("a text with Python's escapes")
}

fn integer(number: i128) -> Value<'static> {
    match (i64::try_from(number), u64::try_from(number)) {
        (Ok(number), _) => Value::Signed(number),
        (_, Ok(number)) => Value::Unsigned(number),
        _ => Value::Float(number as f64),
    }
}

/// A number as text; Python 2 wrote an L behind long ones.
fn integer_of_line(line: &[u8]) -> Result<Value<'static>, Expected> {
    let line = line.strip_suffix(b"L").unwrap_or(line);
    let text = std::str::from_utf8(line).ok();
    text.and_then(|text| text.parse().ok()).map(integer).ok_or("a whole number of 128 bits")
}

fn float_of_line(line: &[u8]) -> Result<Value<'static>, Expected> {
    let text = std::str::from_utf8(line).ok().filter(|text| text.len() <= DIGITS_MAX);
    let number = text.and_then(value).and_then(|value| match value {
        Value::Text(text) => text.parse().ok(),
        Value::Float(number) => Some(number),
        Value::Unsigned(_) | Value::Signed(_) => None,
    });
    number.map(Value::Float).ok_or("a number")
}

/// A number as bytes, little-endian with a sign.
fn integer_of_bytes(bytes: &[u8]) -> Result<Value<'static>, Expected> {
    let mut all = match bytes.last() {
        Some(128..) => [0xff; 16],
        _ => [0; 16],
    };
    all.get_mut(..bytes.len()).ok_or("a whole number of 128 bits")?.copy_from_slice(bytes);
    Ok(integer(i128::from_le_bytes(all)))
}
