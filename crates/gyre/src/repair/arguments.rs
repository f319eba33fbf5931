//! What the words after `gyre repair` say.

use std::ffi::OsString;
use std::path::PathBuf;

use options::{CommandLine, Misuse, Value, checked, option, switch, texts};
use repair::Replacement;

/// Ten years.
const SECONDS_MAX: i64 = 10 * 366 * 86_400;

const REPLACEMENTS: [(&str, Replacement); 4] = [
    ("unknown", Replacement::Unknown),
    ("line", Replacement::Line),
    ("previous", Replacement::Previous),
    ("mean", Replacement::Mean),
];

pub(super) const LINE: CommandLine<Wanted> = CommandLine {
    synopsis: "gyre repair [RULE...] [OPTIONS] DATABASE|STORE/PATTERN|DIRECTORY...",
    summary: "Take spikes out of the rows of databases, fill gaps, shift, scale, merge. Rules are \
              applied in their order; rows of coarser archives are then calculated anew from finer \
              ones. Without --write it says what would change, and changes nothing.",
    options: &[
        checked(
            "--deviations",
            "N",
            "rows further than N deviations above the mean are spikes (mean and deviation are of the rows between the 5th and 95th percentile)",
            |it, value| {
                it.rules.push(WantedRule::Deviations(positive(&value)?));
                Ok(())
            },
        ),
        switch("--both-ways", "with --deviations: rows that far below the mean, too", |it| {
            it.both_ways = true;
        }),
        checked(
            "--percentile",
            "P:TIMES",
            "rows above TIMES times the P-th percentile are spikes",
            |it, value| {
                it.rules.push(percentile(&value)?);
                Ok(())
            },
        ),
        checked(
            "--limit",
            "MIN:MAX",
            "rows below MIN or above MAX are spikes; U is no limit",
            |it, value| {
                it.rules.push(limits(&value)?);
                Ok(())
            },
        ),
        switch(
            "--own-limits",
            "rows outside of the minimum and maximum that the database has for the source are spikes",
            |it| {
                it.rules.push(WantedRule::OwnLimits);
            },
        ),
        checked(
            "--speed",
            "BITS",
            "rows above the bytes of an interface of so many bits a second are spikes (1G, 100M)",
            |it, value| {
                it.rules.push(speed(&value)?);
                Ok(())
            },
        ),
        checked(
            "--fill",
            "SECONDS",
            "fill gaps of at most so many seconds between known rows",
            |it, value| {
                it.rules
                    .push(WantedRule::Fill { seconds_max: value.number(1..=SECONDS_MAX as u64)? });
                Ok(())
            },
        ),
        checked(
            "--shift",
            "SECONDS",
            "rows happened so much later; negative: earlier",
            |it, value| {
                let seconds: i64 = value.parsed("seconds, such as 3600 or -3600")?;
                let is_possible = seconds != 0 && seconds.abs() <= SECONDS_MAX;
                let wrong = || value.wrong("seconds that are not 0, at most ten years");
                it.rules.push(WantedRule::Shift {
                    seconds: is_possible.then_some(seconds).ok_or_else(wrong)?,
                });
                Ok(())
            },
        ),
        checked("--scale", "FACTOR", "rows are so many times what they say", |it, value| {
            it.rules.push(WantedRule::Scale(positive(&value)?));
            Ok(())
        }),
        checked(
            "--merge",
            "DATABASE",
            "take unknown rows from another history of the same target",
            |it, value| {
                it.rules.push(WantedRule::Merge(value.text()?.into()));
                Ok(())
            },
        ),
        checked(
            "--by",
            "WHAT",
            "what replaces spikes and fills gaps: unknown, line (between known rows), previous, mean (unknown; gaps: line)",
            |it, value| {
                it.by = Some(value.one_of(&REPLACEMENTS)?.1);
                Ok(())
            },
        ),
        checked("--source", "NAME", "only this data source; may be given again", |it, value| {
            it.sources.push(value.text()?.into());
            Ok(())
        }),
        checked(
            "--start",
            "TIME",
            "only rows that end after this time, as `gyre fetch` takes it",
            |it, value| {
                it.start = Some(value.text()?.into());
                Ok(())
            },
        ),
        checked("--end", "TIME", "only rows that end up to this time", |it, value| {
            it.end = Some(value.text()?.into());
            Ok(())
        }),
        switch("--write", "change the databases", |it| it.writes = true),
        option(
            "--undo-file",
            "FILE",
            "where --write keeps what was there (gyre-repair-TIME.undo)",
            |it, value| {
                it.undo_file = Some(value.path());
            },
        ),
        option(
            "--undo",
            "FILE",
            "take back what was changed, instead of a rule; without --write it says what would change",
            |it, value| {
                it.undo = Some(value.path());
            },
        ),
        option(
            "--picture",
            "FILE",
            "draw the rows of one database before and after, as SVG or (.png) PNG",
            |it, value| {
                it.picture = Some(value.path());
            },
        ),
        switch("--json", "print a JSON object for each database, then the total", |it| {
            it.as_json = true
        }),
    ],
    notes: "Archives that forecast are left alone. Exit codes: 0 done; 1 a database could not be
repaired; 2 the words after the verb are wrong.
",
};

/// One rule as it was given.
#[derive(Clone, Debug)]
pub(super) enum WantedRule {
    Deviations(f64),
    Percentile { percent: f64, times: f64 },
    Limits { minimum: f64, maximum: f64 },
    OwnLimits,
    Fill { seconds_max: u64 },
    Shift { seconds: i64 },
    Scale(f64),
    Merge(String),
}

#[derive(Default)]
pub(super) struct Wanted {
    pub(super) rules: Vec<WantedRule>,
    pub(super) both_ways: bool,
    pub(super) by: Option<Replacement>,
    pub(super) sources: Vec<String>,
    pub(super) start: Option<String>,
    pub(super) end: Option<String>,
    pub(super) writes: bool,
    pub(super) undo_file: Option<PathBuf>,
    pub(super) undo: Option<PathBuf>,
    pub(super) picture: Option<PathBuf>,
    pub(super) as_json: bool,
    pub(super) databases: Vec<String>,
}

pub(super) fn parse(words: Vec<OsString>) -> Result<Option<Wanted>, Misuse> {
    let Some((mut wanted, operands)) = LINE.read(words)? else { return Ok(None) };
    wanted.databases = texts(operands)?;
    wanted.fits()?;
    Ok(Some(wanted))
}

impl Wanted {
    fn fits(&self) -> Result<(), Misuse> {
        let has = |is: fn(&WantedRule) -> bool| self.rules.iter().any(is);
        if self.undo.is_some() {
            let is_alone = self.rules.is_empty() && self.databases.is_empty();
            return match is_alone && self.undo_file.is_none() && self.picture.is_none() {
                true => Ok(()),
                false => Err(Misuse::unfit("--undo stands alone: its file names the databases")),
            };
        }
        if self.databases.is_empty() {
            return Err(Misuse::operands("databases, patterns or directories"));
        }
        if self.rules.is_empty() {
            return Err(Misuse::unfit("a rule is missing, such as --limit 0:1e9 or --fill 900"));
        }
        if self.both_ways && !has(|rule| matches!(rule, WantedRule::Deviations(_))) {
            return Err(Misuse::goes_with("--both-ways", "--deviations"));
        }
        if self.undo_file.is_some() && !self.writes {
            return Err(Misuse::goes_with("--undo-file", "--write"));
        }
        match self.by == Some(Replacement::Unknown)
            && has(|rule| matches!(rule, WantedRule::Fill { .. }))
        {
            true => Err(Misuse::unfit("--fill with --by unknown would fill nothing")),
            false => Ok(()),
        }
    }
}

fn positive(value: &Value) -> Result<f64, Misuse> {
    const EXPECTED: &str = "a number above 0";
    let number: f64 = value.parsed(EXPECTED)?;
    match number.is_finite() && number > 0.0 {
        true => Ok(number),
        false => Err(value.wrong(EXPECTED)),
    }
}

fn percentile(value: &Value) -> Result<WantedRule, Misuse> {
    let wrong =
        || value.wrong("a percentile above 0 and up to 100, and how many times, as in 95:10");
    let (percent, times) = value.text()?.split_once(':').ok_or_else(wrong)?;
    let number = |text: &str| text.parse().ok().filter(|it: &f64| it.is_finite() && *it > 0.0);
    let (percent, times) = number(percent).zip(number(times)).ok_or_else(wrong)?;
    match percent <= 100.0 {
        true => Ok(WantedRule::Percentile { percent, times }),
        false => Err(wrong()),
    }
}

fn limits(value: &Value) -> Result<WantedRule, Misuse> {
    let wrong = || value.wrong("the lowest and the highest value, as in 0:1.25e8 or U:100");
    let (minimum, maximum) = value.text()?.split_once(':').ok_or_else(wrong)?;
    let limit = |text: &str| match text {
        "U" => Some(f64::NAN),
        text => text.parse().ok().filter(|it: &f64| !it.is_nan()),
    };
    let (minimum, maximum) = limit(minimum).zip(limit(maximum)).ok_or_else(wrong)?;
    match minimum > maximum {
        true => Err(wrong()),
        false => Ok(WantedRule::Limits { minimum, maximum }),
    }
}

/// Bits a second, with k, M, G or T of a thousand each; rows are bytes a second.
fn speed(value: &Value) -> Result<WantedRule, Misuse> {
    let wrong = || value.wrong("bits a second, as in 1G, 100M or 64000");
    let text = value.text()?;
    let (digits, unit) = match text.strip_suffix(['k', 'M', 'G', 'T']) {
        Some(digits) => (digits, &text[digits.len()..]),
        None => (text, ""),
    };
    let times = match unit {
        "k" => 1e3,
        "M" => 1e6,
        "G" => 1e9,
        "T" => 1e12,
        _ => 1.0,
    };
    let bits: f64 = digits.parse().map_err(|_| wrong())?;
    match bits.is_finite() && bits > 0.0 {
        true => Ok(WantedRule::Limits { minimum: f64::NAN, maximum: bits * times / 8.0 }),
        false => Err(wrong()),
    }
}
