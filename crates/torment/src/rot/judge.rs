//! The rules for damage: it is reported, only the content of the damaged bytes is lost, and no
//! value is wrong.

use super::{Damage, Victim};
use crate::Checked;
use crate::judge::{Shown, first_difference};
use crate::ledger::Entry;

/// The most values in one page of a ring store.
const VALUES_OF_A_PAGE: usize = 4032 / 8;

/// The losses in all databases.
#[derive(Debug)]
pub(crate) struct Rotten {
    /// Values that are unknown instead.
    pub(crate) values: usize,
    /// Databases that cannot be copied as a whole, with the reason.
    pub(crate) refused: Vec<String>,
    /// Fetches that fail, with the reason.
    pub(crate) lost: Vec<String>,
    /// Whether no database lacks more than its last update.
    pub(crate) misses_only_last: bool,
}

impl Rotten {
    pub(crate) fn is_nothing(&self) -> bool {
        self.values == 0 && self.refused.is_empty() && self.lost.is_empty()
    }

    pub(crate) fn new() -> Self {
        Self { values: 0, refused: Vec::new(), lost: Vec::new(), misses_only_last: true }
    }

    /// Adds a database that shows an earlier state, or does not exist yet.
    pub(crate) fn add_older(&mut self, entry: &Entry, found: &Shown) {
        self.refused.push(format!("{} is older", entry.name()));
        let changes = entry.history.len().saturating_sub(1);
        let before = match entry.exists_after(changes) {
            true => Some(format!("<lastupdate>{}<", entry.seconds_after(changes))),
            false => None,
        };
        let is_last = match (found, before) {
            (Shown::Content(found), Some(before)) => found.contains(&before),
            (Shown::Absent, None) => true,
            _ => false,
        };
        self.misses_only_last &= is_last;
    }

    /// Adds the content of a database; none of its values may be wrong.
    pub(crate) fn add(&mut self, entry: &Entry, found: &Shown, expected: &Shown) -> Checked<()> {
        let lost = match (found, expected) {
            _ if found == expected => Ok(0),
            (Shown::Content(found), Shown::Content(expected)) => lost_values(found, expected),
            (Shown::Refused(reason), _) => {
                self.refused.push(reason.clone());
                Ok(0)
            }
            _ => Err(format!("it is {}", if *found == Shown::Absent { "gone" } else { "back" })),
        };
        self.values += lost.map_err(|reason| format!("{}: {reason}", entry.name()))?;
        Ok(())
    }
}

impl Rotten {
    /// Adds the unknown values in the rows of a fetch; if the fetch fails, the database counts as
    /// lost.
    pub(crate) fn lost_rows(
        &mut self,
        words: &str,
        found: &Result<Vec<String>, String>,
        expected: &[String],
    ) -> Checked<usize> {
        let found = match found {
            Ok(found) => found,
            Err(reason) => {
                self.lost.push(reason.clone());
                return Ok(0);
            }
        };
        let wrong = || {
            let difference = first_difference(&found.join("\n"), &expected.join("\n"));
            format!("fetch {words}: wrong: {difference}")
        };
        if found.len() != expected.len() {
            return Err(wrong());
        }
        let mut lost = 0;
        for (found, expected) in found.iter().zip(expected) {
            let (found, expected) = (found.split(' '), expected.split(' '));
            for (found, expected) in found.zip(expected) {
                match found {
                    found if found == expected => {}
                    "nan" | "-nan" => lost += 1,
                    _ => return Err(wrong()),
                }
            }
        }
        Ok(lost)
    }
}

/// How many values of one dump are unknown in the other; an error if anything else differs.
fn lost_values(found: &str, expected: &str) -> Checked<usize> {
    let wrong = || Err(format!("wrong: {}", first_difference(found, expected)));
    if found.lines().count() != expected.lines().count() {
        return wrong();
    }
    let mut lost = 0;
    for (found, expected) in found.lines().zip(expected.lines()) {
        if found == expected {
            continue;
        }
        let (found, expected): (Vec<&str>, Vec<&str>) =
            (found.split("<v>").collect(), expected.split("<v>").collect());
        if !expected[0].contains("<row>") || found.len() != expected.len() {
            return wrong();
        }
        for (found, expected) in found.iter().zip(&expected) {
            match found {
                found if found == expected => {}
                found if found.starts_with("NaN</v>") => lost += 1,
                _ => return wrong(),
            }
        }
    }
    Ok(lost)
}

/// The resolution of a fetch; `None` if it has less than two rows.
pub(crate) fn seconds_a_row(lines: &[String]) -> Option<u64> {
    let mut times = lines.iter().filter_map(|line| line.split_once(':')?.0.parse::<u64>().ok());
    let first = times.next()?;
    times.next()?.checked_sub(first)
}

/// Whether such a damage may cause these losses.
pub(crate) fn judge(damage: &Damage, rotten: &Rotten, needs_journal: bool) -> Checked<()> {
    let told = || {
        let Rotten { values, refused, lost, .. } = rotten;
        let first = refused.first().map_or("", String::as_str);
        let (copies, fetches) = (refused.len(), lost.len());
        format!("{values} values are lost, {copies} copies, {fetches} fetches: {first}")
    };
    let may_lose = match damage.victim {
        // The other one of the two checkpoints has it, together with the journal.
        Victim::Checkpoint => rotten.is_nothing(),
        Victim::Journal => needs_journal || rotten.is_nothing(),
        Victim::Tiles | Victim::Attic => {
            rotten.lost.is_empty() && (damage.cuts() || rotten.values <= VALUES_OF_A_PAGE)
        }
        Victim::Catalogue | Victim::Database => true,
    };
    if may_lose { Ok(()) } else { Err(told()) }
}

#[cfg(test)]
mod tests {
    use super::{lost_values, seconds_a_row};

    #[test]
    fn a_resolution_is_told_by_the_rows() {
        let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
        let text = "             x0  x1\n\n1600000050: 1 2\n1600000100: nan 3\n1600000150: 1 1";
        assert_eq!(seconds_a_row(&lines(text)), Some(50));
        assert_eq!(seconds_a_row(&lines("  x0\n\n1600000050: 1")), None);
    }

    #[test]
    fn unknown_values_are_lost_and_others_wrong() {
        let dump = |value: &str| format!("<value>1</value>\n<row><v>{value}</v><v>2</v></row>");
        assert_eq!(lost_values(&dump("1"), &dump("1")), Ok(0));
        assert_eq!(lost_values(&dump("NaN"), &dump("1")), Ok(1));
        assert!(lost_values(&dump("3"), &dump("1")).is_err());
        assert!(lost_values(&dump("3"), &dump("NaN")).is_err());
        assert!(lost_values("<value>NaN</value>", "<value>1</value>").is_err());
        assert!(lost_values("", &dump("1")).is_err());
    }
}
