//! What one option changes.

use super::find::find;
use super::{Edited, TuneError, TuneOption, forecast, scan};
use crate::live::LastReading;
use crate::number::integer;
use crate::{DataSource, SourceKind, UNKNOWN, spec};

pub(super) fn apply(
    database: &mut Edited,
    option: TuneOption,
    value: &str,
) -> Result<(), TuneError> {
    match option {
        TuneOption::Heartbeat => set_heartbeat(database, value),
        TuneOption::Minimum => set_limit(database, value, "minimum", |it| &mut it.minimum),
        TuneOption::Maximum => set_limit(database, value, "maximum", |it| &mut it.maximum),
        TuneOption::SourceKind => set_kind(database, value),
        TuneOption::SourceName => rename(database, value),
        TuneOption::Step => Ok(()),
        option => forecast::apply(database, option, value),
    }
}

/// The source that an option is for; one that is calculated has no heartbeat and no limits.
fn with_readings<'a>(
    database: &'a mut Edited,
    name: &str,
) -> Result<&'a mut DataSource, TuneError> {
    let nth = find(&database.definition, name)?;
    let source = &mut database.definition.sources[nth];
    match source.kind.takes_readings() {
        true => Ok(source),
        false => Err(TuneError::Calculated(name.into())),
    }
}

fn set_heartbeat(database: &mut Edited, value: &str) -> Result<(), TuneError> {
    let tick = database.definition.tick;
    let heartbeat = |text: &str| match tick.is_second() {
        true => integer::leading(text, false).map(|(seconds, _)| seconds as u64),
        false => spec::time(text, tick).ok(),
    };
    let parsed = scan::name_and_rest(value).and_then(|(name, rest)| Some((name, heartbeat(rest)?)));
    let (name, ticks) = parsed.ok_or(TuneError::Heartbeat)?;
    // A negative one is a very long one, as in C.
    with_readings(database, name)?.heartbeat_seconds = ticks;
    Ok(())
}

fn set_limit(
    database: &mut Edited,
    value: &str,
    which: &'static str,
    limit: impl Fn(&mut DataSource) -> &mut f64,
) -> Result<(), TuneError> {
    let parsed =
        scan::name_and_rest(value).and_then(|(name, rest)| Some((name, scan::limit(rest)?)));
    let (name, new) = parsed.ok_or(TuneError::Limit(which.into()))?;
    *limit(with_readings(database, name)?) = new;
    Ok(())
}

fn set_kind(database: &mut Edited, value: &str) -> Result<(), TuneError> {
    let parsed =
        scan::name_and_rest(value).and_then(|(name, rest)| Some((name, scan::kind(rest)?)));
    let (name, kind) = parsed.ok_or(TuneError::Kind)?;
    let nth = find(&database.definition, name)?;
    let step_seconds = database.definition.step_seconds;
    let source = &mut database.definition.sources[nth];
    if kind == source.kind.name() {
        return Ok(());
    }
    let unknown = || match kind {
        "COMPUTE" => TuneError::NoExpression(name.into()),
        other => TuneError::UnknownKind(other.into()),
    };
    let new: SourceKind = kind.parse().map_err(|()| unknown())?;
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

fn rename(database: &mut Edited, value: &str) -> Result<(), TuneError> {
    let parsed =
        scan::name_and_rest(value).and_then(|(name, rest)| Some((name, scan::name(rest)?)));
    let (name, new) = parsed.ok_or(TuneError::Kind)?;
    let nth = find(&database.definition, name)?;
    let others = database.definition.sources.iter().enumerate();
    // rrdtool makes two sources of one name.
    if others.into_iter().any(|(other, source)| other != nth && source.name == new) {
        return Err(TuneError::DuplicateName(new.into()));
    }
    database.definition.sources[nth].name = new.into();
    database.is_deep = true;
    Ok(())
}
