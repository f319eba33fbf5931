//! `restore`: a file from its XML dump.

use std::io::Read;

use rrdfile::xml;
use store::{Edit, Existing};

use crate::failure::{Call, Failure};
use crate::session::Session;
use crate::verb::Verb;
use options::getopt::{self, Row};
use options::{namings, switch};

pub(crate) const VERB: Verb = Verb {
    name: "restore",
    summary: "Make a file from its XML dump",
    operands: "XML FILE",
    options: &namings(&rows()),
    run,
};

struct Settings {
    range_check: bool,
    existing: Existing,
}

const fn rows<'a>() -> [Row<'a, Settings, Failure>; 2] {
    let range_check = "make values unknown that lie outside of their source's limits";
    let force = "put it in place of a file that is there already";
    [
        switch("-r --range-check", range_check, |it| it.range_check = true),
        switch("-f --force-overwrite", force, |it| it.existing = Existing::Replace),
    ]
}

fn run(session: &mut Session, words: &[&str]) -> Result<(), Failure> {
    let mut settings = Settings { range_check: false, existing: Existing::Keep };
    let operands = getopt::read(&rows(), &mut settings, words)?;
    let Settings { range_check, existing } = settings;
    let [document, name] = operands[..] else {
        let operands = "[--range-check|-r] [--force-overwrite|-f] file.xml file.rrd";
        return Err(Call::old("restore", operands).into());
    };
    let place = session.databases.place(name)?;
    if existing == Existing::Keep && place.exists() {
        return Err(Failure::misuse(format!("creating '{name}': File exists")));
    }
    let mut snapshot =
        xml::parse(&read(document)?).map_err(|error| Failure::Document(document.into(), error))?;
    if range_check {
        xml::forget_values_out_of_range(&mut snapshot);
    }
    Ok(place.edit(&Edit::Restore { whole: &snapshot, existing })?)
}

/// Bytes that are read at once.
const READ_BYTES: usize = 1 << 20;
/// What of the memory that is available a document may take: it becomes values and a file besides.
const MEMORY_SHARE: u64 = 4;

/// The text of a file, or of standard input for `-`.
fn read(name: &str) -> Result<String, Failure> {
    let bytes = match name {
        "-" => read_from(&mut std::io::stdin().lock()),
        _ => std::fs::File::open(name).and_then(|mut file| read_from(&mut file)),
    };
    let bytes = bytes.map_err(|error| Failure::Unreadable(name.into(), error))?;
    String::from_utf8(bytes)
        .or_else(|error| Ok(error.into_bytes().iter().map(|byte| char::from(*byte)).collect()))
}

/// All bytes, as far as they can be a document: one that begins with anything but a tag is told by
/// its beginning, and need not have an end.
fn read_from(input: &mut impl Read) -> std::io::Result<Vec<u8>> {
    let bytes_max = disk::memory_available_bytes().map_or(u64::MAX, |bytes| bytes / MEMORY_SHARE);
    let mut bytes = Vec::new();
    let mut blank_bytes = 0;
    loop {
        let read = input.by_ref().take(READ_BYTES as u64).read_to_end(&mut bytes)?;
        blank_bytes += blanks(&bytes[blank_bytes..]);
        let is_document = matches!(bytes.get(blank_bytes), None | Some(b'<'));
        if read == 0 || !is_document {
            return Ok(bytes);
        }
        if bytes.len() as u64 > bytes_max {
            let words = format!("more than {bytes_max} bytes, for which there is no memory");
            return Err(std::io::Error::new(std::io::ErrorKind::OutOfMemory, words));
        }
        bytes.try_reserve(READ_BYTES)?;
    }
}

/// How many bytes there are before the first that means something: blanks, or a byte order mark.
fn blanks(bytes: &[u8]) -> usize {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    bytes.len() - text.trim_ascii_start().len()
}
