//! The layouts of the experiments.

use capacity::trace::{BlockMap, Shape};
use rrd::Definition;
use serde::{Deserialize, Serialize};

/// The kernel's page.
pub(crate) const PAGE_BYTES: u64 = 4096;

const DAY_SECONDS: u64 = 86_400;

/// One layout of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Layout {
    /// MRTG's layout: 800 rows an archive, 105,312 bytes.
    Mrtg,
    /// The same with the finest averages for a year: 1.7 MB.
    OneYear,
    /// The same with the finest averages for five years: 8.2 MB.
    FiveYears,
    /// MRTG's layout without the maxima of five minutes, which equal the averages.
    NoFinestMaxima,
    /// MRTG's eight archives as four: each row has the averages and the maxima.
    Interleaved,
    /// MRTG's layout for a step of a minute; its archives cover the same times.
    Minute,
    /// The site of 2003: ten sources and about 4 MB, with this step.
    TenSources {
        /// Seconds between updates.
        step_seconds: u64,
    },
}

impl Layout {
    /// The layouts of the reference.
    pub(crate) const REFERENCE: [Self; 3] = [Self::Mrtg, Self::OneYear, Self::FiveYears];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Mrtg => "800-rows",
            Self::OneYear => "one-year",
            Self::FiveYears => "five-years",
            Self::NoFinestMaxima => "no-finest-maxima",
            Self::Interleaved => "interleaved",
            Self::Minute => "minute",
            Self::TenSources { step_seconds: 30 } => "ten-sources-30s",
            Self::TenSources { .. } => "ten-sources-180s",
        }
    }

    pub(crate) fn step_seconds(self) -> u64 {
        match self {
            Self::TenSources { step_seconds } => step_seconds,
            Self::Minute => 60,
            _ => 300,
        }
    }

    pub(crate) fn sources(self) -> usize {
        match self {
            Self::TenSources { .. } => 10,
            // The maxima of two sources are stored like two more sources.
            Self::Interleaved => 4,
            _ => 2,
        }
    }

    /// The definition of the files.
    pub(crate) fn definition(self) -> Definition {
        let step_seconds = self.step_seconds();
        let heartbeat_seconds = 2 * step_seconds;
        let source = |nth| format!("DS:ds{nth}:COUNTER:{heartbeat_seconds}:0:U");
        // In MRTG's order: the averages first.
        let archives = ["AVERAGE", "MAX"].into_iter().flat_map(|cf| {
            let rows = self.archives(cf).into_iter();
            rows.map(move |(pdps, rows)| format!("RRA:{cf}:0.5:{pdps}:{rows}"))
        });
        let words: Vec<String> = (0..self.sources()).map(source).chain(archives).collect();
        let definition = rrd::spec::definition(step_seconds, words.iter().map(String::as_str));
        definition.expect("the words above are those of a definition")
    }

    /// Primary data points a row, and rows.
    fn archives(self, cf: &str) -> Vec<(u64, u64)> {
        let finest = match self {
            Self::Interleaved if cf == "MAX" => return vec![],
            Self::NoFinestMaxima if cf == "MAX" => return vec![(6, 800), (24, 800), (288, 800)],
            Self::Minute => return vec![(1, 800), (30, 800), (120, 800), (1440, 800)],
            Self::OneYear if cf == "AVERAGE" => 365 * DAY_SECONDS / 300,
            Self::FiveYears if cf == "AVERAGE" => 5 * 365 * DAY_SECONDS / 300,
            // 52,000 rows of 80 bytes, divided among spans that suit the step.
            Self::TenSources { .. } => return vec![(1, 17_000), (10, 6_000), (80, 3_000)],
            _ => 800,
        };
        vec![(1, finest), (6, 800), (24, 800), (288, 800)]
    }

    /// The file in pages, without its inode.
    pub(crate) fn shape(self) -> Shape {
        let shape = Shape::new(&self.definition(), PAGE_BYTES, BlockMap::DataOnly);
        shape.expect("the layouts have sources, archives and few pages")
    }

    /// Pages of a file.
    pub(crate) fn pages(self) -> u64 {
        self.shape().data_pages().into()
    }

    /// Bytes that a file takes on disk.
    pub(crate) fn disk_bytes(self) -> u64 {
        self.pages() * PAGE_BYTES
    }
}

#[cfg(test)]
mod tests {
    use super::Layout;

    #[test]
    fn files_have_the_references_sizes() {
        let pages = |layout: Layout| layout.shape().data_pages();
        assert_eq!(pages(Layout::Mrtg), 26);
        assert_eq!(pages(Layout::Interleaved), 26);
        assert_eq!(pages(Layout::OneYear), 434);
        assert_eq!(pages(Layout::FiveYears), 2076);
        let megabytes = Layout::TenSources { step_seconds: 180 }.disk_bytes() as f64 / 1e6;
        assert!((4.0..4.3).contains(&megabytes), "{megabytes}");
    }
}
