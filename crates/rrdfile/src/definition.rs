//! The part of a header that updates do not change: sources and archives.

use rrd::{
    Archive, ConsolidationFunction, DataSource, Definition, EXPRESSION_BYTES, Expression,
    MAX_FAILURE_WINDOW, Parameters, SourceKind, UNKNOWN,
};

use crate::FormatError;
use crate::bytes::{
    array, check, read_count, read_text, read_value, write, write_count, write_value,
};
use crate::layout::{self, Layout};

/// The longest span of time in a file, in seconds: a longer one could overflow sums.
const SPAN_SECONDS_MAX: u64 = 1 << 60;

/// Decodes the definition from the whole header of a file of some version.
pub(crate) fn decode(bytes: &[u8], version: u32) -> Result<Definition, FormatError> {
    let sources = read_count(bytes, layout::SOURCE_COUNT_OFFSET) as usize;
    let archives = read_count(bytes, layout::ARCHIVE_COUNT_OFFSET) as usize;
    check(sources > 0, layout::SOURCE_COUNT_OFFSET, "at least one data source", 0)?;
    check(archives > 0, layout::ARCHIVE_COUNT_OFFSET, "at least one archive", 0)?;
    let step_seconds = read_count(bytes, layout::STEP_OFFSET);
    let step_fits = (1..SPAN_SECONDS_MAX).contains(&step_seconds);
    check(step_fits, layout::STEP_OFFSET, "a step of at least one second", step_seconds)?;
    let archives_offset = Layout::source_offset(sources);
    // The header has room for all of them, so that their numbers are what memory allows.
    let mut definition = Definition {
        tick: rrd::Tick::SECOND,
        step_seconds,
        sources: Vec::with_capacity(sources),
        archives: Vec::with_capacity(archives),
    };
    for source in 0..sources {
        definition.sources.push(decode_source(bytes, Layout::source_offset(source))?);
    }
    for archive in 0..archives {
        let offset = archives_offset + archive * layout::ARCHIVE_BYTES;
        definition.archives.push(decode_archive(bytes, offset, step_seconds, version)?);
    }
    Ok(definition)
}

fn decode_source(bytes: &[u8], offset: usize) -> Result<DataSource, FormatError> {
    let kind_offset = offset + layout::SOURCE_KIND_OFFSET;
    let kind = read_text(bytes, kind_offset, layout::NAME_FIELD_BYTES);
    let parameters = offset + layout::SOURCE_PARAMETERS_OFFSET;
    let name = read_text(bytes, offset, layout::NAME_FIELD_BYTES).into_owned();
    if name.len() >= layout::NAME_FIELD_BYTES || name.contains(char::REPLACEMENT_CHARACTER) {
        return Err(FormatError::SourceName { offset_bytes: offset as u64, found: name });
    }
    if kind == COMPUTE {
        let expression = decode_expression(bytes, offset)?;
        let kind = SourceKind::Compute(expression);
        let (minimum, maximum) = (UNKNOWN, UNKNOWN);
        return Ok(DataSource { name, kind, heartbeat_seconds: 0, minimum, maximum });
    }
    let kind = kind.parse().map_err(|()| FormatError::SourceKind {
        offset_bytes: kind_offset as u64,
        found: kind.into_owned(),
    })?;
    Ok(DataSource {
        name,
        kind,
        heartbeat_seconds: read_count(bytes, parameters),
        minimum: read_value(bytes, parameters + 8),
        maximum: read_value(bytes, parameters + 16),
    })
}

const COMPUTE: &str = "COMPUTE";

/// The expression of the source at `offset`. It may read only sources before it.
fn decode_expression(bytes: &[u8], offset: usize) -> Result<Expression, FormatError> {
    let start = offset + layout::SOURCE_PARAMETERS_OFFSET;
    let own = (offset - layout::STAT_HEAD_BYTES) / layout::SOURCE_BYTES;
    let packed = array::<EXPRESSION_BYTES>(bytes, start);
    let expression = Expression::from_bytes(&packed).filter(|expression| {
        expression.sources().all(|source| usize::try_from(source).is_ok_and(|it| it < own))
    });
    expression.ok_or(FormatError::Expression { offset_bytes: start as u64 })
}

/// Writes the sources and archives of a definition into a header.
pub(crate) fn encode(definition: &Definition, layout: &Layout, bytes: &mut [u8]) {
    for (index, source) in definition.sources.iter().enumerate() {
        encode_source(source, bytes, Layout::source_offset(index));
    }
    for (index, archive) in definition.archives.iter().enumerate() {
        encode_archive(archive, bytes, layout.archive_offset(index));
    }
}

fn encode_source(source: &DataSource, bytes: &mut [u8], offset: usize) {
    assert!(source.name.len() < layout::NAME_FIELD_BYTES);
    let parameters = offset + layout::SOURCE_PARAMETERS_OFFSET;
    write_text(bytes, offset, &source.name);
    write_text(bytes, offset + layout::SOURCE_KIND_OFFSET, source.kind.name());
    if let SourceKind::Compute(expression) = source.kind {
        write(bytes, parameters, &expression.to_bytes());
        return;
    }
    write_count(bytes, parameters, source.heartbeat_seconds);
    write_value(bytes, parameters + 8, source.minimum);
    write_value(bytes, parameters + 16, source.maximum);
}

/// Writes the text of a field and fills the rest with zeros, unless the field has that text
/// already.
#[expect(clippy::indexing_slicing, reason = "the header that the field lies in was checked")]
fn write_text(bytes: &mut [u8], offset: usize, text: &str) {
    if read_text(bytes, offset, layout::NAME_FIELD_BYTES) != text {
        bytes[offset..offset + layout::NAME_FIELD_BYTES].fill(0);
        write(bytes, offset, text.as_bytes());
    }
}

fn decode_archive(
    bytes: &[u8],
    offset: usize,
    step_seconds: u64,
    version: u32,
) -> Result<Archive, FormatError> {
    let cf = read_text(bytes, offset, layout::NAME_FIELD_BYTES);
    let rows_offset = offset + layout::ARCHIVE_ROWS_OFFSET;
    let pdps_offset = offset + layout::ARCHIVE_PDPS_OFFSET;
    let (rows, pdp_per_row) = (read_count(bytes, rows_offset), read_count(bytes, pdps_offset));
    check(rows > 0, rows_offset, "at least one row", rows)?;
    check(pdp_per_row > 0, pdps_offset, "at least one PDP a row", pdp_per_row)?;
    let span_seconds = step_seconds.checked_mul(pdp_per_row).and_then(|row| row.checked_mul(rows));
    let span_fits = span_seconds.is_some_and(|span| span < SPAN_SECONDS_MAX);
    check(span_fits, pdps_offset, "an archive of less than 2^60 seconds", pdp_per_row)?;
    let known = ConsolidationFunction::OF_FILES.into_iter().find(|each| each.name() == cf);
    let cf = known.ok_or_else(|| FormatError::ConsolidationFunction {
        offset_bytes: offset as u64,
        found: cf.into_owned(),
    })?;
    Ok(Archive {
        cf,
        rows,
        pdp_per_row,
        xff: read_value(bytes, offset + layout::ARCHIVE_PARAMETERS_OFFSET),
        parameters: decode_parameters(bytes, offset, cf, version)?,
    })
}

/// The offset of a parameter of the archive at `offset`.
const fn parameter(offset: usize, number: usize) -> usize {
    offset + layout::ARCHIVE_PARAMETERS_OFFSET + 8 * number
}

fn decode_parameters(
    bytes: &[u8],
    offset: usize,
    cf: ConsolidationFunction,
    version: u32,
) -> Result<Parameters, FormatError> {
    let value = |number| read_value(bytes, parameter(offset, number));
    let count = |number| read_count(bytes, parameter(offset, number));
    use ConsolidationFunction as Cf;
    Ok(match cf {
        Cf::Average | Cf::Min | Cf::Max | Cf::Last | Cf::Stdev | Cf::Percentile(_) => {
            Parameters::None
        }
        Cf::HwPredict | Cf::MhwPredict => Parameters::Predict {
            alpha: value(1),
            beta: value(2),
            seasonal: count(3),
            period: value(4),
        },
        Cf::Seasonal | Cf::DevSeasonal => Parameters::Seasonal {
            gamma: value(1),
            smoothing_window: value(2),
            window_given: version >= 4,
            predict: count(3),
            smooth_slot: count(4),
        },
        Cf::DevPredict => Parameters::DevPredict { deviations: count(3) },
        Cf::Failures => {
            let (window, expected) = (count(4), "a window of at most 28 values");
            check(window <= MAX_FAILURE_WINDOW, parameter(offset, 4), expected, window)?;
            Parameters::Failures {
                delta_above: value(1),
                delta_below: value(2),
                deviations: count(3),
                window,
                threshold: count(5),
            }
        }
    })
}

fn encode_parameters(parameters: &Parameters, bytes: &mut [u8], offset: usize) {
    let mut value = |number, value| write_value(bytes, parameter(offset, number), value);
    match *parameters {
        Parameters::None => {}
        Parameters::Predict { alpha, beta, seasonal, period } => {
            value(1, alpha);
            value(2, beta);
            value(4, period);
            write_count(bytes, parameter(offset, 3), seasonal);
        }
        Parameters::Seasonal { gamma, smoothing_window, predict, smooth_slot, .. } => {
            value(1, gamma);
            value(2, smoothing_window);
            write_count(bytes, parameter(offset, 3), predict);
            write_count(bytes, parameter(offset, 4), smooth_slot);
        }
        Parameters::DevPredict { deviations } => {
            write_count(bytes, parameter(offset, 3), deviations);
        }
        Parameters::Failures { delta_above, delta_below, deviations, window, threshold } => {
            value(1, delta_above);
            value(2, delta_below);
            write_count(bytes, parameter(offset, 3), deviations);
            write_count(bytes, parameter(offset, 4), window);
            write_count(bytes, parameter(offset, 5), threshold);
        }
    }
}

fn encode_archive(archive: &Archive, bytes: &mut [u8], offset: usize) {
    write_text(bytes, offset, archive.cf.name());
    write_count(bytes, offset + layout::ARCHIVE_ROWS_OFFSET, archive.rows);
    write_count(bytes, offset + layout::ARCHIVE_PDPS_OFFSET, archive.pdp_per_row);
    write_value(bytes, offset + layout::ARCHIVE_PARAMETERS_OFFSET, archive.xff);
    encode_parameters(&archive.parameters, bytes, offset);
}
