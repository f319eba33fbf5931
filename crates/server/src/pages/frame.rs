//! The frame that all pages share.

use jiff::tz::TimeZone;
use maud::{DOCTYPE, Markup, html};

use super::search_box::SearchBox;
use super::switches::switches;
use super::times;
use crate::assets::{self, Asset};
use crate::view::View;

/// The entry of the head's menu that a page belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Targets,
    Devices,
    Top,
    Boards,
    Store,
    Status,
    Elsewhere,
}

/// The head and foot that all pages of a site share.
pub(crate) struct Frame<'a> {
    /// The site's title.
    pub(crate) site: &'a str,
    pub(crate) notice: Option<&'a str>,
    pub(crate) search: SearchBox<'a>,
    /// The links in the head.
    pub(crate) menu: Markup,
    /// The name and version of the program.
    pub(crate) program: &'a str,
    pub(crate) refresh_seconds: u64,
    pub(crate) now_seconds: i64,
    pub(crate) zone: &'a TimeZone,
    /// The scripts of this page besides the one of all pages.
    pub(crate) scripts: &'a [&'a Asset],
}

/// A whole page over the targets of a configuration.
pub(super) fn page(view: &View, place: Place, title: &str, main: Markup) -> Markup {
    scripted_page(view, place, title, &[], main)
}

/// The same with scripts of its own.
pub(super) fn scripted_page(
    view: &View,
    place: Place,
    title: &str,
    scripts: &[&Asset],
    main: Markup,
) -> Markup {
    searched_page(view, place, title, scripts, "", main)
}

/// The same of what was found for a text.
pub(super) fn searched_page(
    view: &View,
    place: Place,
    title: &str,
    scripts: &[&Asset],
    text: &str,
    main: Markup,
) -> Markup {
    let refresh_seconds = view.refresh_seconds();
    whole(view, &Sheet { place, title, scripts, text, refresh_seconds }, main)
}

/// The same, refreshed as often as it says.
pub(crate) fn refreshed_page(
    view: &View,
    place: Place,
    refresh_seconds: u64,
    title: &str,
    scripts: &[&Asset],
    main: Markup,
) -> Markup {
    whole(view, &Sheet { place, title, scripts, text: "", refresh_seconds }, main)
}

/// What a page says of itself.
struct Sheet<'a> {
    place: Place,
    title: &'a str,
    scripts: &'a [&'a Asset],
    /// What was searched for.
    text: &'a str,
    refresh_seconds: u64,
}

fn whole(view: &View, sheet: &Sheet<'_>, main: Markup) -> Markup {
    let Sheet { place, title, scripts, text, refresh_seconds } = *sheet;
    let what = format!("{} targets", crate::numbers::count(view.count()));
    let frame = Frame {
        site: site_title(view),
        notice: view.notice(),
        search: SearchBox { text, what },
        menu: menu(view, place),
        program: &view.status().program,
        refresh_seconds,
        now_seconds: view.now_seconds,
        zone: &view.zone,
        scripts,
    };
    frame.around(title, main)
}

impl Frame<'_> {
    /// A whole page.
    pub(crate) fn around(&self, title: &str, main: Markup) -> Markup {
        let zone = times::zone_name(self.zone, self.now_seconds);
        let of_all = [&assets::LIVE, &assets::ZONE, &assets::SEARCH, &assets::KEPT];
        html! {
            (DOCTYPE)
            html lang="en" data-refresh-seconds=(self.refresh_seconds) data-zone=(zone) {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    title { (title) " · " (self.site) }
                    link rel="icon" href="data:,";
                    link rel="stylesheet" href=(assets::STYLE.address());
                    script src=(assets::THEME.address()) {}
                    noscript { meta http-equiv="refresh" content=(self.refresh_seconds); }
                    @for script in of_all.into_iter().chain(self.scripts.iter().copied()) {
                        script type="module" src=(script.address()) {}
                    }
                }
                body {
                    header.top {
                        a.brand href="/" { (mark()) span { (self.site) } }
                        (self.search.form())
                        nav aria-label="Pages" { (self.menu) }
                    }
                    @if let Some(notice) = self.notice {
                        aside.notice aria-label="Notice" { (notice) }
                    }
                    main { (main) }
                    footer {
                        span { (self.program) }
                        (switches(&zone))
                        span #rendered-at data-live { (times::moment(self.now_seconds, self.zone)) }
                    }
                }
            }
        }
    }
}

fn site_title(view: &View) -> &str {
    match view.title() {
        "" => "gyre",
        title => title,
    }
}

fn menu(view: &View, place: Place) -> Markup {
    let here = |own: Place| (own == place).then_some("page");
    html! {
        a href="/" aria-current=[here(Place::Targets)] { "Targets" }
        a href="/devices" aria-current=[here(Place::Devices)] { "Devices" }
        a href="/top" aria-current=[here(Place::Top)] { "Top" }
        a href="/boards" aria-current=[here(Place::Boards)] { "Boards" }
        @if view.is_of_everything() {
            a href="/store" aria-current=[here(Place::Store)] { "Store" }
            a href="/status" aria-current=[here(Place::Status)] {
                "Status"
                span #silent-badge data-live { (silent_badge(view)) }
            }
        }
    }
}

/// The number of devices that do not answer; empty if all do.
fn silent_badge(view: &View) -> Markup {
    let silent = view.status().silent().count();
    html! {
        @if silent > 0 {
            span.badge title="devices that do not answer" { (crate::numbers::count(silent)) }
        }
    }
}

/// The logo: three turns of a gyre.
fn mark() -> Markup {
    html! {
        svg.mark viewBox="0 0 24 24" aria-hidden="true" {
            path d="M12 2a10 10 0 1 1-10 10" {}
            path d="M12 6a6 6 0 1 1-6 6" {}
            path d="M12 10a2 2 0 1 1-2 2" {}
        }
    }
}
