//! The targets whose limits are broken now.

use maud::{Markup, html};

use super::index::dot;
use super::path;
use crate::numbers::count;
use crate::ranks::Asked;
use crate::view::View;
use crate::{BrokenLimit, Target};

/// The broken limits, those that broke last first.
pub(super) fn broken(view: &View, asked: &Asked) -> Markup {
    let mut all = view.broken_limits();
    all.sort_by_key(|limit| std::cmp::Reverse(limit.since_seconds));
    let words = asked.query.to_lowercase();
    let mut reader = texts::Reader::default();
    let seen = all.iter().filter_map(|limit| Some((limit, view.find(&limit.target)?)));
    let wanted = seen.filter(|(_, target)| {
        (asked.device.is_empty() || *target.device == *asked.device)
            && words.split_whitespace().all(|word| target.mentions(word, &mut reader))
    });
    let wanted: Vec<(&BrokenLimit, Target)> = wanted.collect();
    html! {
        @if wanted.is_empty() {
            div.empty { h2 { "None" } p { "Every limit that the configuration sets is kept." } }
        } @else {
            p.summary { b { (count(wanted.len())) } " limits are broken" }
            section.panel {
                table.devices {
                    thead { tr {
                        th scope="col" { "Target" }
                        th scope="col" { "Limit" }
                        th scope="col" { "What is wrong" }
                        th.number scope="col" { "Since" }
                    } }
                    tbody { @for (limit, target) in wanted.iter().take(asked.most) {
                        (line(view, limit, target))
                    } }
                }
            }
        }
    }
}

fn line(view: &View, limit: &BrokenLimit, target: &Target) -> Markup {
    html! {
        tr {
            td {
                (dot(view, target))
                a href=(path::target(&target.name)) { (target.title()) }
                " " small { (target.name) }
            }
            td { code { (limit.key) } }
            td { (limit.words) }
            td.number { (figures::ago(limit.since_seconds, view.now_seconds)) }
        }
    }
}
