//! A single layout: from DS and RRA words, from a file, or MRTG's own.

use std::path::Path;

use files::{Access, RrdFile};
use mrtg::Interval;
use rrd::Definition;
use rrd::spec::SpecError;
use store::Error;

/// The definition of `DS:...` and `RRA:...` words in the syntax of `rrdtool create`.
///
/// # Errors
///
/// The first wrong word, and the reason.
pub fn of_words<'a>(
    step_seconds: u64,
    words: impl IntoIterator<Item = &'a str>,
) -> Result<Definition, SpecError> {
    rrd::spec::definition(step_seconds, words)
}

/// The layout of an `.rrd` file.
///
/// # Errors
///
/// The file cannot be read, or is not an `.rrd` file.
pub fn of_file(path: &Path) -> Result<Definition, Error> {
    Ok(RrdFile::open(path, Access::Read)?.into_header().definition)
}

/// MRTG's default layout: two sources; AVERAGE and MAX of one step, 30 minutes, two hours and a
/// day. `None` for a step outside of MRTG's range of one second to an hour.
#[must_use]
pub fn mrtgs_layout(step_seconds: u64) -> Option<Definition> {
    let step = u32::try_from(step_seconds).ok()?;
    let mut definition = mrtg::database::definition(Interval::new(step / 60, step % 60)?);
    // MRTG's own rounding makes some steps a second shorter than the interval.
    definition.step_seconds = step_seconds;
    Some(definition)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spans(definition: &Definition) -> Vec<(u64, u64)> {
        let archives = definition.archives.iter().take(definition.archives.len() / 2);
        archives.map(|each| (each.pdp_per_row, each.rows)).collect()
    }

    #[test]
    fn mrtgs_layout_follows_the_step() {
        let five_minutes = mrtgs_layout(300).unwrap();
        assert_eq!((five_minutes.sources.len(), five_minutes.archives.len()), (2, 8));
        assert_eq!(spans(&five_minutes), [(1, 800), (6, 800), (24, 800), (288, 800)]);
        let one_minute = mrtgs_layout(60).unwrap();
        assert_eq!(spans(&one_minute), [(1, 4000), (30, 800), (120, 800), (1440, 800)]);
        assert_eq!(spans(&mrtgs_layout(3600).unwrap()), [(1, 66), (2, 800), (24, 800)]);
        assert_eq!(mrtgs_layout(100).unwrap().step_seconds, 100);
        assert_eq!(mrtgs_layout(0), None);
        assert_eq!(mrtgs_layout(3601), None);
        assert_eq!(mrtgs_layout(u64::MAX), None);
    }
}
