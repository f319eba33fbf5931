//! What one option changes.

use rrd::live::LastReading;
use rrd::number::integer;
use rrd::{DataSource, Definition, SourceKind, UNKNOWN};

use super::{forecast, scan};
use crate::changing::Edited;
use crate::session::Failure;

/// One option and its value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edit<'a> {
    /// Its long name.
    pub(super) option: &'a str,
    /// What is said of it.
    pub(super) value: &'a str,
}

/// Does one edit after the other, up to the first that is wrong.
///
/// # Errors
/// What is wrong with that.
pub(super) fn apply(
    database: &mut Edited,
    edits: &[Result<Edit<'_>, String>],
) -> Result<(), Failure> {
    edits.iter().try_for_each(|edit| match edit {
        Ok(edit) => edit.apply(database),
        Err(words) => Err(words.clone()),
    })
}

impl Edit<'_> {
    fn apply(&self, database: &mut Edited) -> Result<(), Failure> {
        let value = self.value;
        match self.option {
            "heartbeat" => set_heartbeat(database, value),
            "minimum" => set_limit(database, value, "minimum", |source| &mut source.minimum),
            "maximum" => set_limit(database, value, "maximum", |source| &mut source.maximum),
            "data-source-type" => set_kind(database, value),
            "data-source-rename" => rename(database, value),
            option => forecast::apply(database, option, value),
        }
    }
}

/// The position of a source.
pub(super) fn find(definition: &Definition, name: &str) -> Result<usize, Failure> {
    let found = definition.sources.iter().position(|source| source.name == name);
    found.ok_or_else(|| format!("unknown data source name '{name}'"))
}

/// The source that an option is for; one that is calculated has no heartbeat and no limits.
fn with_readings<'a>(database: &'a mut Edited, name: &str) -> Result<&'a mut DataSource, Failure> {
    let nth = find(&database.definition, name)?;
    let source = &mut database.definition.sources[nth];
    match source.kind.takes_readings() {
        true => Ok(source),
        false => Err(format!("data source '{name}' is calculated: it has no heartbeat or limits")),
    }
}

fn set_heartbeat(database: &mut Edited, value: &str) -> Result<(), Failure> {
    let parsed = scan::name_and_rest(value)
        .and_then(|(name, rest)| Some((name, integer::leading(rest, false)?.0)));
    let (name, seconds) = parsed.ok_or("invalid arguments for heartbeat")?;
    // A negative one is a very long one, as in C.
    with_readings(database, name)?.heartbeat_seconds = seconds as u64;
    Ok(())
}

fn set_limit(
    database: &mut Edited,
    value: &str,
    which: &str,
    limit: impl Fn(&mut DataSource) -> &mut f64,
) -> Result<(), Failure> {
    let parsed =
        scan::name_and_rest(value).and_then(|(name, rest)| Some((name, scan::limit(rest)?)));
    let (name, new) = parsed.ok_or_else(|| format!("invalid arguments for {which} ds value"))?;
    *limit(with_readings(database, name)?) = new;
    Ok(())
}

const INVALID_KIND: &str = "invalid arguments for data source type";

fn set_kind(database: &mut Edited, value: &str) -> Result<(), Failure> {
    let parsed =
        scan::name_and_rest(value).and_then(|(name, rest)| Some((name, scan::kind(rest)?)));
    let (name, kind) = parsed.ok_or(INVALID_KIND)?;
    let nth = find(&database.definition, name)?;
    let step_seconds = database.definition.step_seconds;
    let source = &mut database.definition.sources[nth];
    if kind == source.kind.name() {
        return Ok(());
    }
    let unknown = if kind == "COMPUTE" {
        format!("data source '{name}' cannot become COMPUTE: it has no expression")
    } else {
        format!("unknown data acquisition function '{kind}'")
    };
    let new: SourceKind = kind.parse().map_err(|()| unknown)?;
    if !source.kind.takes_readings() {
        // In the file its expression stands where heartbeat and limits belong.
        source.heartbeat_seconds = 2 * step_seconds;
        (source.minimum, source.maximum) = (UNKNOWN, UNKNOWN);
    }
    source.kind = new;
    database.is_deep = true;
    let state = &mut database.live.sources[nth];
    state.last_reading = forgotten(state.last_reading);
    Ok(())
}

/// The reading that no difference is formed with. rrdtool writes five bytes and leaves the rest.
fn forgotten(reading: LastReading) -> LastReading {
    let mut bytes = reading.to_bytes();
    bytes[..5].copy_from_slice(b"UNKN\0");
    LastReading::from_bytes(bytes)
}

fn rename(database: &mut Edited, value: &str) -> Result<(), Failure> {
    let parsed =
        scan::name_and_rest(value).and_then(|(name, rest)| Some((name, scan::name(rest)?)));
    let (name, new) = parsed.ok_or(INVALID_KIND)?;
    let nth = find(&database.definition, name)?;
    let others = database.definition.sources.iter().enumerate();
    // rrdtool makes two sources of one name.
    if others.into_iter().any(|(other, source)| other != nth && source.name == new) {
        return Err(format!("Duplicate DS name: {new}"));
    }
    database.definition.sources[nth].name = new.into();
    database.is_deep = true;
    Ok(())
}
