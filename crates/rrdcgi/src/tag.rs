//! The tags, by name.

/// What a tag asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tag {
    /// A variable of the request.
    Cv,
    /// The same, as a path that leads nowhere above or beside.
    CvPath,
    /// The same in quotes.
    CvQuote,
    GetEnv,
    GetVar,
    GoodFor,
    Graph,
    Include,
    Print,
    SetEnv,
    SetVar,
    TimeLast,
    TimeNow,
    TimeStrftime,
    Internal,
}

impl Tag {
    /// All, in the order in which one place of a page is held against them. What a tag leaves
    /// there may be one that stands later in this list.
    pub(crate) const ALL: [Self; 15] = [
        Self::Cv,
        Self::CvPath,
        Self::CvQuote,
        Self::GetEnv,
        Self::GetVar,
        Self::GoodFor,
        Self::Graph,
        Self::Include,
        Self::Print,
        Self::SetEnv,
        Self::SetVar,
        Self::TimeLast,
        Self::TimeNow,
        Self::TimeStrftime,
        Self::Internal,
    ];

    /// What stands before its words.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Cv => "<RRD::CV",
            Self::CvPath => "<RRD::CV::PATH",
            Self::CvQuote => "<RRD::CV::QUOTE",
            Self::GetEnv => "<RRD::GETENV",
            Self::GetVar => "<RRD::GETVAR",
            Self::GoodFor => "<RRD::GOODFOR",
            Self::Graph => "<RRD::GRAPH",
            Self::Include => "<RRD::INCLUDE",
            Self::Print => "<RRD::PRINT",
            Self::SetEnv => "<RRD::SETENV",
            Self::SetVar => "<RRD::SETVAR",
            Self::TimeLast => "<RRD::TIME::LAST",
            Self::TimeNow => "<RRD::TIME::NOW",
            Self::TimeStrftime => "<RRD::TIME::STRFTIME",
            Self::Internal => "<RRD::INTERNAL",
        }
    }

    /// Whether it is about a request. A filter leaves it alone.
    pub(crate) const fn is_of_request(self) -> bool {
        matches!(self, Self::Cv | Self::CvPath | Self::CvQuote | Self::GetEnv)
    }

    /// Whether it may stand among another tag's words: it is there for the text that it gives.
    pub(crate) const fn may_be_nested(self) -> bool {
        self.is_of_request()
            || matches!(self, Self::GetVar | Self::Internal)
            || matches!(self, Self::TimeLast | Self::TimeNow | Self::TimeStrftime)
    }
}
