//! The names of files on a command line: operands, and lines of standard input.

use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStringExt as _;

/// A longer name on standard input could not be a path.
const NAME_BYTES_MAX: u64 = 4096;
/// Bytes of standard input that are read at once.
const READ_BYTES: usize = 64 << 10;

/// The operands, then the names on standard input, each ended by the byte `end`.
pub(crate) fn named_files(
    operands: Vec<OsString>,
    listed_end: Option<u8>,
) -> impl Iterator<Item = io::Result<Vec<u8>>> + Send {
    let named = operands.into_iter().map(|name| Ok(name.into_vec()));
    named.chain(listed_end.into_iter().flat_map(names_on_stdin))
}

fn names_on_stdin(end: u8) -> impl Iterator<Item = io::Result<Vec<u8>>> + Send {
    let mut input = io::BufReader::with_capacity(READ_BYTES, io::stdin());
    let mut is_over = false;
    std::iter::from_fn(move || {
        while !is_over {
            match next_name(&mut input, end) {
                Ok(Some(name)) if name.is_empty() => {}
                Ok(name) => {
                    is_over = name.is_none();
                    return name.map(Ok);
                }
                Err(error) => {
                    is_over = true;
                    return Some(Err(error));
                }
            }
        }
        None
    })
}

/// The next name, without the byte that ends it; `None` at the end of the input.
fn next_name(input: &mut impl io::BufRead, end: u8) -> io::Result<Option<Vec<u8>>> {
    let mut name = Vec::new();
    let mut limited = io::Read::take(input, NAME_BYTES_MAX);
    let read = io::BufRead::read_until(&mut limited, end, &mut name)?;
    if read == 0 {
        return Ok(None);
    }
    if name.last() == Some(&end) {
        name.pop();
    } else if read as u64 == NAME_BYTES_MAX {
        let words = format!("expected names below {NAME_BYTES_MAX} bytes");
        return Err(io::Error::other(words));
    }
    Ok(Some(name))
}
