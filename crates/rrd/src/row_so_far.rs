//! What STDEV and PERCENTILE keep of a row until it ends.

use crate::moments::Moments;
use crate::{Archive, ConsolidationFunction, Definition, UNKNOWN};

/// What is kept of the known PDPs of a row in the making.
#[derive(Clone, Debug, PartialEq)]
pub enum RowSoFar {
    /// Nothing: the cell has all that counts.
    InCell,
    /// Of STDEV.
    Moments(Moments),
    /// Of PERCENTILE: the PDPs themselves, in no order that counts.
    Values(Vec<f64>),
}

impl RowSoFar {
    /// That of an archive of which no PDP is known.
    #[must_use]
    pub fn fresh(archive: &Archive) -> Self {
        match archive.cf {
            ConsolidationFunction::Stdev => Self::Moments(Moments::default()),
            ConsolidationFunction::Percentile(_) => Self::Values(Vec::new()),
            _ => Self::InCell,
        }
    }

    /// For each cell of a definition; none where all cells have all that counts.
    #[must_use]
    pub fn all_fresh(definition: &Definition) -> Vec<Self> {
        if !definition.has_spreads() {
            return Vec::new();
        }
        let sources = definition.sources.len();
        let of_archive = |archive| std::iter::repeat_n(Self::fresh(archive), sources);
        definition.archives.iter().flat_map(of_archive).collect()
    }

    /// Whether it can be that of an archive whose row has not ended.
    #[must_use]
    pub fn is_of(&self, archive: &Archive) -> bool {
        let fits = |known_pdps: u64| known_pdps < archive.pdp_per_row;
        match (self, archive.cf) {
            (Self::Moments(moments), ConsolidationFunction::Stdev) => fits(moments.count),
            (Self::Values(values), ConsolidationFunction::Percentile(Some(_))) => {
                fits(values.len() as u64) && values.iter().all(|value| !value.is_nan())
            }
            (Self::InCell, cf) => !cf.is_spread(),
            _ => false,
        }
    }

    /// Whether each of them keeps the same kind of thing as the other in its place.
    #[must_use]
    pub fn are_alike(these: &[Self], those: &[Self]) -> bool {
        let is_alike = |(one, other): (&Self, &Self)| {
            std::mem::discriminant(one) == std::mem::discriminant(other)
        };
        these.len() == those.len() && these.iter().zip(those).all(is_alike)
    }

    /// Takes so many known PDPs, all equal.
    pub fn take(&mut self, pdp: f64, count: u64) {
        match self {
            Self::InCell => {}
            Self::Moments(moments) => moments.take(pdp, count),
            Self::Values(values) => values.extend(std::iter::repeat_n(pdp, count as usize)),
        }
    }

    /// Counts each PDP so many times: what it is where each step is cut into as many.
    pub(crate) fn multiply(&mut self, factor: u64) {
        match self {
            Self::InCell => {}
            Self::Moments(Moments { count, squares, .. }) => {
                *count = count.saturating_mul(factor);
                *squares *= factor as f64;
            }
            Self::Values(values) => {
                let times = |value: &f64| std::iter::repeat_n(*value, factor as usize);
                *values = values.iter().flat_map(times).collect();
            }
        }
    }

    /// Ends the row: its value, by the function of its archive. Nothing is left then.
    pub fn end(&mut self, cf: ConsolidationFunction) -> f64 {
        match self {
            Self::InCell => UNKNOWN,
            Self::Moments(moments) => std::mem::take(moments).deviation(),
            Self::Values(values) => {
                let value = percentile(values, cf);
                values.clear();
                value
            }
        }
    }

    /// Forgets the row.
    pub fn clear(&mut self) {
        match self {
            Self::InCell => {}
            Self::Moments(moments) => *moments = Moments::default(),
            Self::Values(values) => values.clear(),
        }
    }
}

fn percentile(values: &mut [f64], cf: ConsolidationFunction) -> f64 {
    let ConsolidationFunction::Percentile(Some(percent)) = cf else { return UNKNOWN };
    if values.is_empty() {
        return UNKNOWN;
    }
    let rank = percent.rank(values.len());
    *values.select_nth_unstable_by(rank, f64::total_cmp).1
}
