//! Names what the pages of an `.rrd` file hold.

use std::collections::HashSet;
use std::io;
use std::ops::Range;

use pagecache::{Opened, peek};
use rrdfile::{Header, Section};
use serde_json::json;

use super::{Pages, Part, times_text};
use figures::span;

/// A larger header is not plausible; the file is then treated as damaged.
const HEADER_BYTES_MAX: usize = 64 << 20;

/// The pages of a file whose header was read.
pub(super) struct RrdPages {
    header: Header,
    page_bytes: u64,
    hot: HashSet<u64>,
}

/// The pages of a file. `None` if it is not an `.rrd` file of this machine's format, is damaged, or
/// the kernel does not tell about it.
pub(super) fn pages_of(opened: &Opened<'_>) -> io::Result<Option<RrdPages>> {
    let file_bytes = opened.facts.bytes;
    let page_bytes = disk::page_bytes();
    let mut bytes = vec![0; page_bytes];
    let Some(read) = peek(opened.file, file_bytes, &mut bytes)? else { return Ok(None) };
    bytes.truncate(read);
    let needed = match Header::bytes_needed(&bytes, file_bytes) {
        Ok(needed) if needed <= HEADER_BYTES_MAX => needed,
        _ => return Ok(None),
    };
    if needed > read {
        bytes = vec![0; needed];
        if peek(opened.file, file_bytes, &mut bytes)? != Some(needed) {
            return Ok(None);
        }
    }
    let header = Header::decode(&bytes, file_bytes).ok();
    Ok(header.map(|header| RrdPages::new(header, page_bytes as u64)))
}

impl RrdPages {
    fn new(header: Header, page_bytes: u64) -> Self {
        let layout = &header.layout;
        let live = layout.live_offset() as u64..layout.header_bytes() as u64;
        let next_rows = header.newest_rows.iter().enumerate().map(|(archive, newest)| {
            let start = layout.row_offset(archive, newest.advance(1, layout.rows(archive)));
            start..start + layout.row_bytes()
        });
        let written = next_rows.chain([live]).filter(|bytes| !bytes.is_empty());
        let pages = written.flat_map(|it| it.start / page_bytes..it.end.div_ceil(page_bytes));
        let hot = pages.collect();
        Self { header, page_bytes, hot }
    }

    fn sections(&self, pages: &Range<u64>) -> Vec<(Section, Range<u64>)> {
        let bytes = pages.start * self.page_bytes..pages.end * self.page_bytes;
        self.header.layout.sections_in(bytes)
    }

    fn header_part(sections: &[(Section, Range<u64>)]) -> Option<Part> {
        let mut header = sections.iter().filter(|(section, _)| section.is_header());
        header.next()?;
        let headers = || sections.iter().filter(|(section, _)| section.is_header());
        let has_live = headers().any(|(section, _)| section.is_live());
        let has_definitions = headers().any(|(section, _)| !section.is_live());
        Some(match (has_definitions, has_live) {
            (true, true) => Part::plain("header", "header: definitions and live state"),
            (true, false) => Part::plain("header", "header: definitions"),
            _ => Part::plain("header", "header: live state"),
        })
    }

    fn rows_part(&self, archive: usize, stretch: &Range<u64>) -> Part {
        let Header { definition, layout, .. } = &self.header;
        let rows = layout.rows_in(archive, stretch);
        let it = &definition.archives[archive];
        let row_seconds = it.row_seconds(definition.step_seconds);
        let times = if it.cf.is_seasonal() { Vec::new() } else { self.times(archive, &rows) };
        let (first, last) = (rows.start, rows.end - 1);
        let mut text =
            format!("{} {}, rows {first}-{last} of {}", it.cf, span(row_seconds), it.rows);
        if !times.is_empty() {
            text += &format!(", {}", times_text(&times));
        }
        let json = json!({
            "what": "rows", "archive": archive, "cf": it.cf.to_string(), "row_seconds": row_seconds,
            "rows": [first, last], "times": times,
        });
        Part { text, json }
    }

    /// The end times of the first and last row of a range; two pairs where the ring wraps in it.
    fn times(&self, archive: usize, rows: &Range<u64>) -> Vec<(i64, i64)> {
        let Header { definition, layout, newest_rows, live, .. } = &self.header;
        let newest = newest_rows[archive];
        let it = &definition.archives[archive];
        let row_seconds = it.row_seconds(definition.step_seconds) as i64;
        let newest_time = live.last_update.seconds.div_euclid(row_seconds.max(1)) * row_seconds;
        let time = |row: u64| {
            let age = newest.back(row, layout.rows(archive)).0;
            newest_time - age as i64 * row_seconds
        };
        let border = newest.0 + 1;
        let older = rows.start.max(border)..rows.end;
        let newer = rows.start..rows.end.min(border);
        let spans = [older, newer].into_iter().filter(|rows| !rows.is_empty());
        spans.map(|rows| (time(rows.start), time(rows.end - 1))).collect()
    }
}

impl Pages for RrdPages {
    fn key(&self, page: u64) -> u64 {
        let number = |section: &Section| match section {
            Section::Rows { archive } => 2 + *archive as u64,
            Section::Rest => u64::from(u32::MAX),
            section => u64::from(section.is_live()),
        };
        let sections = self.sections(&(page..page + 1));
        let first = sections.first().map_or(0, |(section, _)| number(section));
        let last = sections.last().map_or(0, |(section, _)| number(section));
        first << 32 | last
    }

    fn is_hot(&self, page: u64) -> bool {
        self.hot.contains(&page)
    }

    fn parts(&self, pages: Range<u64>) -> Vec<Part> {
        let sections = self.sections(&pages);
        let header = Self::header_part(&sections);
        let behind = sections.iter().filter_map(|(section, bytes)| match section {
            Section::Rows { archive } => Some(self.rows_part(*archive, bytes)),
            _ => None,
        });
        let mut parts: Vec<Part> = header.into_iter().chain(behind).collect();
        if parts.is_empty() {
            parts.push(Part::plain("rest", "behind the last row"));
        }
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::{Pages as _, RrdPages};
    use rrd::{LiveState, Timestamp};
    use rrdfile::Header;
    use rrdfile::layout::RowIndex;

    /// MRTG's file of 105,312 bytes after an update at this time.
    fn pages(newest: u64, seconds: i64) -> RrdPages {
        let archives = [1, 6, 24, 288]
            .into_iter()
            .flat_map(|pdps| ["AVERAGE", "MAX"].map(|cf| format!("RRA:{cf}:0.5:{pdps}:800")));
        let sources = ["ds0", "ds1"].map(|name| format!("DS:{name}:COUNTER:600:0:U"));
        let specs: Vec<String> = sources.into_iter().chain(archives).collect();
        let definition = rrd::spec::definition(300, specs.iter().map(String::as_str)).unwrap();
        let live = LiveState::fresh(&definition, Timestamp { seconds, micros: 0 });
        let header = Header::new(definition, live, vec![RowIndex(newest); 8]).unwrap();
        assert_eq!(header.layout.file_bytes(), 105_312);
        RrdPages::new(header, 4096)
    }

    fn text(pages: &RrdPages, range: std::ops::Range<u64>) -> String {
        pages.parts(range).iter().map(|part| &*part.text).collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn the_head_and_a_row_of_each_archive_are_hot() {
        let pages = pages(10, 1_000_000_000);
        let hot = (0..26).filter(|page| pages.is_hot(*page)).count();
        // The next row of the first archive is in the same page as the header.
        assert_eq!(hot, 8);
        assert!(pages.is_hot(0) && !pages.is_hot(1));
    }

    #[test]
    fn rows_have_their_times() {
        let pages = pages(99, 1_000_000_200);
        let found = text(&pages, 0..1);
        assert!(
            found.starts_with("header: definitions and live state; AVERAGE 5 min, rows 0-"),
            "{found}"
        );
        // Row 99 is the newest, of 01:50:00; row 100 the oldest, 799 rows before it.
        assert_eq!(pages.times(0, &(99..100)), [(1_000_000_200, 1_000_000_200)]);
        let oldest = 1_000_000_200 - 799 * 300;
        assert_eq!(pages.times(0, &(100..101)), [(oldest, oldest)]);
        let both = pages.times(0, &(98..102));
        assert_eq!(both, [(oldest, oldest + 300), (1_000_000_200 - 300, 1_000_000_200)]);
    }
}
