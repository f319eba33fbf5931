//! What was found out of paths. It is forgotten piece by piece, so that not all files have to be
//! looked at again at the same time.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long what was found out holds: a link may take a file's place.
const MEMORY: Duration = Duration::from_secs(600);
const PIECES: u32 = 64;
/// Paths that are not as they were written (links, `..`) and remembered all the same.
const ALIASES_MAX: usize = 100_000;

/// Paths that were looked at, by fingerprints of what was written.
#[derive(Debug)]
pub(crate) struct KnownPaths {
    /// By the lowest bits of the fingerprints.
    pieces: [Piece; PIECES as usize],
    aliases: usize,
    /// How many pieces were forgotten, all rounds counted.
    forgotten: u32,
    since: Instant,
}

#[derive(Debug, Default)]
struct Piece {
    /// Paths without a link in them. The key of the fingerprints is random and secret, so that no
    /// client can make a path that has the fingerprint of another.
    plain: HashSet<u64>,
    /// Those that lead elsewhere.
    aliases: HashMap<u64, PathBuf>,
}

/// What is known of a path.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum KnownPath<'p> {
    /// It leads where it says.
    Plain,
    Alias(&'p Path),
}

impl KnownPaths {
    /// Nothing so far.
    pub(crate) fn new(now: Instant) -> Self {
        let pieces = std::array::from_fn(|_| Piece::default());
        Self { pieces, aliases: 0, forgotten: 0, since: now }
    }

    pub(crate) fn get(&self, fingerprint: u64) -> Option<KnownPath<'_>> {
        let Piece { plain, aliases } = self.pieces.get(place(fingerprint))?;
        match plain.contains(&fingerprint) {
            true => Some(KnownPath::Plain),
            false => aliases.get(&fingerprint).map(|path| KnownPath::Alias(path)),
        }
    }

    pub(crate) fn add_plain(&mut self, fingerprint: u64) {
        if let Some(piece) = self.pieces.get_mut(place(fingerprint)) {
            piece.plain.insert(fingerprint);
        }
    }

    pub(crate) fn add_alias(&mut self, fingerprint: u64, real: &Path) {
        if self.aliases < ALIASES_MAX
            && let Some(piece) = self.pieces.get_mut(place(fingerprint))
            && piece.aliases.insert(fingerprint, real.into()).is_none()
        {
            self.aliases += 1;
        }
    }

    /// Whether a piece has become old.
    pub(crate) fn is_old(&self, now: Instant) -> bool {
        self.due(now) > self.forgotten
    }

    /// Forgets the pieces that have become old.
    pub(crate) fn forget_old(&mut self, now: Instant) {
        let due = self.due(now);
        // Each piece has one turn within the time that it may hold.
        for turn in (self.forgotten..due).take(PIECES as usize) {
            if let Some(piece) = self.pieces.get_mut((turn % PIECES) as usize) {
                self.aliases -= std::mem::take(piece).aliases.len();
            }
        }
        self.forgotten = due;
    }

    /// How many turns there were up to now.
    fn due(&self, now: Instant) -> u32 {
        let turns =
            now.saturating_duration_since(self.since).as_millis() / (MEMORY / PIECES).as_millis();
        u32::try_from(turns).unwrap_or(u32::MAX)
    }
}

fn place(fingerprint: u64) -> usize {
    (fingerprint % u64::from(PIECES)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A path is known for the whole time at most, and each turn forgets a small part.
    #[test]
    fn it_is_forgotten_piece_by_piece() {
        let start = Instant::now();
        let mut known = KnownPaths::new(start);
        let all = 0..6400;
        all.clone().for_each(|fingerprint| known.add_plain(fingerprint));
        known.add_alias(7000, Path::new("/real"));
        assert_eq!(known.get(7000), Some(KnownPath::Alias(Path::new("/real"))));
        let mut left = 6400;
        for second in 1..=600 {
            let now = start + Duration::from_secs(second);
            let is_old = known.is_old(now);
            known.forget_old(now);
            let still = all.clone().filter(|it| known.get(*it) == Some(KnownPath::Plain)).count();
            assert!(left - still <= 200 && (still < left) == is_old, "{second} {still}");
            left = still;
        }
        assert_eq!((left, known.aliases), (0, 0));
    }

    /// What was added between two turns, and where no turn was taken for long.
    #[test]
    fn nothing_holds_longer() {
        let start = Instant::now();
        for added in [0, 5, 599, 3000] {
            let mut known = KnownPaths::new(start);
            let add_at = start + Duration::from_secs(added);
            known.forget_old(add_at);
            (0..640).for_each(|fingerprint| known.add_plain(fingerprint));
            known.forget_old(add_at + MEMORY);
            assert!((0..640).all(|it| known.get(it).is_none()), "{added}");
        }
    }
}
