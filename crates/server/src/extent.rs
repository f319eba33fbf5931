//! The time that a graph or a chart shows: the last day and the like, or any stretch.

use std::collections::HashMap;

use jiff::tz::TimeZone;

use crate::period::Period;
use crate::span::{NoSpan, Span};

/// The time that is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// Up to the present.
    Last(Period),
    /// This stretch.
    Between(Span),
}

/// Words of a URL that tell no time.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(crate) enum NoExtent {
    /// A name that is none.
    #[error("span: expected hour, day, week, month or year")]
    Name,
    /// Start and end are wrong.
    #[error(transparent)]
    Span(#[from] NoSpan),
}

impl Extent {
    /// What the words of a URL tell: `start` and `end`, or the name of a period as `span`; without
    /// them, `otherwise`.
    ///
    /// # Errors
    /// [`NoExtent`].
    pub(crate) fn of(
        words: &HashMap<String, String>,
        otherwise: Period,
        now_seconds: i64,
        zone: &TimeZone,
    ) -> Result<Self, NoExtent> {
        let word = |name: &str| words.get(name).map(|it| &**it).filter(|it| !it.is_empty());
        if word("start").is_some() || word("end").is_some() {
            let span = Span::between(word("start"), word("end"), now_seconds, zone)?;
            return Ok(Self::Between(span));
        }
        match word("span").or_else(|| word("period")) {
            None => Ok(Self::Last(otherwise)),
            Some(name) => Period::named(name).map(Self::Last).ok_or(NoExtent::Name),
        }
    }

    /// The period whose settings and looks hold.
    pub(crate) fn period(self) -> Period {
        match self {
            Self::Last(period) => period,
            Self::Between(span) => Period::nearest(span.seconds()),
        }
    }

    /// How long it is.
    pub(crate) fn seconds(self) -> u64 {
        match self {
            Self::Last(period) => period.span_seconds(),
            Self::Between(span) => span.seconds(),
        }
    }

    /// The options of `rrdtool graph` for it.
    pub(crate) fn options(self) -> [String; 2] {
        match self {
            Self::Last(period) => {
                [format!("--start=end-{}s", period.span_seconds()), "--end=now".to_owned()]
            }
            Self::Between(Span { start_seconds, end_seconds }) => {
                [format!("--start={start_seconds}"), format!("--end={end_seconds}")]
            }
        }
    }

    /// The stretch at a time.
    pub(crate) fn at(self, now_seconds: i64) -> Span {
        match self {
            Self::Between(span) => span,
            Self::Last(period) => Span {
                start_seconds: now_seconds.saturating_sub_unsigned(period.chart_seconds()),
                end_seconds: now_seconds,
            },
        }
    }

    /// The name of its picture: `day.svg`, `span.svg?start=1700000000&end=1700003600`. `more` are
    /// further words of the URL.
    pub(crate) fn picture(self, ending: &str, more: &str) -> String {
        match self {
            Self::Last(period) if more.is_empty() => format!("{}.{ending}", period.name()),
            Self::Last(period) => format!("{}.{ending}?{more}", period.name()),
            Self::Between(Span { start_seconds, end_seconds }) => {
                let and = if more.is_empty() { "" } else { "&" };
                format!("span.{ending}?start={start_seconds}&end={end_seconds}{and}{more}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use jiff::tz::TimeZone;

    use super::{Extent, NoExtent};
    use crate::period::Period;

    #[test]
    fn words_tell_a_period_or_a_stretch() {
        let of = |words: &[(&str, &str)]| {
            let words = words.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
            let words: HashMap<_, _> = words.collect();
            Extent::of(&words, Period::Day, 1_700_000_000, &TimeZone::UTC)
        };
        assert_eq!(of(&[]), Ok(Extent::Last(Period::Day)));
        assert_eq!(of(&[("span", "week")]), Ok(Extent::Last(Period::Week)));
        assert_eq!(of(&[("span", "century")]), Err(NoExtent::Name));
        let hours = of(&[("start", "end-3h"), ("end", "1600000000")]).unwrap();
        assert_eq!(hours.options(), ["--start=1599989200", "--end=1600000000"]);
        assert_eq!((hours.period(), hours.seconds()), (Period::Hour, 10_800));
        assert_eq!(hours.picture("svg", "a=b"), "span.svg?start=1599989200&end=1600000000&a=b");
        let week = Extent::Last(Period::Week);
        assert_eq!(week.picture("png", ""), "week.png");
        assert_eq!(week.at(1_700_000_000).seconds(), 604_800);
    }
}
