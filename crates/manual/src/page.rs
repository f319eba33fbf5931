//! A page of the manual: a command, a format or a subject.

use options::{Described, Naming};

use crate::links::{Links, Target};
use crate::roff::{escaped, put_body, put_lines, put_verbatim};

/// Of what program a page tells.
#[derive(Clone, Copy, Debug)]
pub struct Edition {
    /// The program.
    pub program: &'static str,
    /// Its version.
    pub version: &'static str,
    /// The day of that version, such as `2026-11-27`.
    pub date: &'static str,
}

/// One page.
#[derive(Clone, Debug)]
pub struct Page {
    /// What it is called, and its section.
    pub target: Target,
    /// What it is about, in a line that `man -k` searches.
    pub brief: String,
    /// The command that it is about, and the commands below that one; none for other subjects.
    pub commands: Vec<Described>,
    /// What the documents say about it, in Markdown, without a title.
    pub body: String,
    /// Pages to read, too.
    pub also: Vec<Target>,
}

impl Page {
    /// The name of its file, such as `gyre-run.1`.
    #[must_use]
    pub fn file_name(&self) -> String {
        format!("{}.{}", self.target.name, self.target.section)
    }

    /// The page as roff.
    #[must_use]
    pub fn roff(&self, edition: &Edition, links: &Links) -> String {
        let Target { name, section } = &self.target;
        let Edition { program, version, date } = edition;
        let title = escaped(&name.to_uppercase());
        let mut out = format!(".TH {title} {section} {date} \"{program} {version}\" {program}\n");
        // Words stay whole, for people copy them, and blanks are as wide as they are.
        out += ".nh\n.ad l\n";
        out += ".SH NAME\n";
        out += &format!("{} \\- {}\n", escaped(name), escaped(&self.brief));
        self.put_synopsis(&mut out);
        out += ".SH DESCRIPTION\n";
        let (intro, sections) = self.parts();
        let main = self.commands.first();
        for paragraph in main.map_or("", |main| &main.summary).split("\n\n") {
            self.put_markdown(&mut out, paragraph, links);
        }
        self.put_markdown(&mut out, intro, links);
        if let Some(main) = main {
            put_options(&mut out, &main.options, ".SH OPTIONS");
            put_notes(&mut out, &main.notes);
        }
        self.put_commands(&mut out, links);
        self.put_markdown(&mut out, sections, links);
        self.put_also(&mut out);
        out
    }

    fn put_markdown(&self, out: &mut String, markdown: &str, links: &Links) {
        put_body(out, markdown, links, &self.target);
    }

    /// The body before its first heading, and the rest.
    fn parts(&self) -> (&str, &str) {
        let is_heading = |place: &usize| self.body.get(*place..).is_some_and(is_heading);
        let begins = self.body.match_indices('\n').map(|(place, _)| place + 1);
        let place = std::iter::once(0).chain(begins).find(is_heading);
        self.body.split_at(place.unwrap_or(self.body.len()))
    }

    fn put_synopsis(&self, out: &mut String) {
        if self.commands.is_empty() {
            return;
        }
        out.push_str(".SH SYNOPSIS\n");
        for (nth, command) in self.commands.iter().enumerate() {
            if nth > 0 {
                out.push_str(".br\n");
            }
            put_lines(out, &called(command));
        }
    }

    /// The commands below the first.
    fn put_commands(&self, out: &mut String, links: &Links) {
        let below = self.commands.get(1..).unwrap_or_default();
        if !below.is_empty() {
            out.push_str(".SH COMMANDS\n");
        }
        for command in below {
            *out += &format!(".SS {}\n", escaped(&command.called));
            put_lines(out, &called(command));
            self.put_markdown(out, &command.summary, links);
            put_options(out, &command.options, "");
            if !command.notes.is_empty() {
                out.push_str(".sp\n");
                put_verbatim(out, &command.notes);
            }
        }
    }

    fn put_also(&self, out: &mut String) {
        if self.also.is_empty() {
            return;
        }
        out.push_str(".SH SEE ALSO\n");
        for (nth, Target { name, section }) in self.also.iter().enumerate() {
            let comma = if nth + 1 < self.also.len() { " ," } else { "" };
            *out += &format!(".BR {} ({section}){comma}\n", escaped(name));
        }
    }

    /// The page as Markdown.
    #[must_use]
    pub fn markdown(&self) -> String {
        let Target { name, section } = &self.target;
        let mut out = format!("# {name}({section})\n\n{}.\n\n", self.brief);
        let (intro, sections) = self.parts();
        for command in &self.commands {
            out += &format!("    {}\n", command.synopsis);
        }
        let told = self.commands.iter().enumerate();
        for (nth, Described { called, summary, options, notes, .. }) in told {
            if nth > 0 {
                out += &format!("\n## {called}\n");
            }
            out += &format!("\n{summary}\n\n");
            if nth == 0 {
                out += intro;
                out.push_str("\n## Options\n\n");
            }
            out.extend(options.iter().map(markdown_option));
            if !notes.is_empty() {
                out.push('\n');
                out.extend(notes.lines().map(|line| format!("    {line}\n")));
            }
        }
        if self.commands.is_empty() {
            out += intro;
        }
        out.push('\n');
        out + sections
    }
}

/// Whether a text begins with a heading.
fn is_heading(text: &str) -> bool {
    text.trim_start_matches('#').starts_with(' ') && text.starts_with('#')
}

/// How a command is called; its own words are bold.
fn called(command: &Described) -> String {
    let operands = command.synopsis.strip_prefix(&*command.called).unwrap_or_default();
    format!("\\fB{}\\fR{}", escaped(&command.called), escaped(operands))
}

/// An option with its letter and value, as on a command line.
fn names(option: &Naming) -> (String, Option<&'static str>) {
    let letter = option.short.map(|letter| format!("-{letter}, ")).unwrap_or_default();
    (format!("{letter}--{}", option.long), option.value)
}

fn put_options(out: &mut String, options: &[Naming], heading: &str) {
    if !heading.is_empty() {
        *out += &format!("{heading}\n");
    }
    for option in options {
        let (names, value) = names(option);
        let value = value.map(|value| format!(" \\fI{}\\fR", escaped(value))).unwrap_or_default();
        *out += &format!(".TP\n\\fB{}\\fR{value}\n", escaped(&names));
        put_lines(out, &sentence(option.help));
    }
}

/// The words on an option: their markup is that of Markdown, of which only code is used.
fn sentence(help: &str) -> String {
    let parts = help.split('`').enumerate();
    let marked = parts.map(|(nth, part)| match nth % 2 {
        0 => escaped(part),
        _ => format!("\\fB{}\\fR", escaped(part)),
    });
    marked.collect()
}

fn markdown_option(option: &Naming) -> String {
    let (names, value) = names(option);
    let value = value.map(|value| format!(" {value}")).unwrap_or_default();
    format!("* `{names}{value}`: {}\n", marked_down(option.help))
}

/// The words on an option for Markdown, where what stands outside of code has no meaning either.
fn marked_down(help: &str) -> String {
    let mut out = String::with_capacity(help.len());
    let mut is_code = false;
    for letter in help.chars() {
        is_code ^= letter == '`';
        if !is_code && matches!(letter, '<' | '*' | '_' | '[' | '\\') {
            out.push('\\');
        }
        out.push(letter);
    }
    out
}

/// What stands behind the options in the help; a line such as `examples:` is a heading.
fn put_notes(out: &mut String, notes: &str) {
    if notes.is_empty() {
        return;
    }
    let (heading, rest) = match notes.split_once('\n') {
        Some((first, rest)) if first.ends_with(':') => (first.trim_end_matches(':'), rest),
        _ => ("notes", notes),
    };
    *out += &format!(".SH {}\n", escaped(&heading.to_uppercase()));
    put_verbatim(out, rest);
}
