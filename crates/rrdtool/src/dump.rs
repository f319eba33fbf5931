//! `dump`: a whole file as XML.

use std::cell::RefCell;
use std::io::Write as _;

use rrd::Snapshot;
use rrdfile::{Header, xml};
use store::Error;

use crate::failure::{Call, Failure};
use crate::session::{Session, Times};
use crate::verb::{Verb, daemon};
use options::getopt::{self, Row};
use options::{namings, option, switch};

pub(crate) const VERB: Verb = Verb {
    name: "dump",
    summary: "Write a whole file as XML",
    operands: "FILE [OUTPUT]",
    options: &namings(&rows()),
    run,
};

struct Settings<'a> {
    prologue: xml::Prologue,
    daemon: Option<&'a str>,
}

const fn rows<'a>() -> [Row<'a, Settings<'a>, Failure>; 3] {
    let header = "what stands before the document (dtd)";
    [
        option("-h --header", "none|xsd|dtd", header, |it, value| {
            it.prologue = match value {
                "none" => xml::Prologue::None,
                "xsd" => xml::Prologue::Xsd,
                "dtd" => xml::Prologue::Dtd,
                _ => it.prologue,
            }
        }),
        switch("-n --no-header", "the same as --header none", |it| {
            it.prologue = xml::Prologue::None;
        }),
        daemon(|it, address| it.daemon = Some(address)),
    ]
}

const USAGE: Call = Call::old(
    "dump",
    "[--header|-h {none,xsd,dtd}]\n[--no-header|-n]\n[--daemon|-d address]\nfile.rrd [file.xml]",
);

fn run(session: &mut Session, words: &[&str]) -> Result<(), Failure> {
    let mut settings = Settings { prologue: xml::Prologue::Dtd, daemon: None };
    let operands = getopt::read(&rows(), &mut settings, words).map_err(|_: Failure| USAGE)?;
    let Settings { prologue, daemon } = settings;
    let (name, output) = match operands[..] {
        [name] => (name, None),
        [name, output] => (name, Some(output)),
        _ => return Err(USAGE.into()),
    };
    session.flush_before(daemon, name)?;
    let whole = Whole::read(session, name)?;
    let Session { out, outlet, databases, times, .. } = session;
    match output {
        Some(output) => whole.write_file(output, times, prologue),
        None => whole.write(times, prologue, |text| {
            out.extend_from_slice(text.as_bytes());
            outlet.relieve(out, databases)
        }),
    }
}

/// A whole database, to be written as XML.
pub struct Whole {
    header: Header,
    snapshot: Snapshot,
}

impl Whole {
    /// # Errors
    /// There is no such database, or it is damaged.
    pub fn read(session: &mut Session, name: &str) -> Result<Self, Failure> {
        let (header, snapshot) = session.databases.snapshot(name)?;
        header.definition.check_files_can_say().map_err(Error::unwritable(name.as_ref()))?;
        Ok(Self { header, snapshot })
    }

    /// Gives the document on in pieces, each as soon as it is made: the text of all rows is several
    /// times what they take themselves.
    ///
    /// # Errors
    /// What `take` says; nothing follows then.
    pub fn write(
        &self,
        times: &mut Times,
        prologue: xml::Prologue,
        take: impl FnMut(&str) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let texts = RefCell::new(times.clock().dates_and_times());
        let time_text = |seconds: i64, out: &mut String| texts.borrow_mut().append(out, seconds);
        xml::write_by(&self.snapshot, self.header.version, prologue, &time_text, take)
    }

    /// Writes the document to a file.
    ///
    /// # Errors
    /// The file cannot be made or written.
    pub fn write_file(
        &self,
        output: &str,
        times: &mut Times,
        prologue: xml::Prologue,
    ) -> Result<(), Failure> {
        let failed = |error| Failure::System(format!("opening '{output}': "), error);
        let mut file = std::fs::File::create(output).map_err(failed)?;
        self.write(times, prologue, |text| file.write_all(text.as_bytes()).map_err(failed))
    }
}
