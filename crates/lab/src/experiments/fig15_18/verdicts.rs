//! The verdicts on the reference's claims and on ours.

use capacity::model::{Precision, Reuse};
use capacity::trace::Group;

use super::protocol::CYCLE_SECONDS;
use super::real_size::RealSize;
use super::site::{SCARCE, Site};
use crate::experiments::HOUR_SECONDS;
use crate::growing::{Broken, Turn};
use crate::layouts::{Layout, PAGE_BYTES};
use crate::ratio::ratio;
use crate::verdict::{Tolerance, Verdict, text};

/// Targets beyond which the reference's run was not acceptable any more: with advice, and with a
/// journal, too.
const WITH_ADVICE: f64 = 320_000.0;
const WITH_BOTH: f64 = 400_000.0;
/// The most pages that its disks delivered: 90,000 blocks of 512 bytes a second.
const DISKS_PAGES_A_SECOND: f64 = 90_000.0 * 512.0 / 4096.0;
/// The ring store is to carry this many times the targets of the best mode with `.rrd` files.
const RING_TIMES: f64 = 3.0;
/// Fewer pages for an update are negligible: less than one in ten thousand updates.
const NEXT_TO_NOTHING: f64 = 1e-4;

/// All verdicts.
pub(super) fn of(sites: &[Site], reals: &[RealSize]) -> Vec<Verdict> {
    let files = || sites.iter().filter(|site| !site.mode.is_ring());
    let advised = || files().filter(|site| site.mode.is_advised());
    let mut verdicts: Vec<Verdict> = files().map(carried).collect();
    verdicts.extend(files().filter_map(on_the_references_disks));
    verdicts.extend(files().map(room));
    verdicts.extend(advised().filter_map(peaks));
    verdicts.extend(advised().filter_map(added));
    verdicts.extend(files().filter(|site| site.mode.has_journal()).filter_map(behind));
    verdicts.extend(ring(sites));
    verdicts.push(no_page_ins(sites, reals));
    verdicts.extend(reals.iter().flat_map(RealSize::verdicts));
    verdicts
}

/// The mode with `.rrd` files that carried most.
pub(super) fn best(sites: &[Site]) -> Option<&Site> {
    let files = sites.iter().filter(|site| !site.mode.is_ring());
    files.max_by(|one, other| one.carried().total_cmp(&other.carried()))
}

/// The targets that it carried, and what ended the run.
fn carried(site: &Site) -> Verdict {
    let ended = site.ended.broken.map_or("files for no more were made", Broken::reason);
    let what = |expected| {
        format!("{}: targets carried until it breaks ({ended}){expected}", site.mode.name())
    };
    let measured = site.carried();
    match site.mode {
        mode if mode.is_advised() => {
            Verdict::claim(what(", at least 320,000"), measured, measured >= WITH_ADVICE)
        }
        mode if mode.has_journal() => {
            Verdict::claim(what(", over 400,000"), measured, measured > WITH_BOTH)
        }
        _ => Verdict::figure(what(""), measured),
    }
}

/// The most targets for which the reference's own disks could have delivered the pages read here.
fn on_the_references_disks(site: &Site) -> Option<Verdict> {
    let targets = |databases| site.scale.targets(databases);
    let a_second = |read: f64, databases| read * targets(databases) / CYCLE_SECONDS;
    let kept_up = site
        .windows
        .iter()
        .take_while(|it| a_second(it.read, it.databases) <= DISKS_PAGES_A_SECOND);
    let last = kept_up.last()?;
    let what = format!(
        "{}: targets that the reference's disks would have borne, at 11,250 pages a second",
        site.mode.name()
    );
    Some(Verdict::figure(what, targets(last.databases)))
}

/// The most targets for which the page cache is large enough.
fn room(site: &Site) -> Verdict {
    let name = site.mode.name();
    let [measured, simulated] = [site.roomy(|it| Some(it.read)), site.roomy(|it| it.simulated)];
    let is_advised = site.mode.is_advised();
    let modelled = is_advised.then(|| modelled_room(site)).flatten();
    let reference = is_advised.then_some(WITH_ADVICE);
    let what = format!("{name}: targets up to which half a page or less is read for an update");
    let pages = site.windows.iter().find(|it| Some(site.scale.targets(it.databases)) == measured);
    let because =
        format!("{} pages a file are enough, not 8", text(pages.map_or(0.0, |it| it.pages_a_file)));
    let tolerance = Tolerance { share: 0.25, least: 0.0 };
    let figures = [reference, modelled, simulated];
    let verdict = Verdict::judge(what, figures, measured.unwrap_or(0.0), tolerance, &because);
    if measured > reference { verdict } else { verdict.unexplained() }
}

/// The same by the model, which assumes that the files have existed forever.
fn modelled_room(site: &Site) -> Option<f64> {
    const FILES: u32 = 1000;
    const PAGES_A_FILE_MAX: u64 = 26;
    let group = Group { shape: Layout::Mrtg.shape(), files: FILES };
    let reuse = Reuse::new(&[group], Precision::default());
    let updates_a_day = 86_400.0 / Layout::Mrtg.step_seconds() as f64;
    let pages_max = u64::from(FILES) * PAGES_A_FILE_MAX;
    let pages = reuse.pages_for(0, SCARCE * updates_a_day, pages_max)?;
    let cache_pages = site.scale.cache_bytes() / PAGE_BYTES;
    let files = (cache_pages as f64 / (pages as f64 / f64::from(FILES))) as u32;
    Some(site.scale.targets(files))
}

/// Whether reads beyond the size of the cache occur when rows of half hours become final.
fn peaks(site: &Site) -> Option<Verdict> {
    let room = site.roomy(|it| Some(it.read))?;
    let beyond = |turn: &&Turn| site.scale.targets(turn.databases) > room;
    let beyond: Vec<&Turn> = site.turns.iter().filter(beyond).collect();
    let is_peak = |turn: &&&Turn| turn.cycle.at_seconds.is_multiple_of(HOUR_SECONDS / 2);
    let mean = |turns: Vec<&&Turn>| {
        let updates: u32 = turns.iter().map(|turn| turn.databases - turn.added).sum();
        let pages: u64 = turns.iter().map(|turn| turn.older_pages_read()).sum();
        (updates > 0).then(|| pages as f64 / f64::from(updates))
    };
    let at_peaks = mean(beyond.iter().filter(is_peak).collect())?;
    let between = mean(beyond.iter().filter(|turn| !is_peak(turn)).collect())?;
    let what = format!(
        "{}, beyond that: pages read for an update at half hours ({} between them; more than there)",
        site.mode.name(),
        text(between)
    );
    Some(Verdict::claim(what, at_peaks, at_peaks > between))
}

/// The part of the pages read for added targets that was read in their first cycle, if the cache
/// was large enough.
fn added(site: &Site) -> Option<Verdict> {
    let room = site.roomy(|it| Some(it.read))?;
    let has_room = |turn: &&Turn| turn.added > 0 && site.scale.targets(turn.databases) <= room;
    // At half hours each target writes to pages that it has not used yet.
    let is_usual = |turn: &&Turn| !turn.cycle.at_seconds.is_multiple_of(HOUR_SECONDS / 2);
    let turns = || site.turns.iter().filter(has_room).filter(is_usual);
    let all: u64 = turns().map(|turn| turn.added_pages_read).sum();
    let first: u64 = turns().filter(|turn| turn.is_first).map(|turn| turn.added_pages_read).sum();
    let share = (all > 0).then(|| first as f64 / all as f64)?;
    let what = format!(
        "{}: share of the pages read for added targets that is read in their first cycle",
        site.mode.name()
    );
    Some(Verdict::claim(what, share, share > 0.9))
}

/// The time for writing an hour's updates when the mode broke.
fn behind(site: &Site) -> Option<Verdict> {
    site.ended.broken?;
    let last = site.windows.last()?;
    let hour_seconds = HOUR_SECONDS as f64;
    let taken_seconds = last.seconds / CYCLE_SECONDS * hour_seconds;
    let what = format!(
        "{}: seconds that an hour's updates take at {} targets (more than 3,600)",
        site.mode.name(),
        text(site.scale.targets(last.databases))
    );
    Some(Verdict::claim(what, taken_seconds, taken_seconds > hour_seconds))
}

/// The ring store compared with the best mode with files, until it breaks and by pages only. It is
/// judged at the pace that carries most, which a store would get for this memory; the figures of
/// the other pace are reported.
fn ring(sites: &[Site]) -> Vec<Verdict> {
    let rings = || sites.iter().filter(|site| site.mode.is_ring());
    let most = rings().map(Site::carried).fold(0.0, f64::max);
    let of_one = |site: &Site| {
        let name = site.mode.name();
        let ended = site.ended.broken.map_or("nobody asked for more", Broken::reason);
        let what = format!("{name}: targets carried until it breaks ({ended})");
        let against = |measure: &str, other: &Site, of: fn(&Site) -> f64| {
            let ratio = ratio(of(site), of(other), 1.0)?;
            let is_broken = other.ended.broken.is_some();
            let end = if is_broken { "broke" } else { "did not break: at most" };
            let other = other.mode.name();
            let what = format!(
                "{name}: times the targets {measure} of {other}, which {end}, in the same memory"
            );
            // An upper bound of the ratio proves no claim.
            Some(match site.carried() < most || !is_broken {
                true => Verdict::figure(what, ratio),
                false => Verdict::claim(what + " (3 at least)", ratio, ratio >= RING_TIMES),
            })
        };
        let carried = best(sites).and_then(|it| against("carried", it, Site::carried));
        let with_room = roomiest(sites).and_then(|it| against("with room", it, by_pages));
        let figure = Verdict::figure(what, site.carried());
        if site.ended.broken.is_none() {
            return vec![figure]; // its limit is not known
        }
        [Some(figure), carried, with_room].into_iter().flatten().collect::<Vec<_>>()
    };
    rings().flat_map(of_one).collect()
}

fn by_pages(site: &Site) -> f64 {
    site.roomy(|it| Some(it.read)).unwrap_or(0.0)
}

/// The mode with `.rrd` files whose page cache suffices for most targets.
fn roomiest(sites: &[Site]) -> Option<&Site> {
    let files = sites.iter().filter(|site| !site.mode.is_ring());
    files.max_by(|one, other| by_pages(one).total_cmp(&by_pages(other)))
}

/// Pages read from disk for updates of the ring store, and in the background: negligible, such as
/// reads by a file system that allocates space.
fn no_page_ins(sites: &[Site], reals: &[RealSize]) -> Verdict {
    let scaled = sites.iter().filter(|site| site.mode.is_ring()).flat_map(|site| &site.turns);
    let turns = || scaled.clone().chain(reals.iter().flat_map(|real| &real.life.turns));
    let updates: u64 = turns().map(|turn| u64::from(turn.databases)).sum();
    let [pages, kept] = [
        turns().map(|turn| turn.cycle.pages_read).sum::<u64>(),
        turns().map(|turn| turn.kept_pages_read).sum::<u64>(),
    ];
    let each = (pages + kept) as f64 / updates as f64;
    let what = format!(
        "ring: pages read for an update ({pages} in {updates} updates, and {kept} behind them; next to none)"
    );
    Verdict::claim(what, each, each < NEXT_TO_NOTHING)
}
