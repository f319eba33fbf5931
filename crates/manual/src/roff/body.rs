//! A document in Markdown as the sections of a man page.
//!
//! A table becomes a list: its first column names what the others tell of. So it fits any terminal,
//! which roff's own tables of long texts do not.

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::escape::{guarded, put_lines, put_verbatim};
use super::inline::Inline;
use crate::links::{Links, Target};

/// Appends a document, for the page `page`. Its headings of the second level become sections.
pub(crate) fn put_body(out: &mut String, markdown: &str, links: &Links, page: &Target) {
    let is_fresh = out.lines().last().is_some_and(|line| line.starts_with(".SH"));
    let inline = Inline::new(links, page);
    let mut body =
        Body { out, inline, is_fresh, lists: Vec::new(), table: Table::default(), code: None };
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES) {
        body.put(event);
    }
}

struct Body<'a> {
    out: &'a mut String,
    inline: Inline<'a>,
    /// Whether nothing stands below the heading: then a paragraph needs no request.
    is_fresh: bool,
    /// The lists around this place; the number of the next item, if they have numbers.
    lists: Vec<List>,
    table: Table,
    /// The lines of a block of code.
    code: Option<String>,
}

struct List {
    number: Option<u64>,
    /// Whether the item has text already.
    has_text: bool,
}

#[derive(Default)]
struct Table {
    head: Vec<String>,
    row: Vec<String>,
}

impl Body<'_> {
    fn put(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.begin(&tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match &mut self.code {
                Some(code) => code.push_str(&text),
                None => self.inline.push(&text),
            },
            Event::Code(code) => self.inline.push_code(&code),
            Event::SoftBreak => self.inline.push(" "),
            Event::HardBreak => {
                self.flush();
                self.out.push_str(".br\n");
            }
            _ => {}
        }
    }

    fn begin(&mut self, tag: &Tag<'_>) {
        match tag {
            Tag::Paragraph => self.begin_paragraph(),
            Tag::Heading { level, .. } if *level < HeadingLevel::H3 => self.inline.begin_heading(),
            Tag::CodeBlock(_) => {
                self.flush();
                self.code = Some(String::new());
            }
            Tag::List(first) => self.begin_list(*first),
            Tag::Item => self.begin_item(),
            Tag::Emphasis => self.inline.begin_font('I'),
            Tag::Strong => self.inline.begin_font('B'),
            Tag::Link { dest_url, .. } => self.inline.begin_link(dest_url),
            Tag::Image { .. } => self.inline.push("(picture: "),
            Tag::Table(_) => self.table = Table::default(),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph => self.flush(),
            TagEnd::Heading(level) => self.end_heading(level),
            TagEnd::CodeBlock => self.end_code(),
            TagEnd::List(_) => self.end_list(),
            TagEnd::Item => self.flush(),
            TagEnd::Emphasis | TagEnd::Strong => self.inline.end_font(),
            TagEnd::Link => self.inline.end_link(),
            TagEnd::Image => self.inline.push(")"),
            TagEnd::TableCell => {
                let cell = self.inline.take();
                self.table.row.push(cell);
            }
            TagEnd::TableHead => self.table.head = std::mem::take(&mut self.table.row),
            TagEnd::TableRow => self.end_row(),
            _ => {}
        }
    }

    /// Writes the text that was gathered.
    fn flush(&mut self) {
        if self.inline.is_empty() {
            self.inline.take();
            return;
        }
        put_lines(self.out, &self.inline.take());
        self.is_fresh = false;
        if let Some(list) = self.lists.last_mut() {
            list.has_text = true;
        }
    }

    fn request(&mut self, request: &str) {
        self.out.push_str(request);
        self.out.push('\n');
    }

    fn begin_paragraph(&mut self) {
        match self.lists.last() {
            Some(list) if list.has_text => self.request(".IP \"\" 4"),
            None if !self.is_fresh => self.request(".PP"),
            _ => {}
        }
    }

    fn end_heading(&mut self, level: HeadingLevel) {
        let words = self.inline.take();
        match level {
            HeadingLevel::H1 | HeadingLevel::H2 => self.request(&format!(".SH {words}")),
            HeadingLevel::H3 => self.request(&format!(".SS {words}")),
            _ => {
                if !self.is_fresh {
                    self.request(".PP");
                }
                put_lines(self.out, &format!("\\fB{words}\\fR"));
            }
        }
        self.is_fresh = level < HeadingLevel::H4;
    }

    fn end_code(&mut self) {
        let code = self.code.take().unwrap_or_default();
        if !self.is_fresh {
            self.request(".sp");
        }
        put_verbatim(self.out, &code);
        self.is_fresh = false;
    }

    fn begin_list(&mut self, number: Option<u64>) {
        self.flush();
        if !self.lists.is_empty() {
            self.request(".RS 4");
        }
        self.lists.push(List { number, has_text: false });
    }

    fn end_list(&mut self) {
        self.lists.pop();
        if !self.lists.is_empty() {
            self.request(".RE");
        }
    }

    fn begin_item(&mut self) {
        let Some(list) = self.lists.last_mut() else { return };
        list.has_text = false;
        let mark = match &mut list.number {
            Some(number) => {
                *number += 1;
                format!(".IP {}. 4", *number - 1)
            }
            None => ".IP \\(bu 4".to_owned(),
        };
        self.request(&mark);
    }

    fn end_row(&mut self) {
        let row = std::mem::take(&mut self.table.row);
        let Some((first, others)) = row.split_first() else { return };
        self.request(".TP");
        let is_plain = !first.contains("\\f");
        match (first.is_empty(), is_plain) {
            (true, _) => self.request("\\(bu"),
            (_, true) => self.request(&format!("\\fB{first}\\fR")),
            (_, false) => self.request(&guarded(first)),
        }
        let told: Vec<String> = others.iter().enumerate().filter_map(|it| self.told(it)).collect();
        for (nth, cell) in told.iter().enumerate() {
            if nth > 0 {
                self.request(".br");
            }
            put_lines(self.out, cell);
        }
        if told.is_empty() {
            self.request("\\&");
        }
        self.is_fresh = false;
    }

    /// A cell behind the first. Where there are several, each says what it is.
    fn told(&self, (nth, cell): (usize, &String)) -> Option<String> {
        if cell.trim().is_empty() {
            return None;
        }
        let is_only = self.table.head.len() < 3;
        let head = self.table.head.get(nth + 1).filter(|head| !is_only && !head.is_empty());
        Some(head.map_or(cell.clone(), |head| format!("\\fI{head}\\fR: {cell}")))
    }
}

#[cfg(test)]
mod tests {
    use super::put_body;
    use crate::links::{Links, Target};

    fn roff(markdown: &str) -> String {
        let mut links = Links::default();
        links.add("run.md", Target { name: "gyre-run".into(), section: 1 });
        let page = Target { name: "gyre-x".into(), section: 1 };
        let mut out = ".SH DESCRIPTION\n".to_owned();
        put_body(&mut out, markdown, &links, &page);
        out
    }

    #[test]
    fn headings_are_sections() {
        assert_eq!(
            roff("one\n\n## Two `x`\n\nthree\n\nfour\n\n### Five\n"),
            ".SH DESCRIPTION\none\n.SH TWO x\nthree\n.PP\nfour\n.SS Five\n"
        );
    }

    #[test]
    fn links_are_references() {
        assert!(roff("see [run.md](run.md#a)").contains("see \\fBgyre\\-run\\fR(1)\n"));
        assert!(roff("a [run](run.md)").contains("a run (\\fBgyre\\-run\\fR(1))\n"));
        assert!(roff("[there](http://a.b/)").contains("there <http://a.b/>\n"));
        assert!(roff("<http://a.b/>").contains("\nhttp://a.b/\n"));
        assert!(roff("[here](#a)").contains("\nhere\n"));
    }

    #[test]
    fn tables_are_lists() {
        let table = "| a | b | c |\n|---|---|---|\n| `x` | y | z |\n| w | | |\n";
        let told = ".TP\n\\fBx\\fR\n\\fIb\\fR: y\n.br\n\\fIc\\fR: z\n.TP\n\\fBw\\fR\n\\&\n";
        assert_eq!(roff(table), format!(".SH DESCRIPTION\n{told}"));
    }

    #[test]
    fn code_is_kept_as_it_is() {
        let code = roff("a:\n\n    $ gyre  run\n    .x\n\n* one\n  two\n* three\n");
        let expected = ".sp\n.RS 4\n.nf\n$ gyre  run\n\\&.x\n.fi\n.RE\n.IP \\(bu 4\none two\n\
                        .IP \\(bu 4\nthree\n";
        assert_eq!(code, format!(".SH DESCRIPTION\na:\n{expected}"));
    }
}
