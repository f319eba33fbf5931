//! Parses XML into a snapshot.

use rrd::live::{CellState, LAST_READING_BYTES, LastReading, SourceState};
use rrd::{
    Archive, ConsolidationFunction, DataSource, Definition, Expression, ForecastState,
    ForecastWords, LiveState, MAX_NAME_BYTES, Parameters, Snapshot, SourceKind, Timestamp, UNKNOWN,
};

use super::elements::{Elements, Step, XmlError};
use forecast::Told;

mod forecast;

/// Parses the XML of a whole database.
///
/// # Errors
///
/// [`XmlError`]: the line, what was expected, and what was found.
pub fn parse(document: &str) -> Result<Snapshot, XmlError> {
    let mut elements = Elements::new(document);
    match elements.step()? {
        Step::Open(tag) if tag == "rrd" => {}
        other => return Err(elements.error("<rrd>", other.words())),
    }
    let mut parts = Parts::default();
    while let Some(tag) = elements.child_of("rrd")? {
        parts.take(&mut elements, &tag)?;
    }
    parts.assemble(&elements)
}

/// The parts of a document read so far.
#[derive(Default)]
struct Parts {
    step_seconds: Option<u64>,
    last_seconds: Option<u64>,
    sources: Vec<DataSource>,
    source_states: Vec<SourceState>,
    archives: Vec<Archive>,
    cells: Vec<Vec<CellState>>,
    words: Vec<Vec<ForecastWords>>,
    rows: Vec<Vec<f64>>,
    /// Whether smoothing windows are used.
    windows_count: bool,
}

impl Parts {
    fn take(&mut self, elements: &mut Elements<'_>, tag: &str) -> Result<(), XmlError> {
        match tag {
            "version" => {
                // The definition determines the version of a file, except for the meaning of
                // windows.
                self.windows_count = elements.text_of(tag)?.parse().is_ok_and(|it: u32| it >= 4);
            }
            "step" => self.step_seconds = Some(elements.count_of(tag)?),
            "lastupdate" => self.last_seconds = Some(elements.count_of(tag)?),
            // Rows that were read before would lack its values.
            "ds" if !self.archives.is_empty() => {
                return Err(elements.error("every <ds> before the first <rra>", "<ds> after it"));
            }
            "ds" => {
                let (source, state) = source(elements, &self.sources)?;
                self.sources.push(source);
                self.source_states.push(state);
            }
            "rra" => {
                let parts = archive(elements, self.sources.len())?;
                self.archives.push(parts.archive);
                self.cells.push(parts.cells);
                self.words.push(parts.words);
                self.rows.push(parts.rows);
            }
            _ => return Err(unknown(elements, tag, "rrd")),
        }
        Ok(())
    }

    fn assemble(mut self, elements: &Elements<'_>) -> Result<Snapshot, XmlError> {
        let missing = |tag: &str| elements.error(format!("<{tag}> in <rrd>"), "none");
        let step_seconds = self.step_seconds.ok_or_else(|| missing("step"))?;
        let last_seconds = self.last_seconds.ok_or_else(|| missing("lastupdate"))?;
        if self.sources.is_empty() {
            return Err(missing("ds"));
        }
        if self.archives.is_empty() {
            return Err(missing("rra"));
        }
        let fits = |archive: &Archive| {
            let row_seconds = step_seconds.checked_mul(archive.pdp_per_row)?;
            row_seconds.checked_mul(archive.rows).filter(|span| (1..1 << 60).contains(span))
        };
        if !self.archives.iter().all(|archive| fits(archive).is_some()) {
            let found = format!("{step_seconds} in <step>");
            return Err(elements.error("archives of 1 to 2^60 seconds", found));
        }
        let last_update = i64::try_from(last_seconds)
            .map_err(|_| elements.error("a time in <lastupdate>", last_seconds.to_string()))?;
        for archive in &mut self.archives {
            if let Parameters::Seasonal { window_given, .. } = &mut archive.parameters {
                *window_given = self.windows_count;
            }
        }
        let definition = Definition {
            tick: rrd::Tick::SECOND,
            step_seconds,
            sources: self.sources,
            archives: self.archives,
        };
        let words = if definition.has_forecasts() { self.words.concat() } else { Vec::new() };
        Ok(Snapshot {
            definition,
            live: LiveState {
                last_update: Timestamp::from_seconds(last_update),
                sources: self.source_states,
                cells: self.cells.concat(),
                forecast: ForecastState { words, rings: Vec::new() },
                rows_so_far: Vec::new(),
            },
            rows: self.rows,
        })
    }
}

fn unknown(elements: &Elements<'_>, tag: &str, parent: &str) -> XmlError {
    elements.error(format!("an element of <{parent}> that is known"), format!("<{tag}>"))
}

fn source(
    elements: &mut Elements<'_>,
    before: &[DataSource],
) -> Result<(DataSource, SourceState), XmlError> {
    let mut told = ToldSource::default();
    while let Some(tag) = elements.child_of("ds")? {
        told.take(elements, &tag, before)?;
    }
    told.source(elements)
}

/// What a document says of a data source.
struct ToldSource {
    name: Option<String>,
    kind: Option<SourceKind>,
    expression: Option<SourceKind>,
    heartbeat_seconds: u64,
    minimum: f64,
    maximum: f64,
    state: SourceState,
}

impl Default for ToldSource {
    fn default() -> Self {
        // As in rrdtool, what a document leaves out is zero.
        let no_reading = LastReading::from_bytes([0; LAST_READING_BYTES]);
        Self {
            name: None,
            kind: None,
            expression: None,
            heartbeat_seconds: 0,
            minimum: UNKNOWN,
            maximum: UNKNOWN,
            state: SourceState { last_reading: no_reading, unknown_seconds: 0, value: 0.0 },
        }
    }
}

impl ToldSource {
    /// Takes one of its elements.
    fn take(
        &mut self,
        elements: &mut Elements<'_>,
        tag: &str,
        before: &[DataSource],
    ) -> Result<(), XmlError> {
        match tag {
            "name" => {
                let text = short_text(elements, tag, MAX_NAME_BYTES)?;
                if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
                    return Err(elements.error("a name of letters without blanks", text));
                }
                self.name = Some(text);
            }
            "type" => self.kind = told_kind(elements, tag)?,
            "cdef" => self.expression = Some(computed_kind(elements, tag, before)?),
            "minimal_heartbeat" => self.heartbeat_seconds = elements.count_of(tag)?,
            "min" => self.minimum = elements.value_of(tag)?,
            "max" => self.maximum = elements.value_of(tag)?,
            "last_ds" => {
                let text = short_text(elements, tag, LAST_READING_BYTES - 1)?;
                self.state.last_reading = LastReading::new(&text);
            }
            "value" => self.state.value = elements.value_of(tag)?,
            "unknown_sec" => self.state.unknown_seconds = elements.count_of(tag)?,
            _ => return Err(unknown(elements, tag, "ds")),
        }
        Ok(())
    }

    /// The source with its part of the live state.
    fn source(self, elements: &Elements<'_>) -> Result<(DataSource, SourceState), XmlError> {
        let Self { heartbeat_seconds, minimum, maximum, state, .. } = self;
        let name = self.name.ok_or_else(|| elements.error("<name> in <ds>", "none"))?;
        let kind = self.kind.or(self.expression);
        let kind =
            kind.ok_or_else(|| elements.error("<type> in <ds>, and <cdef> of COMPUTE", "none"))?;
        let mut source = DataSource { name, kind, heartbeat_seconds, minimum, maximum };
        if !source.kind.takes_readings() {
            source.heartbeat_seconds = 0;
            (source.minimum, source.maximum) = (UNKNOWN, UNKNOWN);
        }
        Ok((source, state))
    }
}

/// The kind that a `<type>` names; none for COMPUTE, which `<cdef>` tells.
fn told_kind(elements: &mut Elements<'_>, tag: &str) -> Result<Option<SourceKind>, XmlError> {
    let text = elements.text_of(tag)?;
    match text.as_str() {
        "COMPUTE" => Ok(None),
        text => Ok(Some(text.parse().map_err(|()| elements.error("a data source type", text))?)),
    }
}

/// The kind of a source that is computed from the sources before it.
fn computed_kind(
    elements: &mut Elements<'_>,
    tag: &str,
    before: &[DataSource],
) -> Result<SourceKind, XmlError> {
    let text = elements.text_of(tag)?;
    let names: Vec<&str> = before.iter().map(|it| it.name.as_str()).collect();
    let parsed = Expression::parse(&text, &names);
    let parsed =
        parsed.map_err(|_| elements.error("an expression over the sources before", text))?;
    Ok(SourceKind::Compute(parsed))
}

fn short_text(
    elements: &mut Elements<'_>,
    tag: &str,
    bytes_max: usize,
) -> Result<String, XmlError> {
    let text = elements.text_of(tag)?;
    if text.len() <= bytes_max {
        Ok(text)
    } else {
        Err(elements.error(format!("at most {bytes_max} bytes in <{tag}>"), text))
    }
}

/// An archive with its part of the live state and its rows.
struct ArchiveParts {
    archive: Archive,
    cells: Vec<CellState>,
    words: Vec<ForecastWords>,
    rows: Vec<f64>,
}

/// Missing cells are zero, as in rrdtool.
const NO_CELL: CellState = CellState { value: 0.0, unknown_pdps: 0, primary: 0.0, secondary: 0.0 };

fn archive(elements: &mut Elements<'_>, sources: usize) -> Result<ArchiveParts, XmlError> {
    let (mut cf, mut pdp_per_row, mut told) = (None, None, Told::default());
    let (mut cells, mut rows) = (Vec::new(), Vec::new());
    while let Some(tag) = elements.child_of("rra")? {
        match tag.as_str() {
            "cf" => {
                let text = elements.text_of(&tag)?;
                let mut all = ConsolidationFunction::OF_FILES.into_iter();
                let known = all.find(|each| each.name() == text);
                cf = Some(known.ok_or_else(|| elements.error("a consolidation function", text))?);
            }
            "pdp_per_row" => pdp_per_row = Some(elements.count_of(&tag)?),
            "xff" => told.xff = Some(elements.value_of(&tag)?),
            "params" => {
                while let Some(parameter) = elements.child_of(&tag)? {
                    told.take(elements, &parameter)?;
                }
            }
            "cdp_prep" => cells = cells_of(elements)?,
            "database" => rows = rows_of(elements, sources)?,
            _ => return Err(unknown(elements, &tag, "rra")),
        }
    }
    let cf = cf.ok_or_else(|| elements.error("<cf> in <rra>", "none"))?;
    let xff = match told.xff {
        None if cf.is_forecast() => 0.0,
        xff => xff.ok_or_else(|| elements.error("<xff> in <rra>", "none"))?,
    };
    let pdp_per_row = pdp_per_row.filter(|count| *count > 0);
    let pdp_per_row =
        pdp_per_row.ok_or_else(|| elements.error("<pdp_per_row> of at least 1", "none"))?;
    let row_count = rows.len().checked_div(sources).unwrap_or(0) as u64;
    if row_count == 0 {
        return Err(elements.error("at least one <ds> before <rra> and a <row> in it", "none"));
    }
    cells.resize(sources, (NO_CELL, ForecastWords::default()));
    let (cells, words) = cells.into_iter().unzip();
    let parameters = told.parameters(cf, elements)?;
    let archive = Archive { cf, rows: row_count, pdp_per_row, xff, parameters };
    Ok(ArchiveParts { archive, cells, words, rows })
}

fn cells_of(elements: &mut Elements<'_>) -> Result<Vec<(CellState, ForecastWords)>, XmlError> {
    let mut cells = Vec::new();
    while let Some(tag) = elements.child_of("cdp_prep")? {
        if tag != "ds" {
            return Err(unknown(elements, &tag, "cdp_prep"));
        }
        let (mut cell, mut words) = (NO_CELL, ForecastWords::default());
        while let Some(tag) = elements.child_of("ds")? {
            match tag.as_str() {
                "primary_value" => cell.primary = elements.value_of(&tag)?,
                "secondary_value" => cell.secondary = elements.value_of(&tag)?,
                "value" => cell.value = elements.value_of(&tag)?,
                "unknown_datapoints" => cell.unknown_pdps = elements.count_of(&tag)?,
                _ if forecast::take_word(elements, &tag, &mut cell, &mut words)? => {}
                _ => return Err(unknown(elements, &tag, "ds")),
            }
        }
        cells.push((cell, words));
    }
    Ok(cells)
}

fn rows_of(elements: &mut Elements<'_>, sources: usize) -> Result<Vec<f64>, XmlError> {
    let mut rows = Vec::new();
    elements.take_plain(|text| super::rows::take(text, sources, &mut rows));
    while let Some(tag) = elements.child_of("database")? {
        if tag != "row" {
            return Err(unknown(elements, &tag, "database"));
        }
        let before = rows.len();
        while let Some(tag) = elements.child_of("row")? {
            if tag != "v" {
                return Err(unknown(elements, &tag, "row"));
            }
            rows.push(elements.value_of(&tag)?);
        }
        if rows.len() - before != sources {
            let found = format!("{}", rows.len() - before);
            return Err(elements.error(format!("{sources} <v> in <row>, one a source"), found));
        }
    }
    Ok(rows)
}
