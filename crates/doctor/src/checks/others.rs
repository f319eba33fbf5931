//! The other programs on the machine, and their effect on the page cache.

use std::path::Path;

use super::{Verdict, files, ring};
use crate::facts::Facts;
use crate::finding::Finding;
use crate::machine::Job;
use crate::unseen::Unseen;
use crate::work::{PAGE_BYTES, PAGES_PER_FILE, Work};
use figures::{count, size, some};

/// Programs that belong to network measurement.
const OURS: [&str; 9] =
    ["gyre", "mrtg", "rrdtool", "rrdcached", "perl", "snmpd", "collectd", "cacti", "munin-node"];
/// Programs that depend on the page cache, or need much memory of their own.
const GREEDY: [&str; 14] = [
    "mysqld",
    "mariadbd",
    "postgres",
    "mongod",
    "java",
    "redis-server",
    "elasticsearch",
    "clickhouse-serv",
    "influxd",
    "prometheus",
    "oracle",
    "cassandra",
    "qemu-system-x86",
    "memcached",
];
/// Other programs are reported from this share of memory on.
const SHARE: f64 = 0.05;

pub(super) fn dedicated(facts: &Facts) -> Verdict {
    let processes = facts.machine.processes.as_ref().map_err(Clone::clone)?;
    let memory = facts.machine.memory.as_ref().map_err(Clone::clone)?;
    let least = (memory.total_bytes as f64 * SHARE) as u64;
    let others = processes.iter().filter(|process| {
        let name = process.name.as_str();
        !OURS.contains(&name) && (GREEDY.contains(&name) || process.own_bytes > least)
    });
    let others: Vec<_> = others.collect();
    if others.is_empty() {
        return Ok(Some(Finding::ok("no other large program runs here")));
    }
    let mut bytes_of: Vec<(&str, u64)> = Vec::new();
    for process in &others {
        match bytes_of.iter_mut().find(|(name, _)| *name == process.name) {
            Some((_, bytes)) => *bytes += process.own_bytes,
            None => bytes_of.push((&process.name, process.own_bytes)),
        }
    }
    let told = bytes_of.iter().take(4).map(|(name, bytes)| format!("{name} ({})", size(*bytes)));
    let found = format!("shares its memory with {}", told.collect::<Vec<_>>().join(", "));
    let bytes: u64 = bytes_of.iter().map(|(_, bytes)| bytes).sum();
    let held = bytes / (PAGES_PER_FILE * PAGE_BYTES);
    Ok(Some(Finding::advice(found).change("move them to another machine, or bound them: systemctl set-property UNIT MemoryMax=").gain(
        format!(
            "{} of memory, the pages of {} .rrd files (8 pages a file: LISA 2007, Figure 12)",
            size(bytes),
            count(held)
        ),
    )))
}

pub(super) fn random_advice(facts: &Facts) -> Verdict {
    let Some(work) = files(facts) else { return Ok(None) };
    let old = facts.machine.programs.libraries.iter().find(|(version, _)| *version < 4);
    let Some((_, path)) = old else {
        let found = "gyre asks for no readahead, and so does RRDtool since 1.3";
        return Ok(Some(Finding::ok(found)));
    };
    let found = format!("{path} is an RRDtool before 1.3, which lets the kernel read ahead");
    Ok(Some(
        Finding::warning(found)
            .change("let gyre write the files, or RRDtool 1.3 or later")
            .gain(format!(
                "of {} that {} take now, {} are enough (8 pages a file); 160,000 targets went from 90,000 reads/s to \
                 about 100 (LISA 2007)",
                size(work.memory_unadvised_bytes),
                some(work.databases, "file", "files"),
                size(work.memory_bytes)
            )),
    ))
}

pub(super) fn backups(facts: &Facts) -> Verdict {
    let (Some(place), Some(work)) = (&facts.place, &facts.work) else { return Ok(None) };
    let jobs = &facts.machine.jobs;
    let readers: Vec<&Job> =
        jobs.readers.iter().filter(|job| may_read(&job.line, job.program, &place.path)).collect();
    if readers.is_empty() {
        return match jobs.unseen.first() {
            Some(unseen) => Err(Unseen(format!("none that can be seen; {}", unseen.0))),
            None => Ok(Some(Finding::ok("no job by the clock reads whole files here"))),
        };
    }
    let told = readers.iter().take(3).map(|job| format!("{}: {}", job.file, job.line));
    let found = format!(
        "may read every file whole, through the page cache: {}",
        told.collect::<Vec<_>>().join("; ")
    );
    let memory = facts.machine.memory.as_ref().map_err(Clone::clone)?;
    let fits = work.disk_bytes <= memory.to_have_bytes();
    let is_bad = ring(facts).is_some() || !fits;
    let finding = if is_bad { Finding::warning(found) } else { Finding::advice(found) };
    let path = place.path.display();
    let gain = match ring(facts) {
        Some(_) => {
            "a copy that can be opened: files of a live store are of different moments".into()
        }
        None => displaced(work, fits),
    };
    Ok(Some(
        finding
            .change(format!("leave {path} out of it, and run instead: gyre backup {path} DEST"))
            .gain(gain),
    ))
}

/// What a read of all files does to the page cache.
fn displaced(work: &Work, fits: bool) -> String {
    format!(
        "{} are read at each run and displace what updates need, {} of pages; {}",
        size(work.disk_bytes),
        size(work.memory_bytes),
        if fits {
            "all of it fits into memory here, so that little is lost"
        } else {
            "it does not fit into memory"
        }
    )
}

/// Whether a line may reach a directory: it names it, one above or below it, or no directory at
/// all.
fn may_read(line: &str, program: &str, directory: &Path) -> bool {
    let ends = |letter: char| letter.is_whitespace() || "=;|&()`\"'".contains(letter);
    let paths = line.split(ends).filter(|word| word.starts_with('/')).map(Path::new);
    let mut paths =
        paths.filter(|path| path.file_name().is_none_or(|name| name != program)).peekable();
    paths.peek().is_none()
        || paths.any(|path| directory.starts_with(path) || path.starts_with(directory))
}

pub(super) fn updatedb(facts: &Facts) -> Verdict {
    let (Some(place), Some(work)) = (&facts.place, files(facts)) else { return Ok(None) };
    let Some(pruning) = &facts.machine.jobs.updatedb else { return Ok(None) };
    let is_pruned = pruning.paths.iter().any(|path| place.path.starts_with(path));
    let path = place.path.display();
    if is_pruned {
        return Ok(Some(Finding::ok(format!("updatedb leaves {path} out"))));
    }
    let found = format!("updatedb goes through {path} every day");
    Ok(Some(
        Finding::advice(found)
            .change(format!("/etc/updatedb.conf: add {path} to PRUNEPATHS"))
            .gain(format!("the names of {} files are not read for it", count(work.databases))),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_that_name_other_directories_are_none_of_ours() {
        let data = Path::new("/var/lib/mrtg");
        for (line, expected) in [
            ("0 3 * * * root rsync -a / host:/backup", true),
            ("tar czf /backup/x.tgz /var/lib", true),
            ("tar czf /backup/x.tgz /etc", false),
            ("/usr/bin/rsync -a /var/lib/mrtg/core host:", true),
            ("/usr/bin/borg create repo::now .", true),
            ("/usr/bin/restic backup /home", false),
        ] {
            let program = super::super::others::tests::program(line);
            assert_eq!(may_read(line, program, data), expected, "{line}");
        }
    }

    fn program(line: &str) -> &'static str {
        ["rsync", "tar", "borg", "restic"].into_iter().find(|it| line.contains(it)).unwrap()
    }
}
