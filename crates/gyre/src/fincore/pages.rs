//! Lists the pages of each file, as stretches of one state.

use std::io::{self, Write as _};

use pagecache::residency::Stretch;

use super::look::{Detail, Look};
use super::names::Named;
use super::show::{BOLD, FAINT, Face, Show, YELLOW};
use super::table::put_total;
use super::total::Total;
use figures::{count, some};

pub(super) struct ShowPages {
    pub(super) face: Face,
}

impl Show for ShowPages {
    fn file(&mut self, out: &mut Vec<u8>, path: &[u8], look: Look) {
        let mut name = Vec::new();
        self.face.put_path(&mut name, path);
        if self.face.is_terminal {
            let _ = write!(out, "\x1b[{BOLD}m"); // a Vec takes everything
        }
        out.extend_from_slice(&name);
        let end = if self.face.is_terminal { "\x1b[0m" } else { "" };
        let Some(counts) = look.counts else {
            let _ = writeln!(out, "{end}: {}", self.face.colored(YELLOW, "unknown"));
            return;
        };
        let pages = some(counts.pages, "page", "pages");
        let _ = writeln!(out, "{end}: {} of {pages} resident", count(counts.resident_pages));
        if let Detail::Pages(stretches, names) = look.detail {
            match names.is_empty() {
                true => stretches.iter().for_each(|each| self.stretch(out, each, None)),
                false => names.iter().for_each(|each| self.stretch(out, &each.stretch, Some(each))),
            }
        }
    }

    fn end(&mut self, out: &mut Vec<u8>, total: &Total) -> io::Result<()> {
        put_total(out, total);
        Ok(())
    }
}

impl ShowPages {
    fn stretch(&self, out: &mut Vec<u8>, stretch: &Stretch, named: Option<&Named>) {
        let pages = match stretch.pages {
            1 => stretch.first_page.to_string(),
            _ => format!("{}-{}", stretch.first_page, stretch.last_page()),
        };
        let mut line = format!("  {pages:<21} {:<10}", stretch.state.name());
        if let Some(named) = named {
            line += if named.is_hot { " hot  " } else { "      " };
            line += &named.text();
        }
        let is_resident = stretch.state.is_resident();
        let line = line.trim_end();
        let line = if is_resident { line.to_owned() } else { self.face.colored(FAINT, line) };
        let _ = writeln!(out, "{line}");
    }
}
