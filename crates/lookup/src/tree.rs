//! The databases as a tree of paths.

use std::ops::Range;

use series::PathPart;

use crate::texts::Texts;

/// Separates the parts of paths here: it sorts before any letter, so that what lies below a node
/// lies side by side.
const SEPARATOR: char = '\0';

/// The paths of all databases, sorted.
#[derive(Debug)]
pub(crate) struct Tree {
    paths: Texts,
    /// The database of each path.
    databases: Vec<u32>,
}

/// What a search looks at.
pub(crate) struct Search<'s> {
    /// What each part of a path has to match.
    pub(crate) parts: &'s [PathPart],
    /// Which databases may be seen.
    pub(crate) is_seen: &'s dyn Fn(u32) -> bool,
    /// The most branches and databases.
    pub(crate) count_max: usize,
}

/// What a pattern found.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// Branches, by their paths.
    pub(crate) branches: Vec<String>,
    /// Databases among whose series the last part of the pattern may match some.
    pub(crate) databases: Vec<u32>,
    /// Databases whose own paths the pattern matches.
    pub(crate) whole: Vec<u32>,
}

impl Found {
    fn count(&self) -> usize {
        self.branches.len() + self.databases.len() + self.whole.len()
    }
}

/// A stretch of the sorted paths that all begin alike.
struct Below {
    range: Range<usize>,
    prefix: String,
}

impl Tree {
    /// The tree of the paths of databases, in the databases' order.
    pub(crate) fn new(paths: Vec<String>) -> Self {
        let mut paths: Vec<(String, u32)> = paths.into_iter().zip(0..).collect();
        for (path, _) in &mut paths {
            if path.contains('.') {
                *path = path.replace('.', "\0");
            }
        }
        paths.sort();
        let mut texts = Texts::default();
        paths.iter().for_each(|(path, _)| texts.push(path));
        Self { paths: texts, databases: paths.iter().map(|(_, database)| *database).collect() }
    }

    /// The branches that a pattern matches, and the databases whose series its last part may match;
    /// `None` if there are too many.
    pub(crate) fn find(&self, search: &Search<'_>) -> Option<Found> {
        let mut found = Found::default();
        let all = Below { range: 0..self.paths.len(), prefix: String::new() };
        self.below(&all, search, search.parts, &mut found).then_some(found)
    }

    /// Searches a level of the tree; false if there is too much.
    fn below(
        &self,
        below: &Below,
        search: &Search<'_>,
        parts: &[PathPart],
        found: &mut Found,
    ) -> bool {
        let Some((part, rest)) = parts.split_first() else { return true };
        let Below { range, prefix } = below;
        let mut at = range.start;
        if let PathPart::Text(text) = part {
            let wanted = format!("{prefix}{text}");
            at = self.paths.partition_point(range.clone(), |path| path < wanted.as_str());
        }
        while at < range.end {
            let child = self.child(at, prefix.len());
            let end = self.end_of(at..range.end, prefix.len() + child.len());
            if part.matches(child) {
                let node = Below { range: at..end, prefix: format!("{prefix}{child}") };
                if !self.node(node, search, rest, found) {
                    return false;
                }
            }
            if matches!(part, PathPart::Text(_)) {
                break;
            }
            at = end;
        }
        true
    }

    /// A node that matches. Its prefix is its path; its range has its databases and all below it.
    fn node(&self, node: Below, search: &Search<'_>, rest: &[PathPart], found: &mut Found) -> bool {
        let Below { range, prefix: path } = node;
        let own = self.paths.partition_point(range.clone(), |other| other <= path.as_str());
        let is_seen = |database: &u32| (search.is_seen)(*database);
        let own_databases = self.databases[range.start..own].iter().copied().filter(is_seen);
        match rest.len() {
            0 => found.whole.extend(own_databases),
            1 => found.databases.extend(own_databases),
            _ => (),
        }
        if rest.is_empty() && self.databases[own..range.end].iter().any(is_seen) {
            found.branches.push(path.replace(SEPARATOR, "."));
        }
        if rest.is_empty() || found.count() > search.count_max {
            return found.count() <= search.count_max;
        }
        let below = Below { range: own..range.end, prefix: format!("{path}{SEPARATOR}") };
        self.below(&below, search, rest, found)
    }

    /// The name of the node at this depth.
    fn child(&self, at: usize, begin: usize) -> &str {
        let rest = &self.paths.get(at)[begin..];
        rest.split(SEPARATOR).next().unwrap_or(rest)
    }

    /// The end of the paths that are the first `bytes` of the range's first one, or lie below that.
    /// It is searched for with growing steps: most nodes are small.
    fn end_of(&self, range: Range<usize>, bytes: usize) -> usize {
        let node = &self.paths.get(range.start)[..bytes];
        let is_within = |path: &str| {
            path.strip_prefix(node).is_some_and(|rest| rest.is_empty() || rest.starts_with('\0'))
        };
        let (mut low, mut step) = (range.start, 1);
        while low + step < range.end && is_within(self.paths.get(low + step)) {
            low += step;
            step *= 2;
        }
        self.paths.partition_point(low..range.end.min(low + step), is_within)
    }
}

#[cfg(test)]
mod tests {
    use series::PathPattern;

    use super::*;

    fn tree() -> Tree {
        let paths = ["a.b", "a.b.c", "a-b", "a.bc", "d", "a.b"];
        Tree::new(paths.iter().map(|path| (*path).to_owned()).collect())
    }

    fn searched(pattern: &str) -> Found {
        let pattern = PathPattern::new(pattern).unwrap();
        let search = Search { parts: pattern.parts(), is_seen: &|_| true, count_max: 100 };
        tree().find(&search).unwrap()
    }

    fn found(pattern: &str) -> (Vec<String>, Vec<u32>) {
        let found = searched(pattern);
        (found.branches, found.databases)
    }

    #[test]
    fn a_star_finds_each_child_once() {
        assert_eq!((found("*").0, searched("*").whole), (vec!["a".into()], vec![2, 4]));
        assert_eq!((found("a.*").0, searched("a.*").whole), (vec!["a.b".into()], vec![0, 5, 3]));
        assert_eq!((found("a.b.*"), searched("a.b.*").whole), ((vec![], vec![0, 5]), vec![1]));
    }

    #[test]
    fn a_text_is_looked_up() {
        assert_eq!(found("a"), (vec!["a".into()], vec![]));
        assert_eq!(found("d.x"), (vec![], vec![4]));
        assert_eq!(found("a.b.c.x"), (vec![], vec![1]));
        assert_eq!(found("b"), (vec![], vec![]));
        assert_eq!(found("a.{b,bc}.in").1, [0, 5, 3]);
    }

    #[test]
    fn too_many_nodes_are_none() {
        let pattern = PathPattern::new("*").unwrap();
        let within = |count_max| {
            tree().find(&Search { parts: pattern.parts(), is_seen: &|_| true, count_max })
        };
        assert!(within(2).is_none() && within(3).is_some());
    }

    #[test]
    fn a_branch_below_which_nothing_is_seen_is_not_there() {
        let pattern = PathPattern::new("*").unwrap();
        let search = Search { parts: pattern.parts(), is_seen: &|nth| nth == 4, count_max: 9 };
        let found = tree().find(&search).unwrap();
        assert_eq!((found.branches.len(), found.whole), (0, vec![4]));
    }
}
