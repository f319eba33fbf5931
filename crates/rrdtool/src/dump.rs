//! `dump`: a whole file as XML.

use std::cell::RefCell;
use std::io::Write as _;

use rrdfile::xml;

use crate::options::{OptionRule, Options};
use crate::session::{Failure, Session};
use crate::verb::{DAEMON, Verb};

pub(crate) const VERB: Verb = Verb {
    name: "dump",
    summary: "Write a whole file as XML",
    operands: "FILE [OUTPUT]",
    options: &[
        OptionRule {
            long: "header",
            short: Some('h'),
            value: Some("none|xsd|dtd"),
            help: "what stands before the document (dtd)",
        },
        OptionRule {
            long: "no-header",
            short: Some('n'),
            value: None,
            help: "the same as --header none",
        },
        DAEMON,
    ],
    run,
};

const USAGE: &str = "usage rrdtool dump [--header|-h {none,xsd,dtd}]\n[--no-header|-n]\n\
                     [--daemon|-d address]\nfile.rrd [file.xml]";

fn run(session: &mut Session, words: &[&str]) -> Result<(), Failure> {
    let (mut prologue, mut daemon) = (xml::Prologue::Dtd, None);
    let mut options = Options::new(VERB.options, words);
    while let Some((name, value)) = options.next_option().map_err(|_| USAGE)? {
        match (name, value) {
            ("no-header", _) | ("header", "none") => prologue = xml::Prologue::None,
            ("header", "xsd") => prologue = xml::Prologue::Xsd,
            ("header", "dtd") => prologue = xml::Prologue::Dtd,
            ("header", _) => {}
            _ => daemon = Some(value),
        }
    }
    let (name, output) = match options.operands()[..] {
        [name] => (name, None),
        [name, output] => (name, Some(output)),
        _ => return Err(USAGE.into()),
    };
    session.flush_before(daemon, name)?;
    let (header, snapshot) = session.databases.snapshot(name)?;
    let Session { out, outlet, databases, times, .. } = session;
    let texts = RefCell::new(times.clock().dates_and_times());
    let time_text = |seconds: i64, out: &mut String| texts.borrow_mut().append(out, seconds);
    let Some(output) = output else {
        return xml::write_by(&snapshot, header.version, prologue, &time_text, |text| {
            out.extend_from_slice(text.as_bytes());
            outlet.relieve(out, databases)
        });
    };
    let failed =
        |error: std::io::Error| format!("opening '{output}': {}", crate::system_words(&error));
    let mut file = std::fs::File::create(output).map_err(failed)?;
    let put = |text: &str| file.write_all(text.as_bytes()).map_err(failed);
    xml::write_by(&snapshot, header.version, prologue, &time_text, put)
}

/// A database as XML.
///
/// # Errors
/// There is no such database, or it is damaged.
pub fn document(
    session: &mut Session,
    name: &str,
    prologue: xml::Prologue,
) -> Result<String, Failure> {
    let (header, snapshot) = session.databases.snapshot(name)?;
    let texts = RefCell::new(session.times.clock().dates_and_times());
    let time_text = |seconds: i64, out: &mut String| texts.borrow_mut().append(out, seconds);
    Ok(xml::write(&snapshot, header.version, prologue, &time_text))
}
