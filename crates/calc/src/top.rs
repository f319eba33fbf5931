//! The databases with the greatest numbers.

use std::cmp::Ordering;

use graph::RowsPlan;
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
    most: usize,
    /// The greatest first; of equals the one that came first.
    ranked: Vec<Ranked>,
}

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
        Ok(Self { by, most, ranked: Vec::new() })
    }

    /// Takes the answer for a database.
    pub fn put(&mut self, outcome: Outcome) {
        let Some(value) = self.by.value(&outcome) else { return };
        let is_before = |ranked: &Ranked| ranked.value.total_cmp(&value) != Ordering::Less;
        let place = self.ranked.partition_point(is_before);
        if place < self.most {
            self.ranked.insert(place, Ranked { value, outcome });
            self.ranked.truncate(self.most);
        }
    }

    /// The greatest first.
    #[must_use]
    pub fn ranked(self) -> Vec<Ranked> {
        self.ranked
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
