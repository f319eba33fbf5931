//! What-if questions: the same databases polled at another interval.

use planner::{Fleet, FleetGroup, scenario};

use super::arguments::Wanted;
use super::split::Split;
use super::words::every;

/// A fleet, and how it differs from the databases as they are, in words.
#[derive(Clone, Debug)]
pub(super) struct Question {
    pub(super) name: String,
    pub(super) fleet: Fleet,
}

/// The fleet that is planned first, and those that it is compared with. If the options ask for
/// another interval, that fleet comes first and is compared with the databases as they are.
/// Otherwise the databases as they are come first, compared with the usual questions.
pub(super) fn questions(wanted: &Wanted, base: &Fleet) -> (Question, Vec<Question>) {
    let as_it_is = |name: &str| Question { name: name.into(), fleet: base.clone() };
    let asked = asked(wanted, base);
    match asked {
        Some(asked) if !is_same(&asked.fleet, base) => (asked, vec![as_it_is("as it is")]),
        _ => (as_it_is("as it is"), usual(wanted, base)),
    }
}

/// Whether two fleets have the same load. Limits of sources are not compared: an absent limit is a
/// NaN, which never equals itself.
fn is_same(one: &Fleet, other: &Fleet) -> bool {
    let same = |(one, other): (&FleetGroup, &FleetGroup)| {
        (one.databases, one.cadence_seconds) == (other.databases, other.cadence_seconds)
            && one.definition.tick == other.definition.tick
            && one.definition.step_seconds == other.definition.step_seconds
            && one.definition.archives == other.definition.archives
    };
    one.groups.len() == other.groups.len() && one.groups.iter().zip(&other.groups).all(same)
}

fn asked(wanted: &Wanted, base: &Fleet) -> Option<Question> {
    let (mut fleet, mut names) = (base.clone(), Vec::new());
    if let Some(seconds) = wanted.step_seconds {
        fleet = scenario::polled_every(&fleet, seconds, wanted.layout);
        names.push(every(seconds as f64));
    }
    if !wanted.splits.is_empty() {
        let databases = fleet.databases();
        let split = |group: &FleetGroup| split(wanted, group, &wanted.splits, databases);
        fleet = Fleet { groups: fleet.groups.iter().flat_map(split).collect() };
        names.extend(wanted.splits.iter().map(|split| split.words()));
    }
    (!names.is_empty()).then(|| Question { name: names.join(", "), fleet })
}

/// The usual questions: all databases every minute, and a tenth of them every minute. None if they
/// are already updated as often.
fn usual(wanted: &Wanted, base: &Fleet) -> Vec<Question> {
    const MINUTE: u64 = 60;
    if base.shortest_cadence_seconds() <= MINUTE as f64 {
        return Vec::new();
    }
    let tenth = Split::of_share(0.1, MINUTE);
    let questions = [
        Wanted { step_seconds: Some(MINUTE), splits: Vec::new(), ..wanted.clone() },
        Wanted { step_seconds: None, splits: vec![tenth], ..wanted.clone() },
    ];
    questions.iter().filter_map(|wanted| asked(wanted, base)).collect()
}

/// Splits one group by shares. A share given as a count is taken from all groups in proportion.
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
