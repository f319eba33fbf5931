//! What if they were polled at another pace.

use std::ffi::OsStr;

use figures::share;
use options::Misuse;
use planner::{Fleet, FleetGroup, scenario};

use super::arguments::{Wanted, seconds};
use super::words::every;

/// A share of all databases that is updated once in so many seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Split {
    part: Part,
    seconds: u64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Part {
    Share(f64),
    Databases(u64),
}

impl Split {
    pub(super) fn parse(text: &str) -> Result<Self, Misuse> {
        let expected =
            || Misuse::value("split", "SHARE:SECONDS as in 10%:60 or 5000:60", OsStr::new(text));
        let (part, every) = text.split_once(':').ok_or_else(expected)?;
        let part = match part.strip_suffix('%') {
            Some(percent) => {
                let percent: f64 = percent.parse().map_err(|_| expected())?;
                (percent > 0.0 && percent <= 100.0).then_some(Part::Share(percent / 100.0))
            }
            None => part.parse().ok().filter(|it| *it > 0).map(Part::Databases),
        };
        Ok(Self { part: part.ok_or_else(expected)?, seconds: seconds("split", every)? })
    }

    fn share(self, databases: u64) -> f64 {
        match self.part {
            Part::Share(share) => share,
            Part::Databases(own) => (own as f64 / databases.max(1) as f64).min(1.0),
        }
    }

    fn words(self) -> String {
        let part = match self.part {
            Part::Share(part) => share(part),
            Part::Databases(own) => figures::count(own),
        };
        format!("{part} {}", every(self.seconds))
    }
}

/// Whether shares are together no more than all.
pub(super) fn check(splits: &[Split]) -> Result<(), Misuse> {
    let shares = splits.iter().map(|split| split.share(u64::MAX)).sum::<f64>();
    if shares <= 1.0 + 1e-9 {
        return Ok(());
    }
    Err(Misuse::value("split", "shares of 100% at most", OsStr::new(&share(shares))))
}

/// A fleet, and what is different about it.
#[derive(Clone, Debug)]
pub(super) struct Question {
    pub(super) name: String,
    pub(super) fleet: Fleet,
}

/// What is planned first, and what it is compared with: as it is, where something else is asked
/// for; else what people ask next.
pub(super) fn questions(wanted: &Wanted, base: &Fleet) -> (Question, Vec<Question>) {
    let as_it_is = |name: &str| Question { name: name.into(), fleet: base.clone() };
    let asked = asked(wanted, base);
    match asked {
        Some(asked) if !is_same(&asked.fleet, base) => (asked, vec![as_it_is("as it is")]),
        _ => (as_it_is("as it is"), usual(wanted, base)),
    }
}

/// Whether two fleets do the same. Limits of sources that are not set are no numbers, which are
/// never equal.
fn is_same(one: &Fleet, other: &Fleet) -> bool {
    let same = |(one, other): (&FleetGroup, &FleetGroup)| {
        (one.databases, one.cadence_seconds) == (other.databases, other.cadence_seconds)
            && one.definition.step_seconds == other.definition.step_seconds
            && one.definition.archives == other.definition.archives
    };
    one.groups.len() == other.groups.len() && one.groups.iter().zip(&other.groups).all(same)
}

fn asked(wanted: &Wanted, base: &Fleet) -> Option<Question> {
    let (mut fleet, mut names) = (base.clone(), Vec::new());
    if let Some(seconds) = wanted.step_seconds {
        fleet = scenario::polled_every(&fleet, seconds, wanted.layout);
        names.push(every(seconds));
    }
    if !wanted.splits.is_empty() {
        let databases = fleet.databases();
        let split = |group: &FleetGroup| split(wanted, group, &wanted.splits, databases);
        fleet = Fleet { groups: fleet.groups.iter().flat_map(split).collect() };
        names.extend(wanted.splits.iter().map(|split| split.words()));
    }
    (!names.is_empty()).then(|| Question { name: names.join(", "), fleet })
}

/// Every minute, and a tenth of them: where they are updated less often.
fn usual(wanted: &Wanted, base: &Fleet) -> Vec<Question> {
    const MINUTE: u64 = 60;
    if base.shortest_cadence_seconds() <= MINUTE {
        return Vec::new();
    }
    let tenth = Split { part: Part::Share(0.1), seconds: MINUTE };
    let questions = [
        Wanted { step_seconds: Some(MINUTE), splits: Vec::new(), ..wanted.clone() },
        Wanted { step_seconds: None, splits: vec![tenth], ..wanted.clone() },
    ];
    questions.iter().filter_map(|wanted| asked(wanted, base)).collect()
}

/// One group, its shares apart. A count is taken from all groups in proportion.
fn split(wanted: &Wanted, group: &FleetGroup, splits: &[Split], databases: u64) -> Vec<FleetGroup> {
    let mut fleet = Fleet { groups: vec![group.clone()] };
    let mut rest = group.databases;
    for split in splits {
        let due = (group.databases as f64 * split.share(databases)).round() as u64;
        let own = due.min(rest);
        if own > 0 {
            let last = fleet.groups.len() - 1;
            fleet = scenario::split(&fleet, last, own, split.seconds, wanted.layout);
            rest -= own;
        }
    }
    fleet.groups
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fleet(databases: u64) -> Fleet {
        Fleet::of(inventory::mrtgs_layout(300).unwrap(), databases)
    }

    fn questions_of(words: &[&str], base: &Fleet) -> (Question, Vec<Question>) {
        let words = words.iter().map(std::ffi::OsString::from);
        questions(&super::super::arguments::parse(words).unwrap().unwrap(), base)
    }

    fn groups(question: &Question) -> Vec<(u64, u64)> {
        question.fleet.groups.iter().map(|it| (it.databases, it.cadence_seconds)).collect()
    }

    #[test]
    fn what_people_ask_next_is_asked() {
        let (first, others) = questions_of(&[], &fleet(1000));
        assert_eq!((first.name.as_str(), groups(&first)), ("as it is", vec![(1000, 300)]));
        let names: Vec<&str> = others.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["every minute", "10% every minute"]);
        assert_eq!(groups(&others[0]), [(1000, 60)]);
        assert_eq!(groups(&others[1]), [(100, 60), (900, 300)]);
    }

    #[test]
    fn shares_are_taken_from_all_groups() {
        let mut base = fleet(1000);
        base.groups.push(fleet(10).groups.remove(0));
        let words = ["--split", "10%:60", "--split", "101:30"];
        let (first, others) = questions_of(&words, &base);
        assert_eq!(groups(&first), [(100, 60), (100, 30), (800, 300), (1, 60), (1, 30), (8, 300)]);
        assert_eq!((others.len(), first.name.as_str()), (1, "10% every minute, 101 every 30 s"));
        let (first, _) = questions_of(&["--split", "99999:60"], &base);
        assert_eq!(groups(&first), [(1000, 60), (10, 60)], "no more than there are");
        let (first, others) = questions_of(&["--step", "300"], &fleet(5));
        assert_eq!((first.name.as_str(), others.len()), ("as it is", 2), "nothing is different");
    }
}
