//! The page of a target.

use jiff::tz::TimeZone;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use mrtg::{Flag, PageKeys, Period, Target};

use crate::amount::amount;
use crate::comments::comments;
use crate::html::{comment, text};
use crate::period::{PERIODS, adverb, span, word};
use crate::places::Places;
use crate::style;
use crate::summary::Summary;

/// What a target's page shows.
pub struct Page<'p> {
    /// The target.
    pub target: &'p Target,
    /// Where its files are.
    pub places: &'p Places,
    /// Its pictures, in the order of [`PERIODS`]; `None` for those that `Suppress` leaves out.
    pub pictures: [Option<Picture>; 4],
    /// When its database was last updated, in seconds since 1970.
    pub updated_seconds: i64,
    /// The mark by which the page is known to be of this update: see [`update_mark`].
    pub mark: &'p str,
    /// The time zone of that.
    pub zone: &'p TimeZone,
    /// What the zone is called behind the time, if `Timezone` names it.
    pub zone_name: Option<&'p str>,
    /// Seconds after which a browser reads it again.
    pub refresh_seconds: u64,
    /// The version of the program that writes it.
    pub version: &'p str,
}

/// A picture of a page, and what its rows say.
pub struct Picture {
    /// Its width.
    pub width_pixels: u32,
    /// Its height.
    pub height_pixels: u32,
    /// What its rows say.
    pub summary: Summary,
}

/// The text of a comment at the beginning of a page that tells of which update it is, and of which
/// time if that was asked for; both in seconds since 1970.
#[must_use]
pub fn update_mark(updated_seconds: i64, at_seconds: Option<i64>) -> String {
    match at_seconds {
        Some(at) => format!("gyre: last update {updated_seconds}, seen at {at}"),
        None => format!("gyre: last update {updated_seconds}"),
    }
}

/// One of both values in tables.
struct Line<'p> {
    nth: usize,
    class: &'static str,
    label: &'p str,
}

impl Page<'_> {
    /// The page as HTML.
    #[must_use]
    pub fn html(&self) -> String {
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                (comment(&format!("MRTG 2.17.10, as gyre {} writes it", self.version)))
                (comment(self.mark))
                (comment("Begin Head"))
                (self.head())
                (comment("End Head"))
                (self.body())
            }
        };
        page.into_string()
    }

    fn head(&self) -> Markup {
        let told = self.pictures.each_ref().map(|it| it.as_ref().map(|picture| &picture.summary));
        html! {
            head {
                meta charset="UTF-8";
                meta http-equiv="refresh" content=(self.refresh_seconds);
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (text(&self.target.title())) }
                (comments(told, self.has(Flag::Dorelpercent)))
                style { (PreEscaped(style::of_page(self.keys()))) }
                @if let Some(html) = self.keys().and_then(|keys| keys.add_head.as_deref()) {
                    (PreEscaped(html))
                }
            }
        }
    }

    /// The body. The operator's own tag may begin it, so no tag of ours does.
    fn body(&self) -> Markup {
        let keys = self.keys();
        html! {
            (PreEscaped(body_tag(keys))) "\n"
            main {
                @if let Some(html) = self.target.page_top() { (PreEscaped(html)) "\n" }
                p.quiet { "Last updated " strong { (self.updated()) } }
                @for (period, picture) in PERIODS.into_iter().zip(&self.pictures) {
                    @if let Some(picture) = picture { (self.picture(period, picture)) }
                }
                @if !self.has(Flag::Nolegend) { (self.legend()) }
            }
            @if !self.has(Flag::Nobanner) { (self.banner()) }
            @if let Some(html) = keys.and_then(|keys| keys.foot.as_deref()) { (PreEscaped(html)) }
            (PreEscaped("</body>"))
        }
    }

    fn updated(&self) -> String {
        let told = crate::times::told(self.updated_seconds, self.zone);
        match self.zone_name {
            Some(name) => format!("{told} {name}"),
            None => told,
        }
    }

    fn picture(&self, period: Period, picture: &Picture) -> Markup {
        let span = span(period, self.target.settings.interval);
        let marked = format!("`{}' Graph ({span} interval)", adverb(period));
        html! {
            (comment(&format!("Begin {marked}")))
            div.graph {
                h2 { "“" (adverb(period)) "” Graph (" (span) " Average)" }
                img.picture src=(self.places.picture_from_page(period)) title=(word(period))
                    alt=(word(period)) width=(picture.width_pixels) height=(picture.height_pixels);
                table {
                    thead { tr {
                        td {}
                        th scope="col" { "Max" } th scope="col" { "Average" } th scope="col" { "Current" }
                    } }
                    tbody { (self.rows(&picture.summary)) }
                }
            }
            (comment(&format!("End {marked}")))
        }
    }

    fn rows(&self, told: &Summary) -> Markup {
        let settings = &*self.target.settings;
        let share =
            |percent: Option<f64>| format!("{:.1} %", percent.unwrap_or(0.0).round_ties_even());
        let peak = |line: &Line<'_>| amount(told.average_peak[line.nth], line.nth, settings);
        html! {
            @for line in self.lines() {
                tr class=(line.class) {
                    th.ink scope="row" { (text(line.label)) }
                    @for values in [told.maximum, told.average, told.current] {
                        td { (text(&amount(values[line.nth], line.nth, settings))) }
                    }
                }
            }
            @if self.has(Flag::Dorelpercent) {
                tr.relpercent {
                    th scope="row" { "Percentage" }
                    td { (share(told.ratios.maximum_percent)) }
                    td { (share(told.ratios.average_percent)) }
                    td { (share(told.ratios.current_percent)) }
                }
            }
            @if self.has(Flag::Avgpeak) {
                @for line in self.lines() {
                    tr {
                        th scope="row" { "Average of " (text(line.label)) "’s maxima" }
                        td {} td { (text(&peak(&line))) } td {}
                    }
                }
            }
        }
    }

    fn legend(&self) -> Markup {
        let legends = &*self.target.settings.legends;
        let [incoming, outgoing, incoming_peak, outgoing_peak] =
            style::colours(self.keys()).map(|colour| colour.name);
        let texts = [(incoming, &legends.incoming), (outgoing, &legends.outgoing)];
        let of_peaks =
            [(incoming_peak, &legends.incoming_peak), (outgoing_peak, &legends.outgoing_peak)];
        let with_peak = PERIODS.into_iter().any(|it| self.target.settings.with_peak.has(it));
        let row = |class: String, colour: &str, words: &str| {
            html! { tr class=(class) { th.ink scope="row" { (text(colour)) } td { (text(words)) } } }
        };
        html! {
            (comment("Begin Legend"))
            div #legend { table {
                @for line in self.lines() {
                    (row(line.class.to_owned(), &texts[line.nth].0, texts[line.nth].1))
                }
                @if with_peak { @for line in self.lines() {
                    (row(format!("{}peak", line.class), &of_peaks[line.nth].0, of_peaks[line.nth].1))
                } }
                @if self.has(Flag::Dorelpercent) {
                    tr.relpercent { th scope="row" { "Percentage" } td { (text(&legends.ratio)) } }
                }
            } }
            (comment("End Legend"))
        }
    }

    fn banner(&self) -> Markup {
        html! {
            (comment("Begin MRTG Block"))
            footer #footer { address { "gyre " (self.version) } }
            (comment("End MRTG Block"))
        }
    }

    /// The values that have rows in tables: those with a label.
    fn lines(&self) -> Vec<Line<'_>> {
        let legends = &*self.target.settings.legends;
        let all = [
            (Flag::Noi, Line { nth: 0, class: "in", label: &legends.incoming_label }),
            (Flag::Noo, Line { nth: 1, class: "out", label: &legends.outgoing_label }),
        ];
        let shown =
            all.into_iter().filter(|(hides, line)| !self.has(*hides) && !line.label.is_empty());
        shown.map(|(_, line)| line).collect()
    }

    fn has(&self, flag: Flag) -> bool {
        self.target.settings.options.has(flag)
    }

    fn keys(&self) -> Option<&PageKeys> {
        self.target.settings.page.as_deref()
    }
}

/// `BodyTag`: the whole tag, or its attributes.
fn body_tag(keys: Option<&PageKeys>) -> String {
    match keys.and_then(|keys| keys.body_tag.as_deref()) {
        Some(tag) if tag.to_ascii_lowercase().contains("<body") => tag.to_owned(),
        Some(attributes) => format!("<body {attributes}>"),
        None => "<body>".to_owned(),
    }
}
