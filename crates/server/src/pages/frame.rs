//! What all pages have around them.

use maud::{DOCTYPE, Markup, html};

use crate::assets;
use crate::view::View;

/// Which of the pages of the head's menu this is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Targets,
    Status,
    Elsewhere,
}

/// A whole page.
pub(super) fn page(view: &View, place: Place, title: &str, main: Markup) -> Markup {
    let refresh_seconds = view.refresh_seconds();
    html! {
        (DOCTYPE)
        html lang="en" data-refresh-seconds=(refresh_seconds) {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) " · " (site_title(view)) }
                link rel="icon" href="data:,";
                link rel="stylesheet" href=(assets::STYLE.address());
                noscript { meta http-equiv="refresh" content=(refresh_seconds); }
                script defer src=(assets::LIVE.address()) {}
            }
            body {
                (head(view, place))
                @if let Some(notice) = &view.catalogue.notice {
                    p.notice role="note" { (notice) }
                }
                main { (main) }
                (foot(view))
            }
        }
    }
}

fn site_title(view: &View) -> &str {
    match view.catalogue.title.as_str() {
        "" => "gyre",
        title => title,
    }
}

fn head(view: &View, place: Place) -> Markup {
    let here = |own: Place| (own == place).then_some("page");
    html! {
        header.top {
            a.brand href="/" { (mark()) span { (site_title(view)) } }
            nav aria-label="Pages" {
                a href="/" aria-current=[here(Place::Targets)] { "Targets" }
                a href="/status" aria-current=[here(Place::Status)] {
                    "Status"
                    span #silent-badge data-live { (silent_badge(view)) }
                }
            }
        }
    }
}

/// How many devices do not answer, where there are any.
fn silent_badge(view: &View) -> Markup {
    let silent = super::status::silent(view.status()).count();
    html! {
        @if silent > 0 {
            span.badge title="devices that do not answer" { (crate::numbers::count(silent)) }
        }
    }
}

/// Three turns of a gyre.
fn mark() -> Markup {
    html! {
        svg.mark viewBox="0 0 24 24" aria-hidden="true" {
            path d="M12 2a10 10 0 1 1-10 10" {}
            path d="M12 6a6 6 0 1 1-6 6" {}
            path d="M12 10a2 2 0 1 1-2 2" {}
        }
    }
}

fn foot(view: &View) -> Markup {
    html! {
        footer {
            span { (view.status().program) }
            span #rendered-at data-live {
                (crate::numbers::moment(view.now_seconds, &view.zone))
            }
        }
    }
}
