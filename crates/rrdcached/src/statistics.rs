//! STATS: what a daemon counts.

use crate::ReplyError;

/// Counters in the order in which the daemon tells them: `QueueLength`, `UpdatesReceived`,
/// `FlushesReceived`, `UpdatesWritten`, `DataSetsWritten`, `TreeNodesNumber`, `TreeDepth`,
/// `JournalBytes`, `JournalRotate`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics(pub Vec<(String, u64)>);

impl Statistics {
    /// Reads the lines of a reply.
    ///
    /// # Errors
    /// Where one is not a name, a colon and a number.
    pub fn parse<'a>(lines: impl IntoIterator<Item = &'a str>) -> Result<Self, ReplyError> {
        let read = |line: &str| {
            let (name, number) = line.split_once(':')?;
            Some((name.to_owned(), number.trim().parse().ok()?))
        };
        let wrong = |line| ReplyError::unexpected("a name, a colon and a number", line);
        let counters = lines.into_iter().map(|line| read(line).ok_or_else(|| wrong(line)));
        counters.collect::<Result<_, _>>().map(Self)
    }

    /// One of them.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<u64> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, number)| *number)
    }
}

#[cfg(test)]
mod tests {
    use super::Statistics;

    #[test]
    fn reads_names_and_numbers() {
        let counted = Statistics::parse(["QueueLength: 0", "JournalBytes: 18446744073709551615"]);
        let counted = counted.unwrap();
        assert_eq!(counted.get("JournalBytes"), Some(u64::MAX));
        assert_eq!(counted.get("TreeDepth"), None);
        assert!(Statistics::parse(["QueueLength 0"]).is_err());
        assert!(Statistics::parse(["QueueLength: -1"]).is_err());
    }
}
