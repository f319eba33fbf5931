//! What refers to sources and archives by their position moves with them.

use super::change::ChangeError;
use crate::{Archive, DataSource, Parameters, SourceKind};

/// Lets computed sources read the same sources as before; for each source `of_source` tells where
/// it stood. One that comes refers to the new positions already.
pub(super) fn move_sources(
    sources: &mut [DataSource],
    of_source: &[Option<usize>],
) -> Result<(), ChangeError> {
    let moved = |old: i16| {
        let place = of_source.iter().position(|kept| *kept == usize::try_from(old).ok());
        place.and_then(|place| i16::try_from(place).ok())
    };
    for (source, kept) in sources.iter_mut().zip(of_source) {
        if let (SourceKind::Compute(expression), Some(_)) = (&mut source.kind, kept) {
            let read = expression.with_sources(moved);
            *expression = read.ok_or_else(|| ChangeError::SourceNeeded(source.name.clone()))?;
        }
    }
    Ok(())
}

/// Lets archives that stay refer to the same archives as before; `kept` tells where each stood
/// among `old_count`.
pub(super) fn move_archives(
    archives: &mut [Archive],
    kept: &[usize],
    old_count: usize,
) -> Result<(), ChangeError> {
    let moved = |old: u64| match usize::try_from(old).ok().filter(|old| *old < old_count) {
        Some(old) => kept.iter().position(|each| *each == old).map(|place| place as u64),
        None => Some(old), // what led nowhere goes on doing so
    };
    for (archive, stood) in archives.iter_mut().zip(kept) {
        match &mut archive.parameters {
            Parameters::None => {}
            Parameters::Predict { seasonal: other, .. }
            | Parameters::Seasonal { predict: other, .. }
            | Parameters::DevPredict { deviations: other }
            | Parameters::Failures { deviations: other, .. } => {
                *other = moved(*other).ok_or(ChangeError::ArchiveNeeded(*stood))?;
            }
        }
    }
    Ok(())
}
