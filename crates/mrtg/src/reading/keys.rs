//! Every key that MRTG 2.17.10 knows, and those that are gyre's own.
//!
//! A key of gyre's own is written `gyre*Key[target]`. MRTG leaves such keys to a tool named gyre.

use crate::{Note, Position};

/// What the name of a key of gyre's own begins with, in any case.
pub(super) const OWN_PREFIX: &str = "gyre*";

/// What gyre does with a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// What MRTG's manual says.
    Used,
    /// It concerns the HTML pages that MRTG writes, and `gyre pages`.
    StaticPage,
    /// It concerns the HTML pages that MRTG writes, and nothing of gyre's.
    Page,
    /// There is nothing to do, for this reason.
    Moot(&'static str),
}

impl Use {
    /// What is said of a key or a word at its first use.
    pub(super) fn note(self, key: &str, position: &Position) -> Option<Note> {
        let (key, position) = (key.to_owned(), position.clone());
        match self {
            Self::Used => None,
            Self::StaticPage => Some(Note::OfStaticPages { key, position }),
            Self::Page => Some(Note::OfPages { key, position }),
            Self::Moot(why) => Some(Note::Moot { key, position, why }),
        }
    }
}

/// A key without a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub(super) enum GlobalKey {
    WorkDir,
    HtmlDir,
    ImageDir,
    LogDir,
    Interval,
    Refresh,
    RunAsDaemon,
    NoDetach,
    LogFormat,
    EnableIPv6,
    EnableSnmpV3,
    SnmpOptions,
    NoSpaceChar,
    Forks,
    WriteExpires,
    NoMib2,
    SingleRequest,
    IconDir,
    Language,
    LoadMIBs,
    PathAdd,
    LibAdd,
    MaxAge,
    ConversionCode,
    RRDCached,
    SendToGraphite,
    ThreshDir,
    ThreshHyst,
    HWThreshHyst,
    ThreshMailServer,
    ThreshMailSender,
}

impl GlobalKey {
    /// Every key with its spelling.
    pub(super) const ALL: [(&'static str, Self); 31] = [
        ("WorkDir", Self::WorkDir),
        ("HtmlDir", Self::HtmlDir),
        ("ImageDir", Self::ImageDir),
        ("LogDir", Self::LogDir),
        ("Interval", Self::Interval),
        ("Refresh", Self::Refresh),
        ("RunAsDaemon", Self::RunAsDaemon),
        ("NoDetach", Self::NoDetach),
        ("LogFormat", Self::LogFormat),
        ("EnableIPv6", Self::EnableIPv6),
        ("EnableSnmpV3", Self::EnableSnmpV3),
        ("SnmpOptions", Self::SnmpOptions),
        ("NoSpaceChar", Self::NoSpaceChar),
        ("Forks", Self::Forks),
        ("WriteExpires", Self::WriteExpires),
        ("NoMib2", Self::NoMib2),
        ("SingleRequest", Self::SingleRequest),
        ("IconDir", Self::IconDir),
        ("Language", Self::Language),
        ("LoadMIBs", Self::LoadMIBs),
        ("PathAdd", Self::PathAdd),
        ("LibAdd", Self::LibAdd),
        ("MaxAge", Self::MaxAge),
        ("ConversionCode", Self::ConversionCode),
        ("RRDCached", Self::RRDCached),
        ("SendToGraphite", Self::SendToGraphite),
        ("ThreshDir", Self::ThreshDir),
        ("ThreshHyst", Self::ThreshHyst),
        ("HWThreshHyst", Self::HWThreshHyst),
        ("ThreshMailServer", Self::ThreshMailServer),
        ("ThreshMailSender", Self::ThreshMailSender),
    ];

    /// The key of this name, in any case.
    pub(super) fn find(name: &[u8]) -> Option<Self> {
        find(&Self::ALL, name)
    }

    /// Its usual spelling.
    pub(super) fn name(self) -> &'static str {
        Self::ALL.get(self as usize).map_or("", |(name, _)| name)
    }

    /// What gyre does with it.
    pub(super) const fn purpose(self) -> Use {
        match self {
            Self::WriteExpires | Self::HtmlDir | Self::ImageDir | Self::Refresh => Use::StaticPage,
            Self::IconDir | Self::Language => Use::Page,
            Self::RunAsDaemon | Self::NoDetach => {
                Use::Moot("gyre run measures until it is told to end, and stays in the foreground")
            }
            Self::EnableSnmpV3 => Use::Moot("SNMPv3 is spoken where a Target has version 3"),
            Self::Forks => Use::Moot("gyre asks all devices side by side"),
            Self::NoMib2 => Use::Moot(
                "gyre asks for sysUpTime with other values, and does without it where it is missing",
            ),
            Self::LibAdd => Use::Moot("gyre needs no module of Perl's"),
            Self::ConversionCode => Use::Moot(
                "it is a file of Perl, which gyre does not run; targets with |name are not measured",
            ),
            _ => Use::Used,
        }
    }
}

/// A key with a target in brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub(super) enum TargetKey {
    Target,
    SnmpOptions,
    NoHC,
    IPv4Only,
    MaxBytes,
    MaxBytes1,
    MaxBytes2,
    AbsMax,
    Title,
    PageTop,
    Directory,
    Unscaled,
    WithPeak,
    Suppress,
    XSize,
    YSize,
    Factor,
    Options,
    Kilo,
    Kmg,
    YLegend,
    ShortLegend,
    Legend1,
    Legend2,
    Legend3,
    Legend4,
    Legend5,
    LegendI,
    LegendO,
    SetEnv,
    RRDRowCount,
    RRDRowCount30m,
    RRDRowCount2h,
    RRDRowCount1d,
    RouterUptime,
    RouterName,
    PageFoot,
    AddHead,
    BodyTag,
    Background,
    TextColor,
    Colours,
    CloneDirectory,
    Extension,
    XZoom,
    YZoom,
    XScale,
    YScale,
    YTics,
    YTicsFactor,
    Step,
    PNGTitle,
    Timezone,
    WeekFormat,
    RRDHWRRAs,
    TimeStrPos,
    TimeStrFmt,
    ThreshMinI,
    ThreshMaxI,
    ThreshMinO,
    ThreshMaxO,
    ThreshDesc,
    ThreshProgI,
    ThreshProgO,
    ThreshProgOKI,
    ThreshProgOKO,
    ThreshMailAddress,
    HWThreshMinI,
    HWThreshMaxI,
    HWThreshMinO,
    HWThreshMaxO,
    HWThreshDesc,
    HWThreshProgI,
    HWThreshProgO,
    HWThreshProgOKI,
    HWThreshProgOKO,
    HWThreshMailAddress,
    GyreAlias,
    GyreTransport,
    GyreInterval,
    GyreMaxBytes,
    GyreLabels,
}

impl TargetKey {
    /// Every key with its spelling.
    pub(super) const ALL: [(&'static str, Self); 82] = [
        ("Target", Self::Target),
        ("SnmpOptions", Self::SnmpOptions),
        ("NoHC", Self::NoHC),
        ("IPv4Only", Self::IPv4Only),
        ("MaxBytes", Self::MaxBytes),
        ("MaxBytes1", Self::MaxBytes1),
        ("MaxBytes2", Self::MaxBytes2),
        ("AbsMax", Self::AbsMax),
        ("Title", Self::Title),
        ("PageTop", Self::PageTop),
        ("Directory", Self::Directory),
        ("Unscaled", Self::Unscaled),
        ("WithPeak", Self::WithPeak),
        ("Suppress", Self::Suppress),
        ("XSize", Self::XSize),
        ("YSize", Self::YSize),
        ("Factor", Self::Factor),
        ("Options", Self::Options),
        ("kilo", Self::Kilo),
        ("kMG", Self::Kmg),
        ("YLegend", Self::YLegend),
        ("ShortLegend", Self::ShortLegend),
        ("Legend1", Self::Legend1),
        ("Legend2", Self::Legend2),
        ("Legend3", Self::Legend3),
        ("Legend4", Self::Legend4),
        ("Legend5", Self::Legend5),
        ("LegendI", Self::LegendI),
        ("LegendO", Self::LegendO),
        ("SetEnv", Self::SetEnv),
        ("RRDRowCount", Self::RRDRowCount),
        ("RRDRowCount30m", Self::RRDRowCount30m),
        ("RRDRowCount2h", Self::RRDRowCount2h),
        ("RRDRowCount1d", Self::RRDRowCount1d),
        ("RouterUptime", Self::RouterUptime),
        ("RouterName", Self::RouterName),
        ("PageFoot", Self::PageFoot),
        ("AddHead", Self::AddHead),
        ("BodyTag", Self::BodyTag),
        ("Background", Self::Background),
        ("TextColor", Self::TextColor),
        ("Colours", Self::Colours),
        ("CloneDirectory", Self::CloneDirectory),
        ("Extension", Self::Extension),
        ("XZoom", Self::XZoom),
        ("YZoom", Self::YZoom),
        ("XScale", Self::XScale),
        ("YScale", Self::YScale),
        ("YTics", Self::YTics),
        ("YTicsFactor", Self::YTicsFactor),
        ("Step", Self::Step),
        ("PNGTitle", Self::PNGTitle),
        ("Timezone", Self::Timezone),
        ("WeekFormat", Self::WeekFormat),
        ("RRDHWRRAs", Self::RRDHWRRAs),
        ("TimeStrPos", Self::TimeStrPos),
        ("TimeStrFmt", Self::TimeStrFmt),
        ("ThreshMinI", Self::ThreshMinI),
        ("ThreshMaxI", Self::ThreshMaxI),
        ("ThreshMinO", Self::ThreshMinO),
        ("ThreshMaxO", Self::ThreshMaxO),
        ("ThreshDesc", Self::ThreshDesc),
        ("ThreshProgI", Self::ThreshProgI),
        ("ThreshProgO", Self::ThreshProgO),
        ("ThreshProgOKI", Self::ThreshProgOKI),
        ("ThreshProgOKO", Self::ThreshProgOKO),
        ("ThreshMailAddress", Self::ThreshMailAddress),
        ("HWThreshMinI", Self::HWThreshMinI),
        ("HWThreshMaxI", Self::HWThreshMaxI),
        ("HWThreshMinO", Self::HWThreshMinO),
        ("HWThreshMaxO", Self::HWThreshMaxO),
        ("HWThreshDesc", Self::HWThreshDesc),
        ("HWThreshProgI", Self::HWThreshProgI),
        ("HWThreshProgO", Self::HWThreshProgO),
        ("HWThreshProgOKI", Self::HWThreshProgOKI),
        ("HWThreshProgOKO", Self::HWThreshProgOKO),
        ("HWThreshMailAddress", Self::HWThreshMailAddress),
        ("gyre*Alias", Self::GyreAlias),
        ("gyre*Transport", Self::GyreTransport),
        ("gyre*Interval", Self::GyreInterval),
        ("gyre*MaxBytes", Self::GyreMaxBytes),
        ("gyre*Labels", Self::GyreLabels),
    ];

    /// The key of this name, in any case.
    pub(super) fn find(name: &[u8]) -> Option<Self> {
        find(&Self::ALL, name)
    }

    /// Its usual spelling.
    pub(super) fn name(self) -> &'static str {
        Self::ALL.get(self as usize).map_or("", |(name, _)| name)
    }

    /// What gyre does with it.
    pub(super) const fn purpose(self) -> Use {
        match self {
            Self::PageFoot
            | Self::AddHead
            | Self::BodyTag
            | Self::Background
            | Self::TextColor
            | Self::Colours
            | Self::Extension
            | Self::Kmg
            | Self::Timezone => Use::StaticPage,
            Self::RouterUptime
            | Self::RouterName
            | Self::CloneDirectory
            | Self::XZoom
            | Self::YZoom
            | Self::XScale
            | Self::YScale
            | Self::YTics
            | Self::YTicsFactor
            | Self::PNGTitle
            | Self::WeekFormat
            | Self::TimeStrPos
            | Self::TimeStrFmt => Use::Page,
            Self::Step => {
                Use::Moot("a database has the step of Interval, as with MRTG and rrdtool")
            }
            _ => Use::Used,
        }
    }
}

/// Whether a name is that of a key of gyre's own, there being one or not.
pub(super) fn is_own(name: &[u8]) -> bool {
    let beginning = name.get(..OWN_PREFIX.len());
    beginning.is_some_and(|it| it.eq_ignore_ascii_case(OWN_PREFIX.as_bytes()))
}

/// The key of a name in any case.
fn find<K: Copy>(all: &[(&str, K)], name: &[u8]) -> Option<K> {
    let found = all.iter().find(|(known, _)| name.eq_ignore_ascii_case(known.as_bytes()));
    found.map(|(_, key)| *key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_stand_at_their_own_place() {
        for (nth, (name, key)) in TargetKey::ALL.into_iter().enumerate() {
            assert_eq!((key as usize, key.name()), (nth, name));
            assert_eq!(TargetKey::find(name.to_uppercase().as_bytes()), Some(key));
        }
        for (nth, (name, key)) in GlobalKey::ALL.into_iter().enumerate() {
            assert_eq!((key as usize, key.name()), (nth, name));
        }
    }
}
