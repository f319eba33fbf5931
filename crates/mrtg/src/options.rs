//! `Options[]`: words that enable features of one target.

use std::fmt;

use crate::text::words;

/// One word of `Options[]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
#[allow(
    missing_docs,
    reason = "each is MRTG's word of the same name; what it does is MRTG's reference"
)]
pub enum Flag {
    Growright,
    Bits,
    Noinfo,
    Absolute,
    Gauge,
    Nopercent,
    Avgpeak,
    Derive,
    Integer,
    Perhour,
    Perminute,
    Transparent,
    Dorelpercent,
    Unknaszero,
    Withzeroes,
    Noborder,
    Noarrow,
    Noi,
    Noo,
    Nobanner,
    Nolegend,
    Logscale,
    Secondmean,
    Pngdate,
    Printrouter,
    Expscale,
}

impl Flag {
    /// Every word, with its spelling.
    pub const ALL: [(&'static str, Self); 26] = [
        ("growright", Self::Growright),
        ("bits", Self::Bits),
        ("noinfo", Self::Noinfo),
        ("absolute", Self::Absolute),
        ("gauge", Self::Gauge),
        ("nopercent", Self::Nopercent),
        ("avgpeak", Self::Avgpeak),
        ("derive", Self::Derive),
        ("integer", Self::Integer),
        ("perhour", Self::Perhour),
        ("perminute", Self::Perminute),
        ("transparent", Self::Transparent),
        ("dorelpercent", Self::Dorelpercent),
        ("unknaszero", Self::Unknaszero),
        ("withzeroes", Self::Withzeroes),
        ("noborder", Self::Noborder),
        ("noarrow", Self::Noarrow),
        ("noi", Self::Noi),
        ("noo", Self::Noo),
        ("nobanner", Self::Nobanner),
        ("nolegend", Self::Nolegend),
        ("logscale", Self::Logscale),
        ("secondmean", Self::Secondmean),
        ("pngdate", Self::Pngdate),
        ("printrouter", Self::Printrouter),
        ("expscale", Self::Expscale),
    ];
}

/// A set of [`Flag`]s.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Options(u32);

impl Options {
    /// Whether a flag is set.
    #[must_use]
    pub const fn has(self, flag: Flag) -> bool {
        self.0 & (1 << flag as u32) != 0
    }

    /// This set with another flag.
    #[must_use]
    pub const fn with(self, flag: Flag) -> Self {
        Self(self.0 | 1 << flag as u32)
    }

    /// The flags of the set, in [`Flag::ALL`]'s order.
    pub fn iter(self) -> impl Iterator<Item = Flag> {
        Flag::ALL.into_iter().map(|(_, flag)| flag).filter(move |flag| self.has(*flag))
    }

    /// Parses words separated by commas or spaces, in any case. The error is the first unknown
    /// word.
    pub(crate) fn parse(value: &[u8]) -> Result<Self, Vec<u8>> {
        words(value).try_fold(Self::default(), |set, word| {
            Flag::ALL
                .into_iter()
                .find(|(name, _)| name.as_bytes() == word)
                .map(|(_, flag)| set.with(flag))
                .ok_or(word)
        })
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_sets_its_own_flag() {
        for (name, flag) in Flag::ALL {
            let set = Options::parse(name.to_uppercase().as_bytes()).unwrap();
            assert_eq!(set.iter().collect::<Vec<_>>(), [flag]);
        }
    }

    #[test]
    fn an_unknown_word_is_named() {
        assert_eq!(Options::parse(b"bits, growrigt"), Err(b"growrigt".to_vec()));
    }
}
