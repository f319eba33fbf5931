//! The encoding of a definition: step, sources, archives.

use rrd::{
    Archive, ConsolidationFunction, DataSource, Definition, EXPRESSION_BYTES, Expression,
    MAX_FAILURE_WINDOW, MAX_NAME_BYTES, Parameters, Percent, SourceKind, Tick,
};

use varint::{Cursor, RecordError, put_text, put_varint};

// The numbers belong to the format, so the order of the enums may change.
const SOURCE_KINDS: [SourceKind; 6] = [
    SourceKind::Gauge,
    SourceKind::Counter,
    SourceKind::Derive,
    SourceKind::Dcounter,
    SourceKind::Dderive,
    SourceKind::Absolute,
];
/// The number of a COMPUTE source; its expression follows.
const COMPUTE: u8 = 6;
/// The functions without a number of their own.
const FUNCTIONS: [ConsolidationFunction; 11] = [
    ConsolidationFunction::Average,
    ConsolidationFunction::Min,
    ConsolidationFunction::Max,
    ConsolidationFunction::Last,
    ConsolidationFunction::HwPredict,
    ConsolidationFunction::MhwPredict,
    ConsolidationFunction::Seasonal,
    ConsolidationFunction::DevSeasonal,
    ConsolidationFunction::DevPredict,
    ConsolidationFunction::Failures,
    ConsolidationFunction::Stdev,
];
/// The number of a percentile; which one follows it, in millionths of a percent.
const PERCENTILE: u8 = 11;

/// Appends a definition.
pub fn encode(definition: &Definition, out: &mut Vec<u8>) {
    if !definition.tick.is_second() {
        // No step is 0: a tick follows.
        put_varint(0, out);
        put_varint(definition.tick.per_second().into(), out);
    }
    put_varint(definition.step_seconds, out);
    put_varint(definition.sources.len() as u64, out);
    for source in &definition.sources {
        put_text(&source.name, out);
        match source.kind {
            SourceKind::Compute(expression) => {
                out.push(COMPUTE);
                out.extend_from_slice(&expression.to_bytes());
            }
            kind => out.push(code(&SOURCE_KINDS, kind)),
        }
        put_varint(source.heartbeat_seconds, out);
        out.extend_from_slice(&source.minimum.to_le_bytes());
        out.extend_from_slice(&source.maximum.to_le_bytes());
    }
    put_varint(definition.archives.len() as u64, out);
    for archive in &definition.archives {
        encode_function(archive.cf, out);
        put_varint(archive.rows, out);
        put_varint(archive.pdp_per_row, out);
        out.extend_from_slice(&archive.xff.to_le_bytes());
        encode_parameters(&archive.parameters, out);
    }
}

fn encode_function(cf: ConsolidationFunction, out: &mut Vec<u8>) {
    match cf {
        ConsolidationFunction::Percentile(percent) => {
            out.push(PERCENTILE);
            // An archive says which one it is of. Only a query may leave it open.
            put_varint(percent.map_or(0, |percent| percent.millionths().into()), out);
        }
        cf => out.push(code(&FUNCTIONS, cf)),
    }
}

/// Appends the parameters of a forecasting archive; the function before them tells which there are.
fn encode_parameters(parameters: &Parameters, out: &mut Vec<u8>) {
    match *parameters {
        Parameters::None => {}
        Parameters::Predict { alpha, beta, seasonal, period } => {
            put_doubles(&[alpha, beta, period], out);
            put_varint(seasonal, out);
        }
        Parameters::Seasonal { gamma, smoothing_window, window_given, predict, smooth_slot } => {
            put_doubles(&[gamma, smoothing_window], out);
            out.push(u8::from(window_given));
            put_varint(predict, out);
            put_varint(smooth_slot, out);
        }
        Parameters::DevPredict { deviations } => put_varint(deviations, out),
        Parameters::Failures { delta_above, delta_below, deviations, window, threshold } => {
            put_doubles(&[delta_above, delta_below], out);
            [deviations, window, threshold].into_iter().for_each(|count| put_varint(count, out));
        }
    }
}

fn put_doubles(values: &[f64], out: &mut Vec<u8>) {
    values.iter().for_each(|value| out.extend_from_slice(&value.to_le_bytes()));
}

#[expect(clippy::expect_used, reason = "each kind is in its table")]
fn code<T: PartialEq>(all: &[T], one: T) -> u8 {
    all.iter().position(|each| *each == one).expect("every one has a number") as u8
}

/// Decodes a definition.
///
/// # Errors
///
/// [`RecordError`] for everything that [`encode`] would not write.
pub fn decode(cursor: &mut Cursor<'_>) -> Result<Definition, RecordError> {
    let tick = tick(cursor)?;
    let step_seconds = above_zero(cursor, "a step above zero")?;
    let sources = repeated(cursor, "the number of sources", source)?;
    let archives = repeated(cursor, "the number of archives", archive)?;
    Ok(Definition { tick, step_seconds, sources, archives })
}

/// Reads a tick, where there is one before the step.
fn tick(cursor: &mut Cursor<'_>) -> Result<Tick, RecordError> {
    if cursor.rest().first() != Some(&0) {
        return Ok(Tick::SECOND);
    }
    cursor.varint("a tick")?;
    let start = *cursor;
    let per_second = u32::try_from(cursor.varint("ticks of a second")?).ok();
    let tick = per_second.and_then(|it| Tick::of_per_second(it).ok());
    tick.filter(|tick| !tick.is_second()).ok_or_else(|| start.error("ten ticks a second, or more"))
}

/// Reads a count, then that many items. Each item takes at least a byte, so a count cannot demand
/// more memory than the record is long.
fn repeated<T>(
    cursor: &mut Cursor<'_>,
    expected: &'static str,
    item: impl Fn(&mut Cursor<'_>) -> Result<T, RecordError>,
) -> Result<Vec<T>, RecordError> {
    let count = cursor.varint(expected)?;
    (0..count).map(|_| item(cursor)).collect()
}

fn source(cursor: &mut Cursor<'_>) -> Result<DataSource, RecordError> {
    let expected = "the name of a source";
    let valid = |name: &&str| (1..=MAX_NAME_BYTES).contains(&name.len());
    let name = cursor.checked(expected, |cursor| cursor.counted_text(expected), valid)?;
    Ok(DataSource {
        name: name.into(),
        kind: kind(cursor)?,
        heartbeat_seconds: cursor.varint("a heartbeat")?,
        minimum: cursor.double("a minimum")?,
        maximum: cursor.double("a maximum")?,
    })
}

fn kind(cursor: &mut Cursor<'_>) -> Result<SourceKind, RecordError> {
    let expected = "the kind of a source";
    if cursor.rest().first() != Some(&COMPUTE) {
        return by_code(cursor, expected, &SOURCE_KINDS);
    }
    cursor.byte(expected)?;
    let start = *cursor;
    let bytes = cursor.take(EXPRESSION_BYTES, "an expression")?;
    let expression = bytes.first_chunk().and_then(Expression::from_bytes);
    expression.map(SourceKind::Compute).ok_or_else(|| start.error("an expression with an end"))
}

fn archive(cursor: &mut Cursor<'_>) -> Result<Archive, RecordError> {
    let cf = function(cursor)?;
    let expected = "PDPs a row as many as the function can do with";
    Ok(Archive {
        cf,
        rows: above_zero(cursor, "rows above zero")?,
        pdp_per_row: cursor.checked(expected, |it| it.varint(expected), |it| cf.takes(*it))?,
        xff: cursor.double("an xfiles factor")?,
        parameters: parameters(cursor, cf)?,
    })
}

fn function(cursor: &mut Cursor<'_>) -> Result<ConsolidationFunction, RecordError> {
    if cursor.rest().first() != Some(&PERCENTILE) {
        return by_code(cursor, "a consolidation function", &FUNCTIONS);
    }
    cursor.byte("a percentile")?;
    let start = *cursor;
    let millionths = cursor.varint("millionths of a percent")?;
    let percent = u32::try_from(millionths).ok().and_then(|it| Percent::of_millionths(it).ok());
    let percent = percent.ok_or_else(|| start.error("at most 100 percent"))?;
    Ok(ConsolidationFunction::Percentile(Some(percent)))
}

fn parameters(
    cursor: &mut Cursor<'_>,
    cf: ConsolidationFunction,
) -> Result<Parameters, RecordError> {
    use ConsolidationFunction as Cf;
    Ok(match cf {
        Cf::Average | Cf::Min | Cf::Max | Cf::Last | Cf::Stdev | Cf::Percentile(_) => {
            Parameters::None
        }
        Cf::HwPredict | Cf::MhwPredict => Parameters::Predict {
            alpha: cursor.double("alpha")?,
            beta: cursor.double("beta")?,
            period: cursor.double("the rows of a season")?,
            seasonal: cursor.varint("the archive of the seasonal coefficients")?,
        },
        Cf::Seasonal | Cf::DevSeasonal => Parameters::Seasonal {
            gamma: cursor.double("gamma")?,
            smoothing_window: cursor.double("a smoothing window")?,
            window_given: cursor.checked("0 or 1", |cursor| cursor.byte("0 or 1"), |is| *is < 2)?
                == 1,
            predict: cursor.varint("the archive of the forecast")?,
            smooth_slot: cursor.varint("the slot of the smoothing")?,
        },
        Cf::DevPredict => {
            Parameters::DevPredict { deviations: cursor.varint("the archive of the deviations")? }
        }
        Cf::Failures => Parameters::Failures {
            delta_above: cursor.double("a delta")?,
            delta_below: cursor.double("a delta")?,
            deviations: cursor.varint("the archive of the deviations")?,
            window: cursor.checked(
                "a window of at most 28 rows",
                |cursor| cursor.varint("a window"),
                |window| *window <= MAX_FAILURE_WINDOW,
            )?,
            threshold: cursor.varint("a threshold")?,
        },
    })
}

fn above_zero(cursor: &mut Cursor<'_>, expected: &'static str) -> Result<u64, RecordError> {
    cursor.checked(expected, |cursor| cursor.varint(expected), |number| *number > 0)
}

fn by_code<T: Copy>(
    cursor: &mut Cursor<'_>,
    expected: &'static str,
    all: &[T],
) -> Result<T, RecordError> {
    let start = *cursor;
    let code = cursor.byte(expected)?;
    all.get(usize::from(code)).copied().ok_or_else(|| start.error(expected))
}
