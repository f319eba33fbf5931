//! The comparison of a figure on this machine with the reference's.

use std::fmt::Write as _;

use serde::Serialize;

/// A figure from four sources.
#[derive(Clone, Debug, Serialize)]
pub struct Verdict {
    /// The name of the figure.
    pub what: String,
    /// The reference's figure.
    pub reference: Option<f64>,
    /// The model's figure.
    pub model: Option<f64>,
    /// The figure of the simulation of today's kernel.
    pub simulation: Option<f64>,
    /// The figure measured with this kernel.
    pub measured: f64,
    /// Whether the measurement agrees with the reference.
    pub agreement: Agreement,
}

/// The result of the comparison with the reference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Agreement {
    /// They agree.
    Agrees,
    /// They differ for this reason, which the simulation of today's kernel or another measurement
    /// shows.
    DiffersBecause(String),
    /// They differ, and no figure here explains why.
    Differs,
    /// They differ, and the simulation differs from the measurement, too: this is not understood.
    NotUnderstood,
    /// The reference has no such figure.
    New,
}

/// The largest difference of figures that are considered equal: a share, or an absolute value if
/// both are small.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tolerance {
    pub(crate) share: f64,
    pub(crate) least: f64,
}

/// A verdict, or what was not measured and why.
pub(crate) type Judged = Result<Verdict, String>;

/// Separates verdicts from what was not measured.
pub(crate) fn parted(judged: impl IntoIterator<Item = Judged>) -> (Vec<Verdict>, Vec<String>) {
    let (mut verdicts, mut not_measured) = (Vec::new(), Vec::new());
    for one in judged {
        match one {
            Ok(verdict) => verdicts.push(verdict),
            Err(why) => not_measured.push(why),
        }
    }
    (verdicts, not_measured)
}

impl Tolerance {
    fn holds(self, one: f64, other: f64) -> bool {
        (one - other).abs() <= (other.abs() * self.share).max(self.least)
    }
}

impl Verdict {
    /// Compares a figure with the reference's and, if it differs, with the simulation's. If the
    /// simulation agrees with the measurement, the reason is in today's kernel, and `because`
    /// describes it. Without a simulation there is no reason, unless a measurement shows one
    /// ([`Verdict::explained`]).
    pub(crate) fn judge(
        what: impl Into<String>,
        [reference, model, simulation]: [Option<f64>; 3],
        measured: f64,
        tolerance: Tolerance,
        because: &str,
    ) -> Self {
        let is_near = |other: Option<f64>| other.map(|other| tolerance.holds(measured, other));
        let agreement = match (is_near(reference), is_near(simulation)) {
            (Some(true), _) => Agreement::Agrees,
            (None, _) => Agreement::New,
            (Some(false), Some(false)) => Agreement::NotUnderstood,
            (Some(false), Some(true)) => Agreement::DiffersBecause(because.into()),
            (Some(false), None) => Agreement::Differs,
        };
        Self { what: what.into(), reference, model, simulation, measured, agreement }
    }

    /// A statement of the reference in words, and whether it holds here.
    pub(crate) fn claim(what: impl Into<String>, measured: f64, holds: bool) -> Self {
        let agreement = if holds { Agreement::Agrees } else { Agreement::Differs };
        let (reference, model, simulation) = (None, None, None);
        Self { what: what.into(), reference, model, simulation, measured, agreement }
    }

    /// A figure that the reference does not have.
    pub(crate) fn figure(what: impl Into<String>, measured: f64) -> Self {
        Self { agreement: Agreement::New, ..Self::claim(what, measured, true) }
    }

    /// Adds a reason to an unexplained difference, if another measurement `shows` it.
    pub(crate) fn explained(mut self, shows: bool, reason: impl Into<String>) -> Self {
        if shows && self.agreement == Agreement::Differs {
            self.agreement = Agreement::DiffersBecause(reason.into());
        }
        self
    }

    /// Removes a reason that another figure contradicts.
    pub(crate) fn unexplained(mut self) -> Self {
        if matches!(self.agreement, Agreement::DiffersBecause(_)) {
            self.agreement = Agreement::Differs;
        }
        self
    }

    /// One line of a report.
    #[must_use]
    pub fn line(&self) -> String {
        let mut line = format!("{}: ", self.what);
        let others =
            [("reference", self.reference), ("model", self.model), ("simulation", self.simulation)];
        for (who, figure) in others {
            if let Some(figure) = figure {
                let _ = write!(line, "{who} {}, ", text(figure)); // a String takes everything
            }
        }
        let _ = write!(line, "measured {}", text(self.measured)); // as above
        line + &match &self.agreement {
            Agreement::Agrees => ": agrees".to_owned(),
            Agreement::DiffersBecause(reason) => format!(": differs because {reason}"),
            Agreement::Differs => ": differs; nothing measured here shows why".to_owned(),
            Agreement::NotUnderstood => ": differs, and so does the simulation".to_owned(),
            Agreement::New => String::new(),
        }
    }
}

/// A figure with its significant digits.
pub(crate) fn text(figure: f64) -> String {
    let digits = match figure.abs() {
        size if size >= 100.0 || figure == 0.0 => 0,
        size if size >= 10.0 => 1,
        size if size >= 0.1 => 2,
        _ => 4,
    };
    let text = format!("{figure:.digits$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::{Agreement, Tolerance, Verdict, text};

    #[test]
    fn a_difference_needs_a_reason_that_the_simulation_shows() {
        let tolerance = Tolerance { share: 0.1, least: 0.5 };
        let judge = |reference, simulation, measured| {
            let others = [reference, None, simulation];
            Verdict::judge("x", others, measured, tolerance, "y").agreement
        };
        assert_eq!(judge(Some(24.0), Some(13.0), 25.0), Agreement::Agrees);
        let because = Agreement::DiffersBecause("y".into());
        assert_eq!(judge(Some(24.0), Some(13.0), 13.2), because);
        assert_eq!(judge(Some(24.0), None, 13.2), Agreement::Differs);
        assert_eq!(judge(Some(24.0), Some(13.0), 18.0), Agreement::NotUnderstood);
        assert_eq!(judge(None, Some(13.0), 18.0), Agreement::New);
    }

    #[test]
    fn a_plain_difference_needs_a_measurement_that_shows_its_reason() {
        let claim = |holds, shows| Verdict::claim("x", 1.0, holds).explained(shows, "y").agreement;
        assert_eq!(claim(true, true), Agreement::Agrees);
        assert_eq!(claim(false, false), Agreement::Differs);
        assert_eq!(claim(false, true), Agreement::DiffersBecause("y".into()));
        let verdict = Verdict::claim("x", 1.0, false).explained(true, "y").unexplained();
        assert_eq!(verdict.agreement, Agreement::Differs);
        // A reason that the simulation contradicts is not accepted.
        let tolerance = Tolerance { share: 0.1, least: 0.5 };
        let others = [Some(24.0), None, Some(13.0)];
        let verdict = Verdict::judge("x", others, 18.0, tolerance, "").explained(true, "y");
        assert_eq!(verdict.agreement, Agreement::NotUnderstood);
    }

    #[test]
    fn a_line_has_every_figure() {
        let tolerance = Tolerance { share: 0.1, least: 0.0 };
        let others = [Some(24.0), None, Some(13.25)];
        let verdict = Verdict::judge("pages", others, 13.5, tolerance, "it is so");
        let expected =
            "pages: reference 24, simulation 13.2, measured 13.5: differs because it is so";
        assert_eq!(verdict.line(), expected);
        assert_eq!([1234.5, 0.0, 0.01234, 3.0].map(text), ["1234", "0", "0.0123", "3"]);
    }
}
