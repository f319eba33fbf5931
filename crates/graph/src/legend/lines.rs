//! Texts filled into lines.

use super::entry::{Entry, Swatch};
use crate::arguments::{LegendDirection, Settings};
use crate::text::Line;

/// A text with what follows from its control code.
pub(super) struct Item {
    pub(super) text: String,
    pub(super) line: Line,
    pub(super) is_comment: bool,
    pub(super) swatch: Option<Swatch>,
    /// `l`, `r`, `c`, `j`, `s`, `u` end a line; `g` leaves out the gap.
    pub(super) code: Option<char>,
}

impl Item {
    fn ends_line(&self) -> bool {
        self.code.is_some_and(|code| code != 'g')
    }
}

/// What the legend is made of, in order.
pub(super) enum Step {
    Align(char),
    Item(Item),
    End(Ending),
}

/// How the last element leaves the last line.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// It ends it by its code.
    Code,
    /// It is a text of it.
    Text,
    /// It shows nothing.
    Nothing,
}

impl Ending {
    pub(super) fn of(item: &Item) -> Self {
        match item {
            item if item.ends_line() => Self::Code,
            item if item.text.is_empty() => Self::Nothing,
            _ => Self::Text,
        }
    }
}

/// The lines in the making.
pub(super) struct Lines {
    points: f64,
    width: f64,
    align: char,
    pub(super) entries: Vec<Entry>,
    line: Vec<Entry>,
    /// The length of the line so far.
    fill: f64,
    /// Where the next text begins, from the line's left end.
    next_x: f64,
    pub(super) y: f64,
    /// The most that a line was filled.
    fill_max: f64,
    /// Whether the line in the making has a text that is no comment.
    says_more: bool,
    /// The heights of the first and of the last line that has one.
    within: Option<(f64, f64)>,
}

impl Lines {
    fn new(settings: &Settings, width: f64) -> Self {
        Self {
            points: settings.fonts.legend.points,
            width,
            align: 'j',
            entries: Vec::new(),
            line: Vec::new(),
            fill: 0.0,
            next_x: 0.0,
            y: 0.0,
            fill_max: 0.0,
            says_more: false,
            within: None,
        }
    }

    pub(super) fn of(steps: &[Step], settings: &Settings, width: f64) -> Self {
        let mut lines = Self::new(settings, width);
        for step in steps {
            match step {
                Step::Align(align) => lines.align = *align,
                Step::Item(item) => lines.add(item),
                Step::End(ending) => lines.end(*ending),
            }
        }
        lines
    }

    fn end(&mut self, ending: Ending) {
        match ending {
            Ending::Code => {}
            // It may have ended its line because it is too long.
            Ending::Text if self.line.is_empty() => {}
            Ending::Text | Ending::Nothing => self.end_line(self.align),
        }
    }

    /// The width that the longest line needs.
    pub(super) fn width(&self) -> f64 {
        self.fill_max + 2.0 * self.gap()
    }

    /// Turns the order of the lines.
    pub(super) fn turn(&mut self, direction: LegendDirection) {
        let last = self.entries.iter().map(|entry| entry.y).fold(0.0, f64::max);
        let turned = match direction {
            LegendDirection::TopDown => None,
            LegendDirection::BottomUp => Some((0.0, last)),
            LegendDirection::BottomUpWithin => self.within,
        };
        let Some((first, last)) = turned else { return };
        let entries = self.entries.iter_mut();
        let within = entries.filter(|entry| (first..=last).contains(&entry.y));
        within.for_each(|entry| entry.y = first + last - entry.y);
    }

    /// The margin on either side, and the gap between two texts.
    fn gap(&self) -> f64 {
        self.points * 2.0
    }

    fn room(&self) -> f64 {
        self.width - 2.0 * self.gap()
    }

    fn add(&mut self, item: &Item) {
        if !item.text.is_empty() {
            self.place(item);
            self.says_more |= !item.is_comment;
        }
        if let Some(code) = item.code.filter(|_| item.ends_line()) {
            self.end_line(code);
        }
    }

    /// Counts a gap *before* each text but the first, and draws it *behind* each but the last;
    /// with `\g` the two may differ, as they do in rrdtool.
    fn place(&mut self, item: &Item) {
        let (swatch, code) = (item.swatch, item.code);
        let line = item.line.clone();
        let width = line.width();
        let is_glued = code == Some('g');
        let mut gap = if is_glued { 0.0 } else { self.gap() };
        // A text that ends its line stays on it, even if it is too long.
        let may_wrap = is_glued || code.is_none();
        if may_wrap && !self.line.is_empty() && self.fill + gap + width > self.room() {
            self.end_line(self.align);
            // rrdtool forgets here that there was to be no gap.
            gap = self.gap();
        }
        if !self.line.is_empty() {
            self.fill += gap;
        }
        self.fill += width;
        let x = self.next_x;
        self.next_x += width + gap;
        let text = item.text.clone();
        self.line.push(Entry { text, line, swatch, x, y: 0.0 });
        // One that is too long by itself has its line for itself.
        if may_wrap && self.line.len() == 1 && self.fill > self.room() {
            self.end_line(self.align);
        }
    }

    fn end_line(&mut self, code: char) {
        let leading = (self.points * 1.8).trunc();
        let count = self.line.len();
        let (first, each) = self.shifts(code);
        // A line takes room if it ends to the right of the margin, as in rrdtool: an empty one may.
        let takes_room = self.next_x + first + each * count as f64 > 0.0;
        self.fill_max = self.fill_max.max(self.fill);
        if std::mem::take(&mut self.says_more) {
            let (first, _) = self.within.unwrap_or((self.y, self.y));
            self.within = Some((first, self.y));
        }
        for (nth, mut entry) in self.line.drain(..).enumerate() {
            entry.x += self.points * 2.0 + first + each * nth as f64;
            entry.y = self.y;
            self.entries.push(entry);
        }
        if code == 's' {
            self.y += leading - self.points;
        } else if takes_room {
            self.y += leading;
        }
        if code == 'u' {
            self.y = (self.y - self.points * 1.8).trunc();
        }
        self.fill = 0.0;
        self.next_x = 0.0;
    }

    /// How far the line is moved to the right, and each of its texts farther than the one before.
    fn shifts(&self, code: char) -> (f64, f64) {
        let spare = self.room() - self.fill;
        match (code, self.line.len()) {
            ('r', _) => (spare, 0.0),
            ('c', _) => (spare / 2.0, 0.0),
            ('j', count @ 2..) => (0.0, spare / (count - 1) as f64),
            _ => (0.0, 0.0),
        }
    }
}
