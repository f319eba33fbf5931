//! A target: what is measured, and what its page says.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::path::PathBuf;
use std::sync::Arc;

use texts::{Reader, Text};

use crate::environment;
use crate::{Direction, Expression, Number, PollIndex, Position, Settings, Unsupported};

/// The variable in which cfgmaker names an interface.
const INTERFACE: &str = "MRTG_INT_DESCR";

/// Reads the labels of many targets in their order.
#[derive(Debug, Default)]
pub struct LabelReader {
    environment: Reader,
    labels: Reader,
}

/// A `Target[name]` with all its keys.
///
/// There may be millions, so what many of them share is kept once, and what is seldom read packed.
#[derive(Clone, Debug)]
pub struct Target {
    /// Its name, in lower case, unique within the configuration.
    pub name: Arc<str>,
    /// The line that first mentions it.
    pub position: Position,
    /// The expression that is measured.
    pub expression: Expression,
    /// Why it is not measured; `None` if it is measured.
    pub unsupported: Option<Unsupported>,
    /// How it is stored and shown.
    pub settings: Arc<Settings>,
    /// Two fields: `Title`, and what cfgmaker wrote about the interface.
    pub head: Text,
    /// `PageTop`, a single field; see [`Self::page_top`].
    pub page: Option<Text>,
    /// The names and values of `SetEnv`.
    pub(crate) environment: Option<Text>,
    /// The names and values of `gyre*Labels`.
    pub(crate) labels: Option<Text>,
    /// Whether the bytes of its name are Latin-1 instead of UTF-8.
    pub(crate) name_is_latin_1: bool,
}

impl Target {
    /// `Title`.
    #[must_use]
    pub fn title(&self) -> String {
        self.head.field(0)
    }

    /// `PageTop`: the operator's HTML, in which `\n` is already replaced by line breaks.
    #[must_use]
    pub fn page_top(&self) -> Option<String> {
        self.page.as_ref().map(|page| page.field(0))
    }

    /// `SetEnv`: pairs of name and value; cfgmaker writes MRTG_INT_IP and MRTG_INT_DESCR.
    #[must_use]
    pub fn environment(&self) -> Vec<(String, String)> {
        self.environment.as_ref().map(environment::read).unwrap_or_default()
    }

    /// Labels of its series: those of `gyre*Labels`, and before them `interface`, which cfgmaker
    /// wrote as MRTG_INT_DESCR.
    #[must_use]
    pub fn labels(&self) -> Vec<(String, String)> {
        self.labels_in_turn(&mut LabelReader::default())
    }

    /// The same by a reader that reads those of many targets in their order, which takes a tenth of
    /// the time.
    #[must_use]
    pub fn labels_in_turn(&self, reader: &mut LabelReader) -> Vec<(String, String)> {
        let LabelReader { environment, labels } = reader;
        let read = |text: &Option<Text>, reader| {
            text.as_ref().map(|text| environment::read_in_turn(text, reader)).unwrap_or_default()
        };
        let interface = read(&self.environment, environment).into_iter();
        let interface = interface.filter(|(name, value)| name == INTERFACE && !value.is_empty());
        let interface = interface.map(|(_, value)| ("interface".to_owned(), value));
        interface.chain(read(&self.labels, labels)).collect()
    }

    /// The path of the `.rrd` file: `LogDir`, `Directory` and the name, concatenated as in MRTG, so
    /// an absolute `Directory` is still below `LogDir`.
    #[must_use]
    pub fn rrd_path(&self) -> PathBuf {
        let mut path = self.settings.path_before_name.to_vec();
        path.extend(self.file_stem());
        path.extend_from_slice(b".rrd");
        OsString::from_vec(path).into()
    }

    /// Its name as the names of its files begin: the bytes that the configuration has.
    #[must_use]
    pub fn file_stem(&self) -> Vec<u8> {
        match self.name_is_latin_1 {
            true => self.name.chars().map(|letter| letter as u8).collect(),
            false => self.name.as_bytes().to_vec(),
        }
    }

    /// The reading for one direction to store in the round robin database; `None` for unknown.
    ///
    /// As in MRTG, a value is rounded to an integer (halves to even) unless `Options[]: gauge` is
    /// set. It is unknown if an operand is unknown or on division by zero; the two directions are
    /// independent. The result may be negative after a subtraction. A COUNTER cannot take that, so
    /// the caller must store it as unknown.
    pub fn reading(
        &self,
        direction: Direction,
        value: impl FnMut(PollIndex, Direction) -> Option<Number>,
    ) -> Option<Number> {
        self.rounding(self.expression.evaluate(direction, value))
    }

    /// What [`Self::reading`] makes of a calculated value.
    #[must_use]
    pub fn rounding(&self, number: Option<Number>) -> Option<Number> {
        let keeps_decimals = self.settings.options.has(crate::Flag::Gauge);
        number.map(|number| if keeps_decimals { number } else { number.rounded() })
    }
}
