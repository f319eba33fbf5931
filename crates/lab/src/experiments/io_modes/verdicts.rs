//! The verdicts on the strategies of 2003: ratios of their rates, if measured, and pages.

use super::{Found, memory};
use crate::layouts::Layout;
use crate::ratio::{NEXT_TO_NONE, next_to_none, too_short};
use crate::verdict::{Judged, Tolerance, Verdict, parted, text};
use crate::ways::{Kept, STRATEGIES_OF_2003, Way};

/// Rates that differ by less are considered equal.
const SAME_SHARE: f64 = 0.05;

/// The verdicts, and the ratios that were not measured.
pub(super) fn of(found: &[Found], layouts: &[Layout]) -> (Vec<Verdict>, Vec<String>) {
    let (mut verdicts, mut not_measured) = (Vec::new(), Vec::new());
    for &layout in layouts {
        for is_scarce in [false, true] {
            let part = Part { found, layout, is_scarce };
            match part.ratios() {
                Some(ratios) => verdicts.extend(ratios),
                None => not_measured.push(too_short(
                    &part.name("ratios of the strategies"),
                    if is_scarce { "clock" } else { "processor" },
                )),
            }
            let (most, missing) = parted(part.most_pages().filter(|_| is_scarce));
            verdicts.extend(most);
            not_measured.extend(missing);
        }
    }
    (verdicts, not_measured)
}

/// One layout, with sufficient or scarce memory.
struct Part<'a> {
    found: &'a [Found],
    layout: Layout,
    is_scarce: bool,
}

/// The strategies that keep information about a file, in the order of 2003.
fn keeping() -> impl Iterator<Item = Way> {
    STRATEGIES_OF_2003.into_iter().filter(|way| way.kept == Kept::Metadata)
}

impl Part<'_> {
    fn name(&self, what: &str) -> String {
        format!("{}, memory {}: {what}", self.layout.name(), memory(self.is_scarce))
    }

    fn at(&self, way: &str) -> Option<&Found> {
        let is_it = |it: &&Found| it.layout == self.layout && it.is_scarce == self.is_scarce;
        self.found.iter().filter(is_it).find(|it| it.way.name == way)
    }

    fn rate(&self, way: &str) -> Option<f64> {
        let found = self.at(way)?;
        // If no disk is waited for, only processor time is compared, so that other programs do not
        // matter.
        if self.is_scarce { found.updates_per_second } else { found.updates_per_processor_second }
    }

    /// System calls of an update for both ways; they are counted with sufficient memory.
    fn calls(&self, ways: [&str; 2]) -> Option<[f64; 2]> {
        let enough = Part { is_scarce: false, ..*self };
        let calls = |way| enough.at(way)?.system_calls;
        Some([calls(ways[0])?, calls(ways[1])?])
    }

    fn ratios(&self) -> Option<[Verdict; 4]> {
        Some([self.all_kept()?, self.positioned()?, self.header_mapped()?, self.whole_mapped()?])
    }

    fn all_kept(&self) -> Option<Verdict> {
        let ratio = self.rate("pwrite")? / self.rate("stdio-each")?;
        let what = self.name("metadata kept and pwrite, against stdio with open and close each");
        let gain = Tolerance { share: 0.25, least: 0.0 };
        let verdict =
            Verdict::judge(what, [Some(35_000.0 / 17_000.0), None, None], ratio, gain, "");
        let pages = [self.at("stdio-each")?.pages_read, self.at("pwrite")?.pages_read];
        let told = pages.map(text);
        if pages[0] > 1.25 * pages[1] && pages[0] > 0.1 {
            let reason = format!("stdio reads {} pages for an update, pwrite {}", told[0], told[1]);
            return Some(verdict.explained(ratio > 1.0, reason));
        }
        let Some(calls) = self.calls(["stdio-each", "pwrite"]) else { return Some(verdict) };
        let [before, after] = calls.map(text);
        let reason = format!(
            "no disk is waited for ({} pages read for an update): what is saved is system calls, {before} to {after}",
            told[1]
        );
        Some(verdict.explained(pages[0] < 0.01 && calls[0] > calls[1], reason))
    }

    fn positioned(&self) -> Option<Verdict> {
        let ratio = self.rate("pwrite")? / self.rate("seek-write")?;
        let what = self.name("pwrite against lseek and write (2003: faster)");
        let verdict = Verdict::claim(what, ratio, ratio > 1.0 + SAME_SHARE);
        let Some(calls) = self.calls(["seek-write", "pwrite"]) else { return Some(verdict) };
        let [sought, positioned] = calls.map(text);
        let reason = format!(
            "an lseek is next to nothing beside the write: {positioned} system calls for an update are no \
             faster than {sought}"
        );
        Some(verdict.explained(calls[1] < calls[0], reason))
    }

    fn header_mapped(&self) -> Option<Verdict> {
        let ratio = self.rate("header-mapped")? / self.rate("pwrite")?;
        let tolerance = Tolerance { share: 0.08, least: 0.0 };
        let what = self.name("metadata mapped against pwrite");
        let verdict = Verdict::judge(what, [Some(1.25), None, None], ratio, tolerance, "");
        let Some(calls) = self.calls(["pwrite", "header-mapped"]) else { return Some(verdict) };
        let [written, mapped] = calls.map(text);
        let reason =
            format!("it saves few system calls: {mapped} for an update instead of {written}");
        let verdict = verdict.explained(ratio < 1.25 && calls[1] > 0.8 * calls[0], reason);
        let faults = [self.at("pwrite")?.minor_faults, self.at("header-mapped")?.minor_faults];
        let [few, many] = faults.map(text);
        let reason = format!(
            "the first write to a mapped page after it was written back is a fault: {many} for an update, {few} with \
             pwrite, where {mapped} system calls are saved of {written}",
            mapped = text(calls[0] - calls[1])
        );
        Some(verdict.explained(ratio < 1.0 && faults[1] > faults[0] + 0.5, reason))
    }

    fn whole_mapped(&self) -> Option<Verdict> {
        let ratio = self.rate("whole-mapped")? / self.rate("pwrite")?;
        let rates = keeping().map(|way| self.rate(way.name)).collect::<Option<Vec<_>>>()?;
        let worst = rates.into_iter().fold(f64::INFINITY, f64::min);
        let what = self.name(
            "the whole file mapped against pwrite (2003: the worst of those that keep metadata)",
        );
        let is_worst = self.rate("whole-mapped")? <= worst;
        let disk_bytes = [self.at("whole-mapped")?.disk_bytes, self.at("pwrite")?.disk_bytes];
        let [mapped, written] = disk_bytes.map(|it| text(it / 1e3));
        let reason = format!(
            "either writes whole pages today: the disk writes {mapped} kB for an update, and {written} kB"
        );
        let is_same = (disk_bytes[0] - disk_bytes[1]).abs() < 0.1 * disk_bytes[1];
        Some(Verdict::claim(what, ratio, is_worst).explained(is_same, reason))
    }

    /// A verdict on pages, which does not depend on time.
    fn most_pages(&self) -> Option<Judged> {
        let pages = |way: Way| self.at(way.name).map(|it| it.pages_read);
        let read = self.at("whole-mapped")?.pages_read;
        let most = keeping().filter_map(pages).fold(0.0, f64::max);
        let what = self.name("pages read for an update, the whole file mapped (2003: the worst)");
        Some(match most < NEXT_TO_NONE {
            true => Err(next_to_none(&what, most)),
            false => Ok(Verdict::claim(what, read, read >= most)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::of;
    use crate::experiments::io_modes::Found;
    use crate::layouts::Layout;
    use crate::verdict::Agreement;
    use crate::ways::STRATEGIES_OF_2003;

    /// All strategies with the same result.
    fn found(rate: Option<f64>, pages_read: f64) -> Vec<Found> {
        let one = |(way, is_scarce)| Found {
            layout: Layout::Mrtg,
            way,
            is_scarce,
            updates_per_second: rate,
            updates_per_processor_second: rate,
            written_updates_per_second: rate,
            pages_read,
            pages_changed: 3.0,
            minor_faults: 0.0,
            disk_bytes: 13_800.0,
            system_calls: Some(if way.name == "seek-write" { 8.0 } else { 5.0 }),
        };
        let ways = STRATEGIES_OF_2003.into_iter();
        ways.flat_map(|way| [(way, false), (way, true)]).map(one).collect()
    }

    #[test]
    fn ratios_of_what_was_not_measured_are_none() {
        let (verdicts, not_measured) = of(&found(None, 0.0), &[Layout::Mrtg]);
        assert_eq!((verdicts.len(), not_measured.len()), (0, 3));
        assert!(not_measured[0].ends_with("took less than 0.2 s of the processor's"));
        assert!(not_measured[2].ends_with("next to none to compare with, 0 pages an update"));
        let (verdicts, _) = of(&found(None, 1.0), &[Layout::Mrtg]);
        assert_eq!(verdicts.len(), 1); // pages do not depend on time
    }

    #[test]
    fn reasons_are_given_where_figures_show_them() {
        let (verdicts, not_measured) = of(&found(Some(1000.0), 0.0), &[Layout::Mrtg]);
        assert_eq!(not_measured.len(), 1); // no pages are read
        let lines: Vec<String> = verdicts.iter().map(|it| it.line()).collect();
        // Fewer calls, but no faster.
        assert!(
            lines[1].ends_with("5 system calls for an update are no faster than 8"),
            "{lines:?}"
        );
        // As many calls as stdio: they cannot explain why it is no faster than stdio.
        assert_eq!(verdicts[0].agreement, Agreement::Differs, "{lines:?}");
    }
}
