//! Why a verb failed: a value until the last door of a program puts it into words.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, ErrorKind};

use rrd::sample::SampleError;
use store::Error;

use crate::system_words;

/// In whose words a program tells failures. The name by which it was called decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wording {
    /// As rrdtool tells them.
    #[default]
    Rrdtool,
    /// File, offset or line, and what was expected there.
    Gyre,
}

/// Why a verb failed.
#[derive(Debug)]
pub enum Failure {
    /// The words of the call are wrong, or ask for what there is not. Told alike in both wordings.
    Misuse(Cow<'static, str>),
    /// A verb of rrdtool's is called otherwise.
    Call(Call),
    /// A store failed.
    Store(Box<Error>),
    /// A store did not make the database of this name.
    NewFile(String, Box<Error>),
    /// A store did not take a sample of the file of this name.
    Update(String, Box<Error>),
    /// The system failed. The text stands before its words, with what parts the two.
    System(String, io::Error),
    /// A document is no database.
    Document(String, rrdfile::xml::XmlError),
    /// A document cannot be read.
    Unreadable(String, io::Error),
    /// A PNG image cannot be written to the file of this name.
    Image(String, io::Error),
    /// The same, of a file or a directory that it does not name itself.
    At(String, Box<Failure>),
    /// Whoever read standard output has gone, and has read what was wanted: no failure in the end.
    Unread,
    /// All was done but what was named before: exit code 3.
    Partly(String),
    /// What says itself why, alike in both wordings.
    Other(Box<dyn std::error::Error + Send + Sync>),
}

/// How a verb of rrdtool's is called.
#[derive(Clone, Debug)]
pub struct Call {
    /// What rrdtool begins with: [`Call::NEW`] or [`Call::OLD`].
    before: &'static str,
    verb: Cow<'static, str>,
    operands: &'static str,
}

impl Call {
    const NEW: &str = "Usage: rrdtool ";
    const OLD: &str = "usage rrdtool ";

    /// As most verbs tell it.
    pub(crate) const fn new(verb: &'static str, operands: &'static str) -> Self {
        Self { before: Self::NEW, verb: Cow::Borrowed(verb), operands }
    }

    /// As old verbs tell it.
    pub(crate) const fn old(verb: &'static str, operands: &'static str) -> Self {
        Self { before: Self::OLD, verb: Cow::Borrowed(verb), operands }
    }
}

impl Failure {
    /// The words of a call are wrong.
    pub fn misuse(text: impl Into<Cow<'static, str>>) -> Self {
        Self::Misuse(text.into())
    }

    /// The exit code of a program that ends with it.
    #[must_use]
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::Partly(_) => 3,
            _ => 1,
        }
    }

    /// There is no consolidation function of this name.
    #[must_use]
    pub fn unknown_cf(name: &str) -> Self {
        Self::misuse(format!("unknown consolidation function '{name}'"))
    }

    /// The same, with the verb under the name by which a program called it.
    #[must_use]
    pub fn of_verb_called(self, name: &str) -> Self {
        match self {
            Self::Call(call) => Self::Call(Call { verb: name.to_owned().into(), ..call }),
            other => other,
        }
    }

    /// A failure that says itself why.
    pub fn of(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Other(error.into())
    }

    /// What fails at a file or directory, which it does not name itself.
    pub fn at<E: Into<Self>>(place: impl fmt::Display) -> impl FnOnce(E) -> Self {
        move |failure| Self::At(place.to_string(), Box::new(failure.into()))
    }

    /// What the system fails with; `before` stands before its words.
    pub fn system<E: Into<io::Error>>(before: impl Into<String>) -> impl FnOnce(E) -> Self {
        move |error| Self::System(before.into(), error.into())
    }

    /// A new database that a store did not make.
    pub fn new_file(name: impl Into<String>, error: Error) -> Self {
        Self::NewFile(name.into(), Box::new(error))
    }

    /// Samples of a file that a store did not take.
    pub fn update(file: impl Into<String>, error: Error) -> Self {
        Self::Update(file.into(), Box::new(error))
    }

    /// What follows `ERROR: `.
    #[must_use]
    pub fn in_words(&self, wording: Wording) -> String {
        match self {
            Self::Misuse(text) => text.clone().into_owned(),
            Self::Partly(text) => text.clone(),
            Self::Unread => "nobody reads standard output".into(),
            Self::Call(Call { before, verb, operands }) => format!("{before}{verb} {operands}"),
            Self::Store(error) => of_store(error, wording),
            Self::NewFile(name, error) => of_new_file(name, error, wording),
            Self::Update(file, error) => of_update(file, error, wording),
            Self::System(before, error) => format!("{before}{}", system_words(error)),
            Self::Document(name, error) => match wording {
                Wording::Gyre => format!("{name}: {error}"),
                Wording::Rrdtool => error.to_string(),
            },
            Self::Unreadable(name, error) => match wording {
                Wording::Gyre => format!("{name}: {}", system_words(error)),
                Wording::Rrdtool => format!("Could not create xml reader for: {name}"),
            },
            Self::Image(name, error) => match wording {
                Wording::Gyre => format!("{name}: {}", system_words(error)),
                Wording::Rrdtool => format!("Could not save png to '{name}'"),
            },
            Self::At(place, failure) => format!("{place}: {}", failure.in_words(wording)),
            Self::Other(error) => error.to_string(),
        }
    }
}

/// In gyre's words.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.in_words(Wording::Gyre))
    }
}

impl std::error::Error for Failure {}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Store(Box::new(error))
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::System(String::new(), error)
    }
}

impl From<Call> for Failure {
    fn from(call: Call) -> Self {
        Self::Call(call)
    }
}

impl From<&'static str> for Failure {
    fn from(text: &'static str) -> Self {
        Self::Misuse(text.into())
    }
}

/// Implements the conversion of errors that say themselves why.
macro_rules! other {
    ($($error:ty),* $(,)?) => {$(
        impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                Self::Other(error.into())
            }
        }
    )*};
}

other![
    options::getopt::Misread,
    rrd::attime::AtTimeError,
    rrd::attime::RelativeTimeError,
    rrd::spec::SpecError,
    rrd::NoRoom,
    rrd::NoWholeSeconds,
    rrd::NoWholeTicks,
    rrd::refill::PastError,
    rrdcached::Error,
    graph::Error,
];

impl From<graph::Undrawn<Self>> for Failure {
    fn from(undrawn: graph::Undrawn<Self>) -> Self {
        match undrawn {
            graph::Undrawn::Graph(error) => error.into(),
            graph::Undrawn::Fetch(failure) => failure,
        }
    }
}

/// rrdtool maps files into memory, and tells so of those that cannot be mapped.
fn of_store(error: &Error, wording: Wording) -> String {
    match error {
        Error::Edit { source, .. } => source.to_string(),
        own if wording == Wording::Gyre => own.to_string(),
        Error::Io { action: "reading", path, source }
            if source.kind() == ErrorKind::IsADirectory =>
        {
            format!("mmaping file '{}': No such device", path.display())
        }
        other => other.in_rrdtools_words(),
    }
}

/// rrdtool writes a new file beside the old one and renames it, and tells which of the two failed.
fn of_new_file(name: &str, error: &Error, wording: Wording) -> String {
    match error {
        own if wording == Wording::Gyre => own.to_string(),
        Error::Io { source, .. }
            if name.is_empty()
                || matches!(source.kind(), ErrorKind::IsADirectory | ErrorKind::ResourceBusy) =>
        {
            "Cannot rename temporary file to final file!".into()
        }
        Error::Io { source, .. }
            if matches!(
                source.kind(),
                ErrorKind::NotFound
                    | ErrorKind::PermissionDenied
                    | ErrorKind::NotADirectory
                    | ErrorKind::InvalidFilename
            ) =>
        {
            "Cannot create temporary file".into()
        }
        other => of_store(other, wording),
    }
}

/// An error in a template is told without the file's name.
fn of_update(file: &str, error: &Error, wording: Wording) -> String {
    match error {
        Error::Sample {
            source: error @ (SampleError::TemplateTooLong | SampleError::UnknownSource(_)),
            ..
        } => error.to_string(),
        Error::Sample { source, .. } => format!("{file}: {source}"),
        Error::Update { source, .. } => format!("{file}: {source}"),
        other => of_store(other, wording),
    }
}
