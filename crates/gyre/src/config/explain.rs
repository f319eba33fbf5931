//! `gyre config explain`: what a target means.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::PathBuf;

use mrtg::{Configuration, Target, database};
use options::{CommandLine, Misuse};
use serde_json::{Value, json};

use super::explained::{Asked, Meaning};
use super::formula::{Formula, letter};
use super::option_words::{meaning, word};
use super::{Failure, OPTIONS, Told, answer_json};
use crate::command_line::answer;
use crate::run::{Disk, Survey};

pub(super) const LINE: CommandLine<Told> = CommandLine {
    synopsis: "gyre config explain [--json] [--secrets WHERE] FILE TARGET",
    summary: "Say what a target of an mrtg.cfg means, with all defaults applied: what is asked of \
              which device, what is calculated from it, how often, and the database that is made \
              for it, as words of `rrdtool create`. Communities, passwords and commands are not \
              shown. Nothing is asked, run or written.",
    options: OPTIONS,
    notes: "exit codes: 0 fine; 1 the configuration is wrong, or has no such target; 2 misuse\n",
};

pub(super) fn run(told: &Told, operands: Vec<OsString>) -> Result<(), Failure> {
    let [file, name] = <[OsString; 2]>::try_from(operands)
        .map_err(|_| Misuse::operands("one FILE, an mrtg.cfg, and a TARGET of it"))?;
    let (file, name) = (PathBuf::from(file), name.to_string_lossy().to_lowercase());
    let read = Configuration::read(&file, &Disk)?;
    let Some(nth) = read.targets.iter().position(|target| *target.name == *name) else {
        let hint = hint(&read);
        return Err(Failure::NoTarget { file, target: name, hint });
    };
    let survey = Survey::of(&read, &told.secrets)?;
    let explained = Explained::of(&read, nth, &survey);
    match told.as_json {
        true => answer_json(&explained.json()),
        false => Ok(answer(&explained.text())?),
    }
}

/// A few of the names that there are.
fn hint(read: &Configuration) -> String {
    let names: Vec<&str> = read.targets.iter().take(3).map(|it| &*it.name).collect();
    let more = read.targets.len().saturating_sub(names.len());
    match (names.is_empty(), more) {
        (true, _) => "; it has none".to_owned(),
        (false, 0) => format!("; it has {}", names.join(", ")),
        (false, more) => format!("; it has {} and {more} more", names.join(", ")),
    }
}

struct Explained<'a> {
    target: &'a Target,
    formula: Formula,
    asked: Vec<Asked>,
    not_measured: Option<String>,
}

impl<'a> Explained<'a> {
    fn of(read: &'a Configuration, nth: usize, survey: &Survey) -> Self {
        let target = &read.targets[nth];
        let formula = Formula::of(&target.expression);
        let asked = formula.polls.iter().map(|poll| Asked::of(read, read.poll(*poll))).collect();
        let not_measured = survey.not_measured[nth].as_ref().map(ToString::to_string);
        Self { target, formula, asked, not_measured }
    }

    fn text(&self) -> String {
        let target = self.target;
        let mut text = format!("{} ({}): {}\n", target.name, target.position, target.title());
        // Writing to a string cannot fail.
        if let Some(why) = &self.not_measured {
            let _ = writeln!(text, "  not measured  {why}");
        }
        let seconds = self.target.settings.interval.step_seconds() as f64;
        let _ = writeln!(text, "  value         {}", self.formula.text);
        for (nth, asked) in self.asked.iter().enumerate() {
            put_asked(&mut text, &letter(nth), asked);
        }
        let _ = writeln!(text, "  interval      {}", figures::duration(seconds));
        let _ = writeln!(text, "  maxima        {}", self.maxima());
        let _ = writeln!(text, "  database      {}", target.rrd_path().display());
        for argument in self.creation() {
            let _ = writeln!(text, "                {argument}");
        }
        for flag in target.settings.options.iter() {
            let _ = writeln!(text, "  {:<13} {}", word(flag), meaning(flag));
        }
        text
    }

    fn maxima(&self) -> String {
        let [incoming, outgoing] = self.target.settings.max_bytes;
        let speed = match self.target.settings.follows_speed {
            [true, true] => "the speed of the interface; until it is known ",
            [true, false] => "in the speed of the interface; until it is known ",
            [false, true] => "out the speed of the interface; until it is known ",
            [false, false] => "",
        };
        let numbers = match self.target.settings.abs_max {
            None => format!("{incoming} in, {outgoing} out; higher rates are unknown"),
            Some(most) => format!("{incoming} in, {outgoing} out; rates above {most} are unknown"),
        };
        speed.to_owned() + &numbers
    }

    /// The words of `rrdtool create`, an argument or an option with its value each.
    fn creation(&self) -> Vec<String> {
        let definition = self.target.settings.definition();
        let arguments = database::create_arguments(&definition);
        let (options, rest) = arguments.split_at(2.min(arguments.len()));
        [&[options.join(" ")][..], rest].concat()
    }

    fn json(&self) -> Value {
        let target = self.target;
        let asked = self.asked.iter().enumerate().map(|(nth, asked)| asked.json(&letter(nth)));
        let words = target.settings.options.iter().map(|flag| json!({ word(flag): meaning(flag) }));
        json!({
            "target": target.name,
            "place": target.position.to_string(),
            "title": target.title(),
            "not_measured": self.not_measured,
            "value": self.formula.text,
            "polls": asked.collect::<Vec<_>>(),
            "interval_seconds": target.settings.interval.step_seconds(),
            "max_bytes": target.settings.max_bytes,
            "follows_speed": target.settings.follows_speed,
            "abs_max": target.settings.abs_max,
            "database": target.rrd_path().display().to_string(),
            "create": self.creation(),
            "options": words.collect::<Vec<_>>(),
        })
    }
}

fn put_asked(text: &mut String, letter: &str, asked: &Asked) {
    match asked {
        Asked::Program => {
            let _ =
                writeln!(text, "    {letter:<11} a program: its first two lines are in and out");
        }
        Asked::Device { name, how, objects } => {
            let _ = writeln!(text, "    {letter:<11} {name}: {how}");
            for (direction, object) in ["in", "out"].into_iter().zip(objects.iter()) {
                let Meaning { method, oid, words, narrow_oid } = object;
                let narrow = narrow_oid.as_ref().map_or(String::new(), |oid| format!(", or {oid}"));
                let words = if words.is_empty() { String::new() } else { format!(" ({words})") };
                let _ = writeln!(text, "      {direction:<9} {method} {oid}{words}{narrow}");
            }
        }
    }
}
