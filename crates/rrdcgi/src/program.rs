//! The face of a process: the command line, the request, and the page on standard output.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read as _, Write as _};
use std::os::unix::ffi::OsStringExt as _;
use std::path::Path;
use std::process::ExitCode;

use options::help::{Columns, append_options, wrap};
use options::{Described, HELP, Naming};
use rrdtool::{Databases, Session, complain, system_words};

use crate::answers::Host;
use crate::page::{PAGE_BYTES_MAX, render};
use crate::query::Variables;
use crate::{include, reply};

/// The most bytes of a form.
const FORM_BYTES_MAX: u64 = 1 << 20;
/// The exit code of rrdcgi's for an option that it does not know.
const UNKNOWN_OPTION: u8 = 255;
/// The exit code of gyre's verbs for words that they do not understand.
const MISUSE: u8 = 2;
/// The columns of the help.
const COLUMNS: Columns = Columns { indent: 16, width: 94 };

const SUMMARY: &str = "Prints the web page that a template describes: each tag such as <RRD::GRAPH \
                       ...> gives way to what it asks for, a graph to a picture in a file and a \
                       reference to it. The first line of the template is left out: it may be \
                       #!/usr/bin/rrdcgi, for a web server that runs templates.";
const FILTER: Naming = Naming {
    long: "filter",
    short: Some('f'),
    value: None,
    help: "print the page alone, without the head that a web server wants, and leave tags about \
           a request as they are",
};

/// The verb, for its help, its page and completions.
#[must_use]
pub fn described() -> Described {
    Described::plain("gyre rrdcgi", "TEMPLATE|-", SUMMARY, &[FILTER, HELP])
}

fn usage() -> String {
    let Described { synopsis, summary, options, .. } = described();
    let mut text = format!("Usage: {synopsis}\n\n");
    wrap(&mut text, &summary, COLUMNS.width, 0);
    text.push('\n');
    append_options(&mut text, &options, COLUMNS);
    text
}

/// `rrdcgi ...`, as rrdtool's program.
pub fn rrdcgi(words: &[OsString]) -> ExitCode {
    match order(words) {
        Ok(order) => carry_out(&order),
        Err(unknown) => {
            let _ = print(format!("{unknown}\n").as_bytes()); // there is no other place to tell it
            ExitCode::from(UNKNOWN_OPTION)
        }
    }
}

/// `gyre rrdcgi ...`: the same, with help.
pub fn gyre(words: &[OsString]) -> ExitCode {
    if words.is_empty() {
        complain!("{}", usage().trim_end());
        return ExitCode::from(MISUSE);
    }
    if words.iter().any(|word| word == "--help" || word == "-h") {
        return print(usage().as_bytes()).map_or_else(unprinted, |()| ExitCode::SUCCESS);
    }
    match order(words) {
        Ok(order) => carry_out(&order),
        Err(unknown) => {
            complain!("gyre rrdcgi: {unknown}");
            ExitCode::from(MISUSE)
        }
    }
}

/// What the words ask for.
struct Order<'a> {
    is_filter: bool,
    template: Option<&'a OsStr>,
}

/// There is no such option; rrdcgi tells it on standard output.
#[derive(Debug, thiserror::Error)]
#[error("invalid option -- '{0}'")]
struct UnknownOption(String);

/// Reads the words.
fn order(words: &[OsString]) -> Result<Order<'_>, UnknownOption> {
    let mut order = Order { is_filter: false, template: None };
    let mut options_end = false;
    for word in words {
        match word.to_str() {
            Some("--") if !options_end => options_end = true,
            Some(text) if !options_end && text.strip_prefix("--") == Some(FILTER.long) => {
                order.is_filter = true;
            }
            Some(text) if !options_end && text.starts_with('-') && text != "-" => {
                let long = text.strip_prefix("--").map(str::to_owned);
                let letter = || text.chars().skip(1).find(|letter| Some(*letter) != FILTER.short);
                match long.or_else(|| letter().map(String::from)) {
                    Some(unknown) => return Err(UnknownOption(unknown)),
                    None => order.is_filter = true, // -f, -ff
                }
            }
            _ => order.template = order.template.or(Some(word)),
        }
    }
    Ok(order)
}

fn carry_out(order: &Order<'_>) -> ExitCode {
    let request = if order.is_filter { Ok(Variables::default()) } else { request() };
    let made = request.and_then(|request| page(order, request));
    match made {
        Ok(page) => print(&page).map_or_else(unprinted, |()| ExitCode::SUCCESS),
        Err(failed) => {
            complain!("ERROR: {failed}");
            ExitCode::FAILURE
        }
    }
}

/// Why there is no page.
#[derive(Debug, thiserror::Error)]
enum Failed {
    #[error("expected a filename")]
    NoTemplate,
    #[error("opening '{name}': {}", system_words(cause))]
    Template { name: String, cause: io::Error },
    #[error("reading the request: {}", system_words(.0))]
    Request(io::Error),
    #[error(transparent)]
    Page(#[from] crate::page::PageError),
    #[error("{}", .0.in_words(rrdtool::Wording::Rrdtool))]
    Databases(rrdtool::Failure),
}

/// The whole answer: the page, and its head where a web server wants one.
fn page(order: &Order<'_>, request: Variables) -> Result<Vec<u8>, Failed> {
    let name = order.template.ok_or(Failed::NoTemplate)?;
    let template = template(name)
        .map_err(|cause| Failed::Template { name: name.to_string_lossy().into_owned(), cause })?;
    let mut session = Session::with(Databases::new());
    let mut host = Host::new(&mut session, request);
    let page = render(&template, !order.is_filter, &mut host)?;
    let good_for_seconds = host.good_for_seconds;
    session.databases.leave().map_err(Failed::Databases)?;
    if order.is_filter {
        return Ok(page);
    }
    let head = reply::head(page.len(), good_for_seconds, jiff::Timestamp::now());
    Ok([head.as_bytes(), &page].concat())
}

/// A template without its first line, which names the program.
fn template(name: &OsStr) -> io::Result<Vec<u8>> {
    let mut bytes = match name == "-" {
        true => limited(io::stdin().lock(), PAGE_BYTES_MAX as u64)?,
        false => include::read(Path::new(name))?,
    };
    let line_end = bytes.iter().position(|byte| *byte == b'\n');
    bytes.drain(..line_end.map_or(bytes.len(), |place| place + 1));
    Ok(bytes)
}

/// The variables of the request that a web server hands over; without one a person types them.
fn request() -> Result<Variables, Failed> {
    let variable = |name| std::env::var_os(name).map(OsString::into_vec);
    let stdin = |bytes| limited(io::stdin().lock(), bytes).map_err(Failed::Request);
    match variable("REQUEST_METHOD").as_deref() {
        Some(b"GET") => Ok(Variables::of_query(&variable("QUERY_STRING").unwrap_or_default())),
        Some(b"POST") => {
            let length = variable("CONTENT_LENGTH").and_then(|text| String::from_utf8(text).ok());
            let bytes = length.and_then(|text| text.trim().parse::<u64>().ok()).unwrap_or(0);
            Ok(Variables::of_query(&stdin(bytes.min(FORM_BYTES_MAX))?))
        }
        _ => {
            let asked = print(b"(offline mode: enter name=value pairs on standard input)\n");
            asked.map_err(Failed::Request)?;
            Ok(Variables::of_lines(&stdin(FORM_BYTES_MAX)?))
        }
    }
}

/// At most so many bytes.
fn limited(input: impl io::Read, bytes_max: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(bytes_max).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn print(bytes: &[u8]) -> io::Result<()> {
    let mut output = io::stdout().lock();
    output.write_all(bytes).and_then(|()| output.flush())
}

fn unprinted(error: io::Error) -> ExitCode {
    // Who reads may have gone: that is its choice.
    if error.kind() != io::ErrorKind::BrokenPipe {
        complain!("ERROR: error flushing output: {}", system_words(&error));
    }
    ExitCode::FAILURE
}
