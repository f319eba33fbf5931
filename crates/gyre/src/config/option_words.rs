//! What the words of `Options[]` do.

use mrtg::Flag;

/// What a word does, and whether gyre's pages or databases show it.
pub(super) fn meaning(flag: Flag) -> &'static str {
    match flag {
        Flag::Growright => "graphs grow to the right, as all of gyre's do",
        Flag::Bits => "values are shown in bits a second, 8 times what is stored",
        Flag::Noinfo => "MRTG's page has no lines on the device",
        Flag::Absolute => "each value is the amount since the last one: an ABSOLUTE database",
        Flag::Gauge => "values are stored as they are: a GAUGE database, decimals kept",
        Flag::Nopercent => "MRTG's page shows no percentages of MaxBytes",
        Flag::Avgpeak => "MRTG's page tells averages of the maxima, too",
        Flag::Derive => "differences may be negative; MRTG's minimum is 0 all the same: DERIVE",
        Flag::Integer => "values are shown without decimals",
        Flag::Perhour => "values are shown an hour",
        Flag::Perminute => "values are shown a minute",
        Flag::Transparent => "MRTG's pictures have no background",
        Flag::Dorelpercent => "MRTG draws in as a share of out",
        Flag::Unknaszero => "unknown values are drawn as zero",
        Flag::Withzeroes => "zeros count in MRTG's averages",
        Flag::Noborder => "MRTG's pictures have no border",
        Flag::Noarrow => "MRTG's axes have no arrow",
        Flag::Noi => "the first value is not drawn",
        Flag::Noo => "the second value is not drawn",
        Flag::Nobanner => "MRTG's page has no banner",
        Flag::Nolegend => "MRTG's page has no legend",
        Flag::Logscale => "the vertical axis is logarithmic",
        Flag::Secondmean => "MRTG draws a logarithmic axis about the mean",
        Flag::Pngdate => "MRTG's pictures bear the date",
        Flag::Printrouter => "MRTG's pictures bear the title",
        Flag::Expscale => "MRTG's vertical axis is exponential",
    }
}

/// The spelling of a word.
pub(super) fn word(flag: Flag) -> &'static str {
    Flag::ALL.iter().find(|(_, known)| *known == flag).map_or("", |(word, _)| *word)
}
