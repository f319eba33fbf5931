//! The running processes, and the limits of this process.

use crate::unseen::{Root, Seen, Unseen};

/// A process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// Its name, at most 15 bytes.
    pub name: String,
    /// Bytes of memory that are not backed by a file.
    pub own_bytes: u64,
}

impl Process {
    pub(super) fn read_all(root: &Root) -> Seen<Vec<Self>> {
        let names = root.names("/proc")?;
        let numbers = names.iter().filter(|name| name.bytes().all(|byte| byte.is_ascii_digit()));
        // A process that ends meanwhile is left out.
        let status = |number: &String| root.text(&format!("/proc/{number}/status")).ok();
        let mut all: Vec<Self> =
            numbers.filter_map(status).filter_map(|text| Self::of_status(&text)).collect();
        all.sort_by_key(|process| std::cmp::Reverse(process.own_bytes));
        Ok(all)
    }

    fn of_status(text: &str) -> Option<Self> {
        let field = |name: &str| text.lines().find_map(|line| line.strip_prefix(name));
        let kibibytes = |name: &str| -> u64 {
            let number = field(name).and_then(|rest| rest.split_whitespace().next());
            number.and_then(|number| number.parse().ok()).unwrap_or(0)
        };
        let own = kibibytes("RssAnon:") + kibibytes("RssShmem:");
        let all = if own > 0 { own } else { kibibytes("VmRSS:") };
        Some(Self { name: field("Name:")?.trim().to_owned(), own_bytes: all * 1024 })
    }
}

/// A limit of this process's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// The limit in force; `u64::MAX` for none.
    pub soft: u64,
    /// The highest value that the process may set.
    pub hard: u64,
}

impl Limit {
    pub(super) fn of_descriptors(root: &Root) -> Seen<Self> {
        let path = "/proc/self/limits";
        let text = root.text(path)?;
        let line = text.lines().find_map(|line| line.strip_prefix("Max open files"));
        let mut words = line.unwrap_or_default().split_whitespace().map(|word| match word {
            "unlimited" => Some(u64::MAX),
            number => number.parse().ok(),
        });
        match (words.next().flatten(), words.next().flatten()) {
            (Some(soft), Some(hard)) => Ok(Self { soft, hard }),
            _ => Err(Unseen::odd(path, "a line of open files")),
        }
    }
}
