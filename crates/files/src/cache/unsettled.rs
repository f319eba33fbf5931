//! What is told of the files that could not be brought together with the journal.

use std::collections::BTreeMap;
use std::path::Path;

use store::Error;

/// So many files are named; of the others only the number is told.
const NAMED_MAX: usize = 10;

/// The files that a pass could not settle, by the reason.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Unsettled {
    reasons: BTreeMap<String, Group>,
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Group {
    files: usize,
    /// The first by name.
    named: Vec<String>,
}

impl Unsettled {
    pub(super) fn add(&mut self, path: &Path, error: &Error) {
        let path = path.display().to_string();
        let text = error.to_string();
        let reason = text.strip_prefix(&path).unwrap_or(&text).trim_start_matches(": ");
        let group = self.reasons.entry(reason.to_owned()).or_default();
        group.files += 1;
        let at = group.named.partition_point(|named| *named < path);
        group.named.insert(at, path);
        group.named.truncate(NAMED_MAX);
    }

    pub(super) fn files(&self) -> usize {
        self.reasons.values().map(|group| group.files).sum()
    }

    /// A line for each reason.
    pub(super) fn notes(&self) -> impl Iterator<Item = String> {
        self.reasons.iter().map(|(reason, Group { files, named })| {
            let names = named.join(", ");
            let more = match files - named.len() {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let them = if *files == 1 { "1 file".to_owned() } else { format!("{files} files") };
            format!(
                "the journal has samples for {them} that cannot take them now: {reason}: \
                 {names}{more}. The samples wait in the journal until the files can be read; \
                 FORGET drops them"
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_files_are_named_and_all_are_counted() {
        let mut unsettled = Unsettled::default();
        for nth in (0..1000).rev() {
            let path = format!("/rrd/{nth:04}.rrd");
            unsettled.add(Path::new(&path), &Error::missing(&path));
        }
        unsettled.add(Path::new("/rrd/x"), &Error::Locked("/rrd/x".into()));
        assert_eq!(unsettled.files(), 1001);
        let notes: Vec<String> = unsettled.notes().collect();
        assert_eq!(notes.len(), 2);
        assert!(notes[1].contains("1000 files"), "{notes:?}");
        assert!(notes[1].contains("/rrd/0000.rrd, /rrd/0001.rrd"), "{notes:?}");
        assert!(notes[1].contains("/rrd/0009.rrd and 990 more."), "{notes:?}");
        assert!(notes[0].contains("1 file that") && notes[0].contains("/rrd/x."), "{notes:?}");
    }
}
