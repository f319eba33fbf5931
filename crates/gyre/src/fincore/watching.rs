//! Shows which pages enter and leave the page cache, sample by sample.

use std::io::{self, Write as _};
use std::time::Instant;

use pagecache::{Churn, Watch};
use serde_json::{Map, json};

use super::arguments::{Arguments, Watching};
use super::json;
use super::show::{BOLD, FAINT, Face};
use super::top::Best;
use super::total::Total;
use super::{flush, look_through};
use crate::json_lines;
use figures::{count, moment, size, some};
use jiff::tz::TimeZone;

/// Samples again and again; returns how many files failed in the last sample.
pub(super) fn watch(arguments: &Arguments, watching: Watching) -> io::Result<u64> {
    let mut samples = Samples { watch: Watch::default(), watching, face: Face::of_stdout() };
    let begun = Instant::now();
    let mut taken = 0;
    loop {
        let failed = samples.take(arguments)?;
        taken += 1;
        if watching.samples.is_some_and(|samples| taken >= samples) {
            return Ok(failed);
        }
        // Samples are due at fixed times, however long each takes.
        let due = begun + watching.every.saturating_mul(u32::try_from(taken).unwrap_or(u32::MAX));
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
    }
}

struct Samples {
    watch: Watch,
    watching: Watching,
    face: Face,
}

/// The change of a file: its resident pages now, and how many more than before.
type Change = (u64, i64);

impl Samples {
    fn take(&mut self, arguments: &Arguments) -> io::Result<u64> {
        let mut most = Best::<Change>::default();
        let (watch, files) = (&mut self.watch, self.watching.files);
        let total = look_through(arguments, &mut |path, look| {
            let Some(counts) = look.counts else { return Ok(()) };
            let resident = counts.resident_pages;
            let change = watch.see(look.identity, resident);
            if let Some(change) = change.filter(|change| *change != 0) {
                most.offer(files, change.unsigned_abs(), path, || (resident, change));
            }
            Ok(())
        })?;
        let churn = self.watch.end();
        let mut out = Vec::new();
        let now = jiff::Timestamp::now().as_second();
        let most = most.into_sorted();
        match arguments.as_json {
            true => {
                json_lines::put_line(&mut out, &sample_json(now, &total, churn.as_ref(), &most))
            }
            false => self.sample_text(&mut out, now, &total, churn.as_ref(), &most),
        }
        flush(&mut out)?;
        Ok(total.failed)
    }

    fn sample_text(
        &self,
        out: &mut Vec<u8>,
        now: i64,
        total: &Total,
        churn: Option<&Churn>,
        most: &[(Vec<u8>, Change)],
    ) {
        let counts = total.counts();
        let resident = counts.resident_pages;
        let bytes = size(resident * disk::page_bytes() as u64);
        let dirty = counts.states.map_or("?".into(), |states| count(states.dirty_pages));
        let head =
            format!("{}  {}", moment(now, &TimeZone::UTC), some(total.files, "file", "files"));
        // Writing to a Vec cannot fail.
        let _ = write!(
            out,
            "{}  {} resident ({bytes}), {dirty} dirty",
            self.face.colored(BOLD, &head),
            some(resident, "page", "pages")
        );
        out.extend(churn.map(churn_text).unwrap_or_default().into_bytes());
        if total.unknown_files > 0 {
            let _ =
                write!(out, "; of {} it is unknown", some(total.unknown_files, "file", "files"));
        }
        out.push(b'\n');
        for (path, (resident, change)) in most {
            let change = format!("{change:>+9}");
            let color = if change.contains('-') { FAINT } else { 32 };
            let _ = write!(out, "{} to {resident:>9}  ", self.face.colored(color, &change));
            self.face.put_path(out, path);
            out.push(b'\n');
        }
    }
}

/// How many pages came and left since the sample before.
fn churn_text(churn: &Churn) -> String {
    let (came, left) = (count(churn.came_pages), count(churn.left_pages));
    let changed = format!("  +{came} -{left} in {}", some(churn.changed_files, "file", "files"));
    if churn.new_files + churn.gone_files == 0 {
        return changed;
    }
    let (new, gone) = (count(churn.new_files), count(churn.gone_files));
    format!("{changed}, {new} new, {gone} gone")
}

fn sample_json(
    now: i64,
    total: &Total,
    churn: Option<&Churn>,
    most: &[(Vec<u8>, Change)],
) -> serde_json::Value {
    let file = |(path, (resident, change)): &(Vec<u8>, Change)| {
        let mut object = Map::new();
        json_lines::put_path(&mut object, path);
        object.insert("resident".into(), (*resident).into());
        object.insert("change".into(), (*change).into());
        object
    };
    let mut sample = json::total(total);
    sample["time"] = now.into();
    sample["churn"] = churn.map_or(serde_json::Value::Null, |churn| {
        json!({
            "came": churn.came_pages,
            "left": churn.left_pages,
            "changed_files": churn.changed_files,
            "new_files": churn.new_files,
            "gone_files": churn.gone_files,
        })
    });
    sample["most_changed"] = most.iter().map(file).collect::<Vec<_>>().into();
    sample
}
