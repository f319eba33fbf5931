//! The databases with the greatest numbers.

use std::cmp::Ordering;

use graph::RowsPlan;
use ranks::Best;
use rrdtool::Failure;

use crate::outcome::Outcome;

/// By which number databases are ranked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum By {
    /// A VDEF of this name.
    Fact(String),
    /// The first PRINT, or else the first VDEF.
    First,
}

/// The databases with the greatest numbers so far. Of those without a number none is among them.
pub struct Top {
    by: By,
    /// Of equals the one that came first.
    best: Best<Placed>,
    /// How many came.
    count: usize,
}

/// An answer, and which one of all it was.
struct Placed {
    nth: usize,
    ranked: Ranked,
}

impl Ord for Placed {
    fn cmp(&self, other: &Self) -> Ordering {
        self.nth.cmp(&other.nth)
    }
}

impl PartialOrd for Placed {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Placed {
    fn eq(&self, other: &Self) -> bool {
        self.nth == other.nth
    }
}

impl Eq for Placed {}

/// A database and its number.
pub struct Ranked {
    /// The number.
    pub value: f64,
    /// The answer.
    pub outcome: Outcome,
}

impl Top {
    /// At most so many, ranked by the VDEF of a name, or by what is told first.
    ///
    /// # Errors
    /// There is no such VDEF.
    pub fn new(plan: &RowsPlan, most: usize, by: Option<&str>) -> Result<Self, Failure> {
        let by = match by {
            None => By::First,
            Some(name) if plan.has_fact(name) => By::Fact(name.into()),
            Some(name) => {
                return Err(Failure::misuse(format!(
                    "--by: expected the name of a VDEF, found {name}"
                )));
            }
        };
        Ok(Self { by, best: Best::new(most), count: 0 })
    }

    /// Takes the answer for a database.
    pub fn put(&mut self, outcome: Outcome) {
        let Some(value) = self.by.value(&outcome) else { return };
        self.count += 1;
        self.best.put(value, Placed { nth: self.count, ranked: Ranked { value, outcome } });
    }

    /// The greatest first.
    #[must_use]
    pub fn ranked(self) -> Vec<Ranked> {
        self.best.into_things().map(|placed| placed.ranked).collect()
    }
}

impl By {
    fn value(&self, outcome: &Outcome) -> Option<f64> {
        let answer = &outcome.answer;
        let facts = &answer.facts;
        let value = match self {
            Self::Fact(name) => facts.iter().find(|fact| fact.name == *name)?.value,
            Self::First => match answer.prints.first() {
                Some(print) => print.value,
                None => facts.first()?.value,
            },
        };
        (!value.is_nan()).then_some(value)
    }
}
