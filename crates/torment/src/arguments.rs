//! The command line.

use std::path::PathBuf;
use std::time::Duration;

use crate::kind::Kind;
use crate::world::Kept;

pub(crate) const USAGE: &str = "\
usage: torment --gyre PROGRAM [OPTION] ...

Kills gyre, cuts its power, fails its disk or damages its files, again and again, and compares what it keeps with Debian's rrdtool.

  --gyre PROGRAM      the program that is tried
  --seed S            the seed of the first trial (1); each further one has the next
  --minutes N         begin no trial after N minutes (1)
  --cases N           run N trials, however long they take
  --kind KIND         kills, cuts, faults or rot (all of them, in turn)
  --store STORE       ring or files (both, in turn)
  --room DIRECTORY    where all of it lies (the directory for temporary files)
  --json              the counts, as JSON
  --help              this text

Exit codes: 0 no difference; 1 a difference, whose evidence is kept; 2 misuse
";

/// The parsed options.
#[derive(Debug)]
pub(crate) struct Arguments {
    pub(crate) gyre: PathBuf,
    pub(crate) seed: u64,
    pub(crate) extent: Extent,
    pub(crate) kinds: Vec<Kind>,
    pub(crate) stores: Vec<Kept>,
    pub(crate) room: PathBuf,
    pub(crate) json: bool,
}

/// When a run ends.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Extent {
    Time(Duration),
    Trials(u64),
}

impl Arguments {
    /// # Errors
    /// A line for the user.
    pub(crate) fn parse(mut words: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut gyre = None;
        let mut arguments = Self {
            gyre: PathBuf::new(),
            seed: 1,
            extent: Extent::Time(Duration::from_secs(60)),
            kinds: Kind::ALL.into(),
            stores: vec![Kept::Ring, Kept::Files],
            room: std::env::temp_dir(),
            json: false,
        };
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("{word} needs a word after it"));
            match word.as_str() {
                "--gyre" => gyre = Some(PathBuf::from(value()?)),
                "--seed" => arguments.seed = number(&word, &value()?)?,
                "--minutes" => {
                    let minutes = number(&word, &value()?)?;
                    arguments.extent = Extent::Time(Duration::from_secs(60 * minutes));
                }
                "--cases" => arguments.extent = Extent::Trials(number(&word, &value()?)?),
                "--kind" => arguments.kinds = vec![kind(&value()?)?],
                "--store" => arguments.stores = vec![store(&value()?)?],
                "--room" => arguments.room = value()?.into(),
                "--json" => arguments.json = true,
                _ => return Err(format!("unexpected argument: {word}")),
            }
        }
        arguments.gyre = gyre.ok_or("--gyre PROGRAM is needed")?;
        Ok(arguments)
    }
}

fn number(option: &str, word: &str) -> Result<u64, String> {
    word.parse().map_err(|_| format!("{option} needs a whole number"))
}

fn kind(word: &str) -> Result<Kind, String> {
    let found = Kind::ALL.into_iter().find(|kind| kind.name() == word);
    found.ok_or_else(|| format!("--kind: there is no {word}"))
}

fn store(word: &str) -> Result<Kept, String> {
    match word {
        "ring" => Ok(Kept::Ring),
        "files" => Ok(Kept::Files),
        _ => Err("--store needs ring or files".into()),
    }
}
