//! The operators: their names, and how many values each takes and leaves.

/// What an operator does to the depth of the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// Takes and leaves fixed numbers of values.
    Fixed(usize, usize),
    /// Takes a count `n`, and leaves the `n` values below it in place.
    KeepsCounted,
    /// Takes a count `n` and the `n` values below it, and leaves one.
    FoldsCounted,
    /// Takes a count `n`, and leaves copies of the `n` values below it above them.
    DoublesCounted,
    /// Takes a position `n`, and leaves a copy of the value there.
    CopiesOne,
    /// Takes a count, a percentage below it and the values below that, and leaves one.
    FoldsCountedWithParameter,
    /// Takes a series, a length of time, a count `n` below it and the `n` values below that, and
    /// leaves one.
    Predicts,
    /// Takes a distance, a count `n` below it, and leaves the `n` values below that.
    Rolls,
}

macro_rules! operators {
    ($($variant:ident $name:literal $effect:expr,)*) => {
        /// An operator.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Operator { $($variant,)* }

        impl Operator {
            /// The operator of that name.
            pub(super) fn named(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$variant),)*
                    _ => None,
                }
            }

            /// Its name.
            pub(super) const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            /// What it does to the depth of the stack.
            pub(super) const fn effect(self) -> Effect {
                match self {
                    $(Self::$variant => $effect,)*
                }
            }
        }
    };
}

/// Which words an expression may have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Vocabulary {
    /// rrdtool's.
    #[default]
    Rrdtool,
    /// rrdtool's, and those of gyre's own, which have a dot: no operator of rrdtool's has one.
    Gyre,
}

impl Operator {
    /// The operator that a word names in a vocabulary.
    pub(super) fn in_vocabulary(word: &str, vocabulary: Vocabulary) -> Option<Self> {
        let is_own = word.contains('.');
        Self::named(word).filter(|_| !is_own || vocabulary == Vocabulary::Gyre)
    }

    /// How many words before it the series stands that it looks back along, if it is TREND or one of
    /// its like.
    pub(super) const fn series_of_trend(self) -> Option<usize> {
        match self {
            Self::Trend
            | Self::TrendKnown
            | Self::TrendSmallest
            | Self::TrendLargest
            | Self::TrendDeviation
            | Self::TrendMedian => Some(2),
            Self::TrendPercentile => Some(3),
            _ => None,
        }
    }
}

use Effect::{
    CopiesOne, DoublesCounted, Fixed, FoldsCounted, FoldsCountedWithParameter, KeepsCounted,
    Predicts, Rolls,
};

operators! {
    Add "+" Fixed(2, 1),
    Subtract "-" Fixed(2, 1),
    Multiply "*" Fixed(2, 1),
    Divide "/" Fixed(2, 1),
    Remainder "%" Fixed(2, 1),
    Power "POW" Fixed(2, 1),
    Sine "SIN" Fixed(1, 1),
    Cosine "COS" Fixed(1, 1),
    Logarithm "LOG" Fixed(1, 1),
    Exponential "EXP" Fixed(1, 1),
    SquareRoot "SQRT" Fixed(1, 1),
    ArcTangent "ATAN" Fixed(1, 1),
    ArcTangent2 "ATAN2" Fixed(2, 1),
    Floor "FLOOR" Fixed(1, 1),
    Ceiling "CEIL" Fixed(1, 1),
    Round "ROUND" Fixed(1, 1),
    Absolute "ABS" Fixed(1, 1),
    ToRadians "DEG2RAD" Fixed(1, 1),
    ToDegrees "RAD2DEG" Fixed(1, 1),
    Less "LT" Fixed(2, 1),
    LessOrEqual "LE" Fixed(2, 1),
    Greater "GT" Fixed(2, 1),
    GreaterOrEqual "GE" Fixed(2, 1),
    Equal "EQ" Fixed(2, 1),
    NotEqual "NE" Fixed(2, 1),
    IsUnknown "UN" Fixed(1, 1),
    IsInfinite "ISINF" Fixed(1, 1),
    If "IF" Fixed(3, 1),
    Minimum "MIN" Fixed(2, 1),
    Maximum "MAX" Fixed(2, 1),
    MinimumKnown "MINNAN" Fixed(2, 1),
    MaximumKnown "MAXNAN" Fixed(2, 1),
    Limit "LIMIT" Fixed(3, 1),
    AddKnown "ADDNAN" Fixed(2, 1),
    Unknown "UNKN" Fixed(0, 1),
    Infinity "INF" Fixed(0, 1),
    NegativeInfinity "NEGINF" Fixed(0, 1),
    Previous "PREV" Fixed(0, 1),
    Count "COUNT" Fixed(0, 1),
    Now "NOW" Fixed(0, 1),
    Time "TIME" Fixed(0, 1),
    LocalTime "LTIME" Fixed(0, 1),
    StepWidth "STEPWIDTH" Fixed(0, 1),
    NewDay "NEWDAY" Fixed(0, 1),
    NewWeek "NEWWEEK" Fixed(0, 1),
    NewMonth "NEWMONTH" Fixed(0, 1),
    NewYear "NEWYEAR" Fixed(0, 1),
    Duplicate "DUP" Fixed(1, 2),
    Pop "POP" Fixed(1, 0),
    Exchange "EXC" Fixed(2, 2),
    Depth "DEPTH" Fixed(0, 1),
    Copy "COPY" DoublesCounted,
    Index "INDEX" CopiesOne,
    Roll "ROLL" Rolls,
    Sort "SORT" KeepsCounted,
    Reverse "REV" KeepsCounted,
    Average "AVG" FoldsCounted,
    Median "MEDIAN" FoldsCounted,
    Deviation "STDEV" FoldsCounted,
    Percentile "PERCENT" FoldsCountedWithParameter,
    Smallest "SMIN" FoldsCounted,
    Largest "SMAX" FoldsCounted,
    Trend "TREND" Fixed(2, 1),
    TrendKnown "TRENDNAN" Fixed(2, 1),
    TrendSmallest "TREND.MIN" Fixed(2, 1),
    TrendLargest "TREND.MAX" Fixed(2, 1),
    TrendDeviation "TREND.STDEV" Fixed(2, 1),
    TrendMedian "TREND.MEDIAN" Fixed(2, 1),
    TrendPercentile "TREND.PERCENT" Fixed(3, 1),
    Predict "PREDICT" Predicts,
    PredictDeviation "PREDICTSIGMA" Predicts,
    PredictPercentile "PREDICTPERC" Predicts,
}
