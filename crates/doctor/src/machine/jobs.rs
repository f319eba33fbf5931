//! Scheduled jobs that may read every file: crontabs, systemd's timers, updatedb.

use crate::unseen::{Root, Unseen};

/// Programs that read many whole files.
const READERS: [&str; 24] = [
    "rsync",
    "tar",
    "cpio",
    "borg",
    "borgmatic",
    "restic",
    "kopia",
    "duplicity",
    "duply",
    "duplicati",
    "rsnapshot",
    "rdiff-backup",
    "backup2l",
    "bacula-fd",
    "bareos-fd",
    "amdump",
    "dsmc",
    "tarsnap",
    "rclone",
    "unison",
    "bup",
    "attic",
    "zip",
    "backuppc",
];

/// A line that starts such a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// The file with the line.
    pub file: String,
    /// The program.
    pub program: &'static str,
    /// The line.
    pub line: String,
}

/// The paths that updatedb skips.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pruning {
    /// `PRUNEPATHS`.
    pub paths: Vec<String>,
}

/// The scheduled jobs.
#[derive(Clone, Debug, Default)]
pub struct Jobs {
    /// Jobs that read whole files.
    pub readers: Vec<Job>,
    /// The configuration of updatedb, if installed.
    pub updatedb: Option<Pruning>,
    /// Files that could not be read.
    pub unseen: Vec<Unseen>,
}

impl Jobs {
    pub(super) fn read(root: &Root) -> Self {
        let mut jobs = Self::default();
        jobs.take(root, "/etc/crontab");
        for directory in [
            "/etc/cron.d",
            "/etc/cron.hourly",
            "/etc/cron.daily",
            "/etc/cron.weekly",
            "/etc/cron.monthly",
            "/var/spool/cron/crontabs",
            "/var/spool/cron",
        ] {
            match root.names(directory) {
                Ok(names) => {
                    names.iter().for_each(|name| jobs.take(root, &format!("{directory}/{name}")))
                }
                Err(unseen) if root.exists(directory) => jobs.unseen.push(unseen),
                Err(_) => {}
            }
        }
        jobs.take_timers(root);
        jobs.updatedb = root.text("/etc/updatedb.conf").ok().map(|text| Pruning::parse(&text));
        jobs
    }

    /// Adds the services of enabled timers.
    fn take_timers(&mut self, root: &Root) {
        let wanted = "/etc/systemd/system/timers.target.wants";
        for name in root.names(wanted).unwrap_or_default() {
            let Some(service) = name.strip_suffix(".timer") else { continue };
            for directory in
                ["/etc/systemd/system", "/usr/lib/systemd/system", "/lib/systemd/system"]
            {
                let file = format!("{directory}/{service}.service");
                if root.exists(&file) {
                    self.take(root, &file);
                    break;
                }
            }
        }
    }

    fn take(&mut self, root: &Root, file: &str) {
        let path = root.path(file);
        if !path.is_file() {
            return; // no such crontab, or a directory beside them
        }
        let text = match root.text(file) {
            Ok(text) => text,
            Err(unseen) => return self.unseen.push(unseen),
        };
        for line in text.lines().map(str::trim).filter(|line| !line.starts_with('#')) {
            if let Some(program) = reader(line) {
                self.readers.push(Job { file: file.into(), program, line: line.into() });
            }
        }
    }
}

/// The program in a line, if it reads whole files.
fn reader(line: &str) -> Option<&'static str> {
    let ends = |letter: char| letter.is_whitespace() || "=;|&()`\"'".contains(letter);
    let mut words = line.split(ends).map(|word| word.rsplit('/').next().unwrap_or_default());
    words.find_map(|word| READERS.into_iter().find(|reader| *reader == word))
}

impl Pruning {
    fn parse(text: &str) -> Self {
        let lines = text.lines().filter_map(|line| line.trim().strip_prefix("PRUNEPATHS"));
        let value = lines.filter_map(|rest| rest.trim_start().strip_prefix('=')).next_back();
        let value = value.unwrap_or_default().trim().trim_matches('"');
        Self { paths: value.split_whitespace().map(str::to_owned).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_words_of_their_own() {
        assert_eq!(reader("0 3 * * * root /usr/bin/rsync -a / backup:/"), Some("rsync"));
        assert_eq!(reader("ExecStart=/usr/bin/borg create ::x /var"), Some("borg"));
        assert_eq!(reader("test -x /usr/bin/tar && (cd /; tar cf - .)"), Some("tar"));
        assert_eq!(reader("/usr/bin/start-something"), None);
        assert_eq!(reader("systemctl restart tar.service"), None);
    }

    #[test]
    fn pruned_paths() {
        let text = "PRUNE_BIND_MOUNTS=\"yes\"\nPRUNEPATHS=\"/tmp /var/spool\"\n";
        assert_eq!(Pruning::parse(text).paths, ["/tmp", "/var/spool"]);
    }
}
