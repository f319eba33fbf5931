//! Definitions as they are written on a command line: `DS:name:kind:heartbeat:min:max` and
//! `RRA:cf:xff:step:rows`.
//!
//! Durations may be counts or carry a unit (`5m`, `1d`); the words of errors are rrdtool's.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::number::{self, Parsed};
use crate::rpn::ComputeError;
use crate::sample::{NotANumber, number_of};
use crate::{
    Archive, ConsolidationFunction, DataSource, Definition, Expression, MAX_NAME_BYTES, SourceKind,
    Tick, UNKNOWN,
};

mod forecast;
mod spread;
mod units;

pub use forecast::ForecastError;
pub use spread::{SpreadError, check_spread};
pub use units::{Units, tick, time};

/// Why a definition is refused; the words are rrdtool's where it has them.
#[derive(Clone, Debug, PartialEq, thiserror::Error, serde::Serialize, serde::Deserialize)]
pub enum SpecError {
    /// An argument is neither a DS nor an RRA.
    #[error("can't parse argument '{0}'")]
    Argument(String),
    /// A DS does not have the form of one.
    #[error("invalid DS format")]
    SourceForm,
    /// A kind of DS that does not exist.
    #[error("invalid DS type specified ({0})")]
    SourceKind(String),
    /// Heartbeat or limits of a DS are wrong.
    #[error("failed to parse data source {text}: {reason}")]
    SourceParameters {
        /// What follows the kind.
        text: String,
        /// What is wrong.
        reason: Cow<'static, str>,
    },
    /// A limit is no number.
    #[error("parsing {which} val - {reason}")]
    Limit {
        /// `min` or `max`.
        which: Cow<'static, str>,
        /// What is wrong.
        reason: NotANumber,
    },
    /// The expression of a COMPUTE source is wrong.
    #[error(transparent)]
    Compute(#[from] ComputeError),
    /// What a forecasting archive is told is wrong.
    #[error(transparent)]
    Forecast(#[from] ForecastError),
    /// What a STDEV or PERCENTILE archive is told is wrong.
    #[error(transparent)]
    Spread(#[from] SpreadError),
    /// Two DS of one name.
    #[error("Duplicate DS name: {0}")]
    DuplicateName(String),
    /// Too few parts.
    #[error("Expected at least {expected} arguments for RRA but got {found}")]
    ArchiveForm {
        /// How many are needed.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// Too many parts.
    #[error("Unexpected extra argument for consolidation function {0}")]
    ArchiveExtra(String),
    /// A consolidation function that does not exist.
    #[error("Unrecognized consolidation function {0}")]
    ConsolidationFunction(String),
    /// An xff outside of [0, 1).
    #[error("Invalid xff: must be between 0 and 1")]
    Xff,
    /// A count or duration of an archive is wrong.
    #[error("Invalid {which} {text}: {reason}")]
    ArchiveNumber {
        /// `step` or `row count`.
        which: Cow<'static, str>,
        /// What stands there.
        text: String,
        /// What is wrong.
        reason: Cow<'static, str>,
    },
    /// The step is wrong.
    #[error("step size: {0}")]
    Step(Cow<'static, str>),
    /// No tick.
    #[error("tick {0}: expected 1, 0.1, 0.01, 0.001, 0.0001, 0.00001 or 0.000001 seconds")]
    Tick(String),
    /// No DS at all.
    #[error("you must define at least one Data Source")]
    NoSource,
    /// No RRA at all.
    #[error("you must define at least one Round Robin Archive")]
    NoArchive,
    /// The rows of an archive would span more time than can be counted.
    #[error("Invalid row count {0}: the archive would span more than 2^60 seconds")]
    Span(String),
}

/// Reads a step: `300`, `300s` or `5m`.
///
/// # Errors
/// [`SpecError::Step`].
pub fn step_seconds(text: &str) -> Result<u64, SpecError> {
    duration(text, 1).map_err(|reason| SpecError::Step(reason.into()))
}

/// Reads the DS and RRA arguments of a definition.
///
/// # Errors
/// [`SpecError`].
pub fn definition<'a>(
    step_seconds: u64,
    arguments: impl IntoIterator<Item = &'a str>,
) -> Result<Definition, SpecError> {
    definition_in(Units::of_seconds(step_seconds), arguments)
}

/// The same in units that need not be seconds.
///
/// # Errors
/// [`SpecError`].
pub fn definition_in<'a>(
    Units { tick, step_ticks }: Units,
    arguments: impl IntoIterator<Item = &'a str>,
) -> Result<Definition, SpecError> {
    let (sources, archives) = (Vec::new(), Vec::new());
    let definition = Definition { tick, step_seconds: step_ticks, sources, archives };
    let mut builder = Builder::of(definition);
    for argument in arguments {
        builder.append(argument)?;
    }
    let definition = builder.definition;
    check_complete(&definition)?;
    Ok(definition)
}

/// Where a new source takes its past from, told as `DS:name=mapped[index]:...`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The source of that name; `None` for its own.
    pub name: Option<String>,
    /// In which of the databases that it may come from, counted from 1; `None` for any.
    pub nth: Option<u64>,
}

/// A definition that grows by DS and RRA arguments.
#[derive(Debug)]
pub struct Builder {
    /// What it has so far.
    pub definition: Definition,
    /// Where each source stands, by its name: a definition may have very many.
    positions: HashMap<String, usize>,
}

impl Builder {
    /// Goes on from a definition.
    #[must_use]
    pub fn of(definition: Definition) -> Self {
        let names = definition.sources.iter().map(|source| source.name.clone());
        let positions = names.zip(0..).collect();
        Self { definition, positions }
    }

    /// Reads one DS or RRA argument and adds what it says. Of a source it tells where its past
    /// comes from.
    ///
    /// # Errors
    /// [`SpecError`]; what became of the definition is then of no use.
    pub fn append(&mut self, argument: &str) -> Result<Option<Origin>, SpecError> {
        if let Some(text) = argument.strip_prefix("DS:") {
            let (source, origin) = source(text, self.definition.tick, &self.positions)?;
            if self.positions.contains_key(&source.name) {
                return Err(SpecError::DuplicateName(source.name));
            }
            self.positions.insert(source.name.clone(), self.definition.sources.len());
            self.definition.sources.push(source);
            Ok(Some(origin))
        } else if let Some(text) = argument.strip_prefix("RRA:") {
            append_archives(&mut self.definition, text)?;
            Ok(None)
        } else {
            Err(SpecError::Argument(argument.into()))
        }
    }
}

/// Adds what an RRA argument says, given without its `RRA:`: an archive, and those that come with
/// it.
///
/// # Errors
/// [`SpecError`]; what became of the definition is then of no use.
pub fn append_archives(definition: &mut Definition, text: &str) -> Result<(), SpecError> {
    let units = Units { tick: definition.tick, step_ticks: definition.step_seconds };
    let archive = archive(text, units)?;
    Ok(forecast::push_with_dependents(archive, &mut definition.archives)?)
}

/// Checks that there is a source and an archive, and that archives which need others have them.
///
/// # Errors
/// [`SpecError::NoArchive`], [`SpecError::NoSource`], and those of references.
pub fn check_complete(definition: &Definition) -> Result<(), SpecError> {
    match (&definition.archives[..], &definition.sources[..]) {
        ([], _) => Err(SpecError::NoArchive),
        (_, []) => Err(SpecError::NoSource),
        (archives, _) => check_references(archives),
    }
}

/// Checks that archives which need others have them.
///
/// # Errors
/// [`ForecastError::Reference`].
pub fn check_references(archives: &[Archive]) -> Result<(), SpecError> {
    Ok(forecast::check_references(archives)?)
}

fn source(
    text: &str,
    tick: Tick,
    before: &HashMap<String, usize>,
) -> Result<(DataSource, Origin), SpecError> {
    let mut parts = text.splitn(3, ':');
    let (Some(name), Some(kind), Some(parameters)) = (parts.next(), parts.next(), parts.next())
    else {
        return Err(SpecError::SourceForm);
    };
    let (name, origin) = name_and_origin(name).ok_or(SpecError::SourceForm)?;
    if parameters.is_empty()
        || kind.is_empty()
        || !kind.bytes().all(|byte| byte.is_ascii_uppercase())
    {
        return Err(SpecError::SourceForm);
    }
    if kind == "COMPUTE" {
        return Ok((computed(name, parameters, before)?, origin));
    }
    let kind = kind.parse().map_err(|()| SpecError::SourceKind(kind.into()))?;
    let wrong = |reason: &'static str| SpecError::SourceParameters {
        text: parameters.into(),
        reason: reason.into(),
    };
    let (heartbeat, limits) =
        parameters.split_once(':').ok_or_else(|| wrong("missing separator"))?;
    let heartbeat_seconds = units::time(heartbeat, tick).map_err(wrong)?;
    // What follows the maximum is not looked at.
    let mut limits = limits.split(':').take_while(|limit| !limit.is_empty());
    let (Some(minimum), Some(maximum)) = (limits.next(), limits.next()) else {
        return Err(wrong("failed to extract min:max"));
    };
    let (minimum, maximum) = (limit("min", minimum)?, limit("max", maximum)?);
    if minimum >= maximum {
        return Err(wrong("min must be less than max in DS definition"));
    }
    Ok((DataSource { name: name.into(), kind, heartbeat_seconds, minimum, maximum }, origin))
}

/// Reads `name`, `name=mapped` or `name=mapped[index]`.
fn name_and_origin(text: &str) -> Option<(&str, Origin)> {
    let Some((name, origin)) = text.split_once('=') else {
        return is_name(text).then(|| (text, Origin::default()));
    };
    let (mapped, nth) = match origin.split_once('[') {
        None => (origin, None),
        Some((mapped, index)) => {
            let digits = index.strip_suffix(']').filter(|index| !index.is_empty())?;
            let is_index = digits.bytes().all(|byte| byte.is_ascii_digit());
            (mapped, Some(is_index.then(|| digits.parse().unwrap_or(u64::MAX))?))
        }
    };
    (is_name(name) && is_name(mapped)).then(|| (name, Origin { name: Some(mapped.into()), nth }))
}

/// Whether a data source can be called that.
#[must_use]
pub fn is_name(text: &str) -> bool {
    (1..=MAX_NAME_BYTES).contains(&text.len()) && text.bytes().all(is_name_byte)
}

/// Whether a name can have that letter.
#[must_use]
pub const fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

fn computed(
    name: &str,
    text: &str,
    before: &HashMap<String, usize>,
) -> Result<DataSource, ComputeError> {
    let expression = Expression::parse_by(text, &mut |name| before.get(name).copied())?;
    Ok(DataSource {
        name: name.into(),
        kind: SourceKind::Compute(expression),
        heartbeat_seconds: 0,
        minimum: UNKNOWN,
        maximum: UNKNOWN,
    })
}

fn limit(which: &'static str, text: &str) -> Result<f64, SpecError> {
    if text == "U" {
        return Ok(UNKNOWN);
    }
    number_of(text).map_err(|reason| SpecError::Limit { which: which.into(), reason })
}

fn archive(text: &str, units: Units) -> Result<Archive, SpecError> {
    // Empty parts do not count, but an empty function keeps its place.
    let (_, after_cf) = text.split_once(':').unwrap_or((text, ""));
    let mut parts = vec![text.split(':').next().unwrap_or_default()];
    parts.extend(after_cf.split(':').filter(|part| !part.is_empty()));
    // rrdtool reads the function up to the first letter that is no capital.
    let cf_text = parts.first().copied().unwrap_or_default();
    let cf_text = cf_text.split(|letter: char| !letter.is_ascii_uppercase()).next().unwrap_or("");
    let unknown_cf = || SpecError::ConsolidationFunction(cf_text.into());
    let cf = cf_text.parse::<ConsolidationFunction>();
    if let Some(cf) = cf.ok().filter(|cf| cf.is_forecast()) {
        return forecast::archive(cf, &parts[1..], units);
    }
    if cf.is_ok_and(ConsolidationFunction::is_spread) {
        return spread::archive(&parts, units);
    }
    let &[_, xff, pdps, rows] = parts.get(..4).unwrap_or_default() else {
        let found = parts.iter().filter(|part| !part.is_empty()).count();
        return Err(SpecError::ArchiveForm { expected: 4, found });
    };
    let cf = cf.map_err(|()| unknown_cf())?;
    let xff = xff_of(xff)?;
    let pdp_per_row = archive_number("step", pdps, units, 1)?;
    let row_count = archive_number("row count", rows, units, pdp_per_row)?;
    let row_seconds = units.step_ticks.saturating_mul(pdp_per_row);
    if parts.len() > 4 {
        return Err(SpecError::ArchiveExtra(cf_text.into()));
    }
    check_span(row_seconds, row_count, rows)?;
    Ok(Archive::plain(cf, row_count, pdp_per_row, xff))
}

fn check_span(row_seconds: u64, rows: u64, text: &str) -> Result<(), SpecError> {
    let span_seconds = row_seconds.checked_mul(rows);
    match span_seconds.is_some_and(|seconds| seconds < 1 << 60) {
        true => Ok(()),
        false => Err(SpecError::Span(text.into())),
    }
}

fn xff_of(text: &str) -> Result<f64, SpecError> {
    match number::parse(text) {
        // rrdtool takes `nan` too.
        Parsed::Whole(xff) if xff.is_nan() || (0.0..1.0).contains(&xff) => Ok(xff),
        _ => Err(SpecError::Xff),
    }
}

/// Reads a count of rows, or a time, of so many PDPs each.
fn archive_number(
    which: &'static str,
    text: &str,
    Units { tick, step_ticks }: Units,
    pdps: u64,
) -> Result<u64, SpecError> {
    units::counted(text, tick, step_ticks.saturating_mul(pdps)).map_err(|reason| {
        SpecError::ArchiveNumber { which: which.into(), text: text.into(), reason: reason.into() }
    })
}

/// Reads a count, or a duration with a unit, which is then counted in `unit_seconds`.
///
/// # Errors
/// What is wrong with the text, in words that follow its name.
pub fn duration(text: &str, unit_seconds: u64) -> Result<u64, &'static str> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 {
        return Err("value must be (suffixed) positive number");
    }
    let (number, suffix) = text.split_at(digits);
    let number = number.parse().unwrap_or(u64::MAX);
    if number == 0 {
        return Err("value must be positive");
    }
    if suffix.is_empty() {
        return Ok(number);
    }
    let scale_seconds = match suffix.as_bytes().first() {
        Some(b's') => 1,
        Some(b'm') => 60,
        Some(b'h') => 3600,
        Some(b'd') => 86_400,
        Some(b'w') => 7 * 86_400,
        Some(b'M') => 31 * 86_400,
        Some(b'y') => 366 * 86_400,
        _ => return Err("value has trailing garbage"),
    };
    let seconds = number.checked_mul(scale_seconds).ok_or("value would overflow when scaled")?;
    if seconds % unit_seconds != 0 {
        return Err("value would truncate when scaled");
    }
    Ok(seconds / unit_seconds)
}

#[cfg(test)]
mod tests {
    use super::{definition, step_seconds};
    use crate::SourceKind;

    #[test]
    fn durations_count_rows() {
        let text = ["DS:a:COUNTER:10m:0:U", "RRA:AVERAGE:0.5:5m:1d", "RRA:MAX:0.5:1h:31d"];
        let definition = definition(300, text).unwrap();
        let counts = definition.archives.iter().map(|each| (each.pdp_per_row, each.rows));
        assert_eq!(counts.collect::<Vec<_>>(), [(1, 288), (12, 744)]);
        assert_eq!(definition.sources[0].heartbeat_seconds, 600);
        assert_eq!(step_seconds("1y"), Ok(31_622_400));
    }

    #[test]
    fn very_many_sources_are_told_apart() {
        let gauge = |nth: usize| format!("DS:s{nth}:GAUGE:600:U:U");
        let compute = |nth: usize| format!("DS:c{nth}:COMPUTE:s{nth},2,*");
        let mut words: Vec<String> =
            (0..20_000).map(gauge).chain((0..20_000).map(compute)).collect();
        words.push("RRA:AVERAGE:0.5:1:1".into());
        let made = definition(300, words.iter().map(String::as_str)).unwrap();
        assert_eq!(made.sources.len(), 40_000);
        let names: Vec<&str> = made.sources.iter().map(|source| source.name.as_str()).collect();
        let SourceKind::Compute(last) = &made.sources[39_999].kind else {
            panic!("it is computed")
        };
        assert_eq!(last.text(&names), "s19999,2,*");
        words.push("DS:c17:GAUGE:600:U:U".into());
        let words = definition(300, words.iter().map(String::as_str)).unwrap_err().to_string();
        assert_eq!(words, "Duplicate DS name: c17");
    }

    #[test]
    fn refuses_in_rrdtools_words() {
        let words = |text: &str| definition(300, [text]).unwrap_err().to_string();
        assert_eq!(words("DS:a.b:GAUGE:600:U:U"), "invalid DS format");
        assert_eq!(
            words("DS:a:GAUGE:600:5:1"),
            "failed to parse data source 600:5:1: min must be less than max in DS definition"
        );
        assert_eq!(
            words("RRA:AVERAGE:0.5:1:100s"),
            "Invalid row count 100s: value would truncate when scaled"
        );
        assert_eq!(words("RRA:AVERAGE:1:1:10"), "Invalid xff: must be between 0 and 1");
        assert_eq!(words("RRA:AVERAGE:0.5::10"), "Expected at least 4 arguments for RRA but got 3");
    }
}
