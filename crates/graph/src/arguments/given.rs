//! The arguments of a graph: options applied, and the words that are none.

use options::getopt::{self, Misread};
use rrd::rpn::Vocabulary;

use super::option_rows::rows;
use super::settings::Settings;
use crate::Error;
use crate::font::FontFinder;

/// The arguments of `rrdtool graph`: options may stand anywhere, `--` ends them, letters may be
/// joined, and long names must be whole.
#[derive(Clone, Debug)]
pub struct Arguments<'a> {
    pub(crate) settings: Settings,
    /// The elements; before [`Self::take_file_name`] the file's name is the first.
    pub(crate) elements: Vec<&'a str>,
}

impl<'a> Arguments<'a> {
    /// Reads them.
    ///
    /// # Errors
    /// An option that does not exist, or whose value cannot be taken.
    pub fn read<S: AsRef<str>>(words: &'a [S]) -> Result<Self, Error> {
        let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
        let mut settings = Settings::default();
        let elements = getopt::read(&rows(), &mut settings, &words)?;
        settings.check()?;
        Ok(Self { settings, elements })
    }

    /// Takes fonts of the system where `--font` names others than the embedded ones, and for
    /// characters that those lack.
    pub fn find_fonts(&mut self, finder: FontFinder) {
        self.settings.fonts.find(finder);
    }

    /// From here on CDEF expressions may have the words of this vocabulary.
    pub fn use_vocabulary(&mut self, vocabulary: Vocabulary) {
        self.settings.vocabulary = vocabulary;
    }

    /// Takes the first argument that is no option, which is the name of the image's file.
    ///
    /// # Errors
    /// There is none.
    pub fn take_file_name(&mut self) -> Result<&'a str, Error> {
        if self.elements.is_empty() {
            return Err(Error::Option("missing filename".into()));
        }
        Ok(self.elements.remove(0))
    }
}

impl From<Misread> for Error {
    fn from(misread: Misread) -> Self {
        Self::Option(misread.to_string())
    }
}
