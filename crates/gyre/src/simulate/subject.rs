//! Describes the simulated files, from the command line or a trace.

use std::fmt::Write as _;

use capacity::trace::Fleet;
use capacity::trace_text::Files;
use serde_json::{Value, json};

use super::arguments::Wanted;

/// The simulated files.
#[derive(Clone, Copy, Debug)]
pub(super) enum Subject<'a> {
    Generated(&'a Wanted, &'a Fleet),
    Told(&'a Files),
}

/// Files of one layout.
struct Group {
    files: u32,
    pages: u32,
    data_pages: u32,
    /// `None` if a trace gives the times.
    step_seconds: Option<u64>,
}

impl Subject<'_> {
    fn groups(&self) -> Vec<Group> {
        match self {
            Self::Generated(_, fleet) => {
                let group = |group: &capacity::trace::Group| Group {
                    files: group.files,
                    pages: group.shape.pages(),
                    data_pages: group.shape.data_pages(),
                    step_seconds: Some(group.shape.step_seconds()),
                };
                fleet.groups().iter().map(group).collect()
            }
            Self::Told(files) => {
                let group = |group: &capacity::trace_text::FileGroup| Group {
                    files: group.files,
                    pages: group.data_pages + group.metadata_pages,
                    data_pages: group.data_pages,
                    step_seconds: None,
                };
                files.groups().iter().map(group).collect()
            }
        }
    }

    /// A line for each group, and the simulated time.
    pub(super) fn heading(&self) -> String {
        let (groups, mut text) = (self.groups(), String::new());
        for (nth, group) in groups.iter().enumerate() {
            let Group { files, pages, data_pages, step_seconds } = group;
            if groups.len() > 1 {
                let _ = write!(text, "group {}: ", nth + 1); // a String takes everything
            }
            let _ = write!(text, "{files} files of {pages} pages, {data_pages} of them data, ");
            let _ = match step_seconds {
                Some(step) => writeln!(text, "updated every {step} s"),
                None => writeln!(text, "updated as told"),
            };
        }
        if let Self::Generated(Wanted { days, warming_days, .. }, _) = self {
            let _ = writeln!(text, "for {days} days after {warming_days}");
        }
        text.push('\n');
        text
    }

    pub(super) fn json(&self) -> Value {
        let groups = self.groups();
        let group = |group: &Group| {
            let mut value = json!({
                "files": group.files,
                "pages_of_file": group.pages,
                "data_pages_of_file": group.data_pages,
            });
            if let Some(step_seconds) = group.step_seconds {
                value["step_seconds"] = step_seconds.into();
            }
            value
        };
        let mut value = json!({
            "files": groups.iter().map(|group| u64::from(group.files)).sum::<u64>(),
            "groups": groups.iter().map(group).collect::<Vec<Value>>(),
        });
        if let Self::Generated(wanted, _) = self {
            value["page_bytes"] = wanted.page_bytes.into();
            value["days"] = wanted.days.into();
            value["warming_days"] = wanted.warming_days.into();
        }
        value
    }
}
