//! Builds many targets on several threads, each a run of them, with the outcome of a single thread.

use std::panic::resume_unwind;
use std::path::Path;
use std::thread;

use super::built::Built;
use super::entries::RawTarget;
use super::targets::Builder;
use crate::error::Problem;
use crate::language::Names;
use crate::{Error, Globals};

/// A thread is worth its start for so many targets.
const TARGETS_MIN: usize = 2000;
/// What follows the threads' work is done by one of them, so more would wait for it.
const THREADS_MAX: usize = 8;

/// Builds these targets of the configuration at `path`.
pub(super) fn build(
    path: &Path,
    targets: Vec<RawTarget>,
    globals: &Globals,
    names: &Names,
) -> Result<Built, Error> {
    let processors = thread::available_parallelism().map_or(1, usize::from);
    let runs = processors.min(THREADS_MAX).min(targets.len() / TARGETS_MIN);
    build_in_runs(path, in_runs(targets, runs.max(1)), globals, names)
}

fn build_in_runs(
    path: &Path,
    runs: Vec<Vec<RawTarget>>,
    globals: &Globals,
    names: &Names,
) -> Result<Built, Error> {
    let build = |run| Builder::new(globals, names).build_all(run);
    let mut runs = runs.into_iter();
    let first = runs.next().unwrap_or_default();
    thread::scope(|scope| {
        let others: Vec<_> = runs.map(|run| scope.spawn(move || build(run))).collect();
        let mut built = build(first)?;
        for following in others {
            let following = following.join().unwrap_or_else(|panic| resume_unwind(panic))?;
            built.append(following).ok_or_else(|| Error::Whole {
                path: path.to_owned(),
                problem: Problem::TooMany { what: "polls", limit: u32::MAX as usize },
            })?;
        }
        Ok(built)
    })
}

/// Cuts the list into so many runs, nearly equal in length.
fn in_runs(mut all: Vec<RawTarget>, runs: usize) -> Vec<Vec<RawTarget>> {
    let length = all.len().div_ceil(runs);
    // From the end on, so that each target is moved once.
    let mut cut: Vec<_> =
        (1..runs).rev().map(|nth| all.split_off(all.len().min(nth * length))).collect();
    cut.push(all);
    cut.reverse();
    cut
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::path::PathBuf;

    use proptest::prelude::*;

    use super::*;
    use crate::reading::entries::Entries;
    use crate::reading::lines::Lines;
    use crate::reading::{globals, mibs};
    use crate::{Agent, Note, Poll, Source, Target};

    struct Text(String);

    impl Source for Text {
        fn read(&self, _: &Path) -> io::Result<Vec<u8>> {
            Ok(self.0.clone().into())
        }

        fn glob(&self, _: &Path) -> io::Result<Vec<PathBuf>> {
            Ok(Vec::new())
        }
    }

    /// All that there is to know of built targets.
    #[derive(Debug, PartialEq)]
    struct Known {
        agents: Vec<Agent>,
        polls: Vec<Poll>,
        notes: Vec<Note>,
        targets: Vec<(String, Vec<(String, String)>)>,
    }

    fn known(built: Built) -> Known {
        let target = |target: Target| {
            let Target { name, position, expression, unsupported, settings, .. } = &target;
            let fields = format!("{name} {position} {expression:?} {unsupported:?} {settings:?}");
            let texts = format!("{} {:?}", target.title(), target.page_top());
            (fields + &texts, [target.environment(), target.labels()].concat())
        };
        Known {
            agents: built.agents.into_members(),
            polls: built.polls.into_members(),
            notes: built.notes,
            targets: built.targets.into_iter().map(target).collect(),
        }
    }

    fn built_in(runs: usize, text: &str) -> Result<Known, String> {
        let path = Path::new("mrtg.cfg");
        let source = Text(text.to_owned());
        let mut lines = Lines::open(path, &source).unwrap();
        let mut entries = Entries::default();
        while let Some((position, line)) = lines.next_line().unwrap() {
            entries.take(position, &line).unwrap();
        }
        entries.finish();
        let globals = globals::build(path, &entries.globals, &mut Vec::new()).unwrap();
        let names = mibs::load(&entries.globals, &source, &mut Vec::new());
        let runs = in_runs(entries.targets, runs);
        build_in_runs(path, runs, &globals, &names).map(known).map_err(|error| error.to_string())
    }

    /// A poll of few, so that several targets have the same.
    fn poll() -> impl Strategy<Value = String> {
        prop_oneof![
            (1..4, 1..4).prop_map(|(port, host)| format!("{port}:public@h{host}")),
            (1..3, 1..3).prop_map(|(port, host)| format!("-{port}:other@10.0.0.{host}:::::2")),
            (1..3).prop_map(|host| format!("1.3.6.1.2.1.1.7.0&PseudoZero:public@h{host}")),
            (1..3).prop_map(|host| format!("WaLK1.3.6#eth&1.3.6.1#eth:public@h{host}")),
            (1..3).prop_map(|nth| format!("`say {nth}`")),
        ]
    }

    fn target() -> impl Strategy<Value = String> {
        let expression = prop::collection::vec(poll(), 1..4).prop_map(|polls| polls.join(" + "));
        let options = prop_oneof![
            Just("growright, bits"),
            Just("noinfo, gauge"),
            Just("avgpeak, nopercent, noinfo"),
        ];
        // One in thirty has no maximum, which is an error.
        let maximum = prop_oneof![29 => Just("1000"), 1 => Just("none")];
        let limit = prop_oneof![
            Just(""),
            Just("ThreshMaxI[NAME]: 10 or so\n"),
            Just("ThreshMaxI[NAME]: 7\n")
        ];
        (expression, options, maximum, limit).prop_map(|(expression, options, maximum, limit)| {
            format!(
                "Target[NAME]: {expression}\nOptions[NAME]: {options}\nMaxBytes[NAME]: {maximum}\n{limit}\
                 SetEnv[NAME]: PORT=\"{expression}\"\nPageTop[NAME]: <h1>NAME</h1>\n"
            )
        })
    }

    proptest! {
        #[test]
        fn several_threads_build_what_one_does(targets in prop::collection::vec(target(), 0..24)) {
            let mut text = "WorkDir: /w\nTitle[^]: the title\n".to_owned();
            for (nth, target) in targets.iter().enumerate() {
                text += &target.replace("NAME", &format!("t{nth}"));
                text += &format!("Title[t{nth}]: {}\n", nth / 2);
            }
            let alone = built_in(1, &text);
            for runs in 2..6 {
                prop_assert_eq!(&built_in(runs, &text), &alone);
            }
        }
    }
}
