//! The verb `compare`.

use std::path::PathBuf;

use ::options::{OwnRow, checked, option};

use super::compare::{Compared, Verdict};
use super::{Run, default_path, place, read};
use crate::options::{self, fill};

pub(crate) struct Options {
    history: PathBuf,
    /// How much worse a figure may become, in percent.
    bound_percent: f64,
}

impl options::Options for Options {
    const NAME: &'static str = "compare";
    const ABOUT: &'static str = "OLD NEW: what changed from one run of `all` to another, each \
                                 FILE, FILE:N or N (3, last, last~1)";
    const TABLE: &'static [OwnRow<Self>] = &[
        option("--history", "FILE", "where N counts (target/bench/history.jsonl)", |o, it| {
            o.history = it.path()
        }),
        checked("--bound", "PERCENT", "how much worse a figure may be (25)", |o, it| {
            fill(&mut o.bound_percent, &it)
        }),
    ];

    fn full() -> Self {
        Self { history: default_path(), bound_percent: 25.0 }
    }
}

/// Prints what changed; without runs to compare, which runs there are.
///
/// # Errors
///
/// Wrong options, no such run, runs of different sizes, or a figure that is worse beyond the bound.
pub(crate) fn main(words: &[String]) -> Result<(), String> {
    let (options, operands) = options::parse_with_operands::<Options>(words)?;
    let operands: Vec<String> =
        operands.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let find = |word: &String| place::find(word, &options.history);
    let (old, new) = match &operands[..] {
        [] => return list(&options),
        [old, new] => (find(old)?, find(new)?),
        _ => return Err(options::help::<Options>()),
    };
    if old.size != new.size {
        return Err(format!("the old run's size is {}, the new one's {}", old.size, new.size));
    }
    let compared = Compared::of(&old, &new, options.bound_percent / 1e2);
    tell(&old, &new, &compared);
    match compared.regressions() {
        0 => Ok(()),
        count => Err(format!(
            "{} worse by more than {}%",
            ::figures::some(count as u64, "figure is", "figures are"),
            options.bound_percent
        )),
    }
}

fn list(options: &Options) -> Result<(), String> {
    for (nth, run) in read(&options.history)?.iter().enumerate() {
        println!("{:4}  {}", nth + 1, described(run));
    }
    Ok(())
}

fn described(run: &Run) -> String {
    let Run { date, commit, size, figures, .. } = run;
    format!("{date}  {commit}  {size}, {} figures", figures.len())
}

fn tell(old: &Run, new: &Run, compared: &Compared) {
    println!("old: {}\nnew: {}", described(old), described(new));
    for fact in ["processor", "processors", "memory", "kernel", "file_system"] {
        let [before, after] = [old, new].map(|run| &run.machine[fact]);
        if before != after {
            println!("not the same {fact}: {before}, then {after}");
        }
    }
    println!();
    let changed = compared.changes.iter().filter(|change| change.verdict != Verdict::Same);
    changed.for_each(|change| println!("{}", change.text()));
    compared.gone.iter().for_each(|name| println!("{:10}  {name}", "gone"));
    compared.added.iter().for_each(|name| println!("{:10}  {name}", "new"));
    let same = compared.count(|verdict| verdict == Verdict::Same);
    println!("{same} of {} within their spread", compared.changes.len());
}
