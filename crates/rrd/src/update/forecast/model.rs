//! Holt-Winters arithmetic: how line and season make a forecast, and how both follow what is seen.

use super::cells::Line;
use crate::{ConsolidationFunction, UNKNOWN};

/// How a season acts upon the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Model {
    /// Its coefficient is added.
    Additive,
    /// The line is multiplied by its coefficient.
    Multiplicative,
}

impl Model {
    /// The model of an archive that forecasts; `None` of any other.
    pub(super) fn of(cf: ConsolidationFunction) -> Option<Self> {
        match cf {
            ConsolidationFunction::HwPredict => Some(Self::Additive),
            ConsolidationFunction::MhwPredict => Some(Self::Multiplicative),
            _ => None,
        }
    }

    /// The coefficient of a season that does nothing.
    pub(super) fn neutral_coefficient(self) -> f64 {
        match self {
            Self::Additive => 0.0,
            Self::Multiplicative => 1.0,
        }
    }

    pub(super) fn forecast(self, line: Line, coefficient: f64) -> f64 {
        // The count is an `int` for rrdtool here, and an `unsigned long` in the intercept.
        let reached = line.intercept + line.slope * f64::from(line.count as i32);
        match self {
            Self::Additive => reached + coefficient,
            Self::Multiplicative => reached * coefficient,
        }
    }

    pub(super) fn intercept(self, alpha: f64, seen: f64, coefficient: f64, line: Line) -> f64 {
        let reached = line.intercept + line.slope * line.count as f64;
        let without_season = match self {
            Self::Additive => seen - coefficient,
            Self::Multiplicative if coefficient <= 0.0 => return UNKNOWN,
            Self::Multiplicative => seen / coefficient,
        };
        alpha * without_season + (1.0 - alpha) * reached
    }

    pub(super) fn coefficient(self, gamma: f64, seen: f64, intercept: f64, last: f64) -> f64 {
        let seasonal_part = match self {
            Self::Additive => seen - intercept,
            Self::Multiplicative if intercept <= 0.0 => return UNKNOWN,
            Self::Multiplicative => seen / intercept,
        };
        gamma * seasonal_part + (1.0 - gamma) * last
    }

    /// The first coefficient of a season, or one moved to another baseline.
    pub(super) fn first_coefficient(self, seen: f64, intercept: f64) -> f64 {
        match self {
            Self::Additive => seen - intercept,
            Self::Multiplicative if intercept <= 0.0 => UNKNOWN,
            Self::Multiplicative => seen / intercept,
        }
    }
}

pub(super) fn slope(beta: f64, intercept: f64, last_intercept: f64, last: f64) -> f64 {
    beta * (intercept - last_intercept) + (1.0 - beta) * last
}

pub(super) fn deviation(gamma: f64, forecast: f64, seen: f64, last: f64) -> f64 {
    gamma * (forecast - seen).abs() + (1.0 - gamma) * last
}

pub(super) fn first_deviation(forecast: f64, seen: f64) -> f64 {
    (forecast - seen).abs()
}
