//! Graphs of any arguments, over any data: each is drawn as PNG, as SVG and as a table, or refused.
//!
//! Bytes choose options and elements from lists, and the texts and numbers in them; what is refused
//! is left out of the graph. Images are small, and windows are of a few thousand rows, so that each
//! input is quick.
#![no_main]

use std::convert::Infallible;

use graph::{Arguments, Plan, SeriesRequest};
use jiff::tz::TimeZone;
use libfuzzer_sys::fuzz_target;
use rrd::{Series, Stretch, Timestamp};

/// Options. `#` stands for a digit, `%` for a larger number, `~` for a text, a backquote for `#`.
const OPTIONS: [&str; 70] = [
    "-j",
    "-D",
    "-g",
    "-P",
    "-E",
    "-N",
    "-I",
    "-F",
    "-r",
    "-A",
    "-J",
    "-M",
    "-Y",
    "-o",
    "-i",
    "-z",
    "--allow-shrink",
    "--dynamic-labels",
    "--utc",
    "--disable-rrdtool-tag",
    "--units=si",
    "--add-jsontime",
    "-m 0.#",
    "-m 1.#",
    "-u %",
    "-l %",
    "-l -%",
    "-u %e#",
    "-l -%e-#",
    "-l 0.#",
    "-b 1024",
    "-X #",
    "-X -#",
    "-L #",
    "-S %",
    "-T #",
    "-x none",
    "-y none",
    "-y %:#",
    "-y 0.#:#",
    "-x MINUTE:#:HOUR:#:HOUR:#:#:~",
    "-x SECOND:#:DAY:#:WEEK:#:%:%a",
    "-x MONTH:#:YEAR:#:DAY:#:0:~",
    "--week-fmt ~",
    "--right-axis #:%",
    "--right-axis -0.#:%",
    "--right-axis %e#:-%",
    "--right-axis-label ~",
    "--right-axis-formatter timestamp",
    "--right-axis-format ~",
    "--left-axis-formatter duration",
    "--left-axis-formatter timestamp",
    "--left-axis-format ~",
    "--legend-position north",
    "--legend-position west",
    "--legend-position east",
    "--legend-direction bottomup",
    "--legend-direction bottomup2",
    "--border #",
    "-t ~",
    "-v ~",
    "-W ~",
    "-f ~",
    "-n DEFAULT:#:~",
    "-n LEGEND:#:~",
    "-n AXIS:%",
    "-c CANVAS`~",
    "-c GRID`~",
    "--grid-dash #:#",
    "-G mono",
];

/// Elements, with the same marks; `@` stands for a series or a VDEF.
const ELEMENTS: [&str; 44] = [
    "DEF:a#=x.rrd:a:AVERAGE",
    "DEF:a#=x.rrd:b:MAX:step=%",
    "DEF:a#=x.rrd:a:MIN:start=end-%",
    "DEF:a#=y.rrd:a:LAST:end=start+%:reduce=MIN",
    "CDEF:a#=@,@,+",
    "CDEF:a#=@,%,TREND",
    "CDEF:a#=@,UN,0,@,IF",
    "CDEF:a#=PREV,@,MAX",
    "CDEF:a#=@,~",
    "CDEF:a#=~",
    "CDEF:a#=@,%,@,STEPWIDTH,LIMIT",
    "CDEF:a#=%,#,2,@,PREDICT",
    "CDEF:a#=@,@,@,3,SORT,POP,#,ROLL",
    "CDEF:a#=TIME,NEWDAY,@,ADDNAN,*",
    "VDEF:v#=@,MAXIMUM",
    "VDEF:v#=@,%,PERCENT",
    "VDEF:v#=@,LSLSLOPE",
    "VDEF:v#=@,~",
    "SHIFT:@:%",
    "SHIFT:@:-%",
    "LINE:@`ff0000",
    "LINE#:@`00ff00:~",
    "LINE0.#:@`0000ff80:~:dashes=#,#:dash-offset=%",
    "LINE:%`ffffff:~:STACK",
    "LINE1:@`~",
    "AREA:@`ff00ff:~",
    "AREA:@`00ffff`ff0000:~:gradheight=#",
    "AREA:@`00ffff`~:~:STACK",
    "AREA:-%`ff00ff:~:skipscale",
    "TICK:@`00ff00:0.#:~",
    "TICK:@`~:-#",
    "HRULE:@`000000:~",
    "HRULE:%`00ff00:~:dashes",
    "VRULE:10000%`ff0000:~",
    "VRULE:@`ff0000:~",
    "GPRINT:@:AVERAGE:~",
    "GPRINT:@:MAX:~",
    "GPRINT:v#:~",
    "GPRINT:v#:~:strftime",
    "PRINT:@:LAST:~:valstrftime",
    "PRINT:@:MIN:~:valstrfduration",
    "COMMENT:~",
    "TEXTALIGN:right",
    "~",
];

/// Texts that mean something somewhere; a last one is read from the input.
const TEXTS: [&str; 28] = [
    "",
    "a",
    "a\\l",
    "b\\r",
    "c\\c",
    "d\\j",
    "e\\s",
    "f\\u",
    "g\\g",
    "\\t\\t",
    "%lf",
    "%6.2lf %s",
    "%.3le%S\\l",
    "%% %lg",
    "%s",
    "%n",
    "%H:%M",
    "%Y-%m-%d %c",
    "%d:%h",
    "<b>bold</b>",
    "<span size='30000'>x",
    "&amp;",
    "\u{1f600}\u{301}\u{627}",
    "ff0000",
    "12",
    "DejaVu Serif:italic",
    "a\\:b",
    "x y z",
];

/// Values of series, from one that is unknown to the largest.
const VALUES: [f64; 16] = [
    f64::NAN,
    0.0,
    1.0,
    -1.0,
    0.5,
    1e-9,
    123.456,
    1e6,
    -3e9,
    1e300,
    -1e300,
    5e-324,
    f64::INFINITY,
    f64::NEG_INFINITY,
    1024.0,
    f64::MAX,
];

const START_SECONDS: i64 = 1_000_000_000;

/// The rest of the input.
struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[usize::from(self.byte()) % choices.len()]
    }

    fn text(&mut self) -> String {
        let length = match self.byte() {
            length @ 0..32 => usize::from(length),
            other => return TEXTS[usize::from(other) % TEXTS.len()].to_owned(),
        };
        let (text, rest) = self.0.split_at(length.min(self.0.len()));
        self.0 = rest;
        // Long numbers would make large images and long windows.
        let text = String::from_utf8_lossy(text);
        text.split_inclusive(|it: char| !it.is_ascii_digit())
            .map(|part| part.get(..4).unwrap_or(part))
            .collect()
    }

    /// A word of a list, with its marks filled in.
    fn filled(&mut self, pattern: &str) -> String {
        let mut word = String::new();
        for mark in pattern.chars() {
            match mark {
                '`' => word.push('#'),
                '#' => word += &(self.byte() % 10).to_string(),
                '%' => word += &(u16::from(self.byte()) * 13 % 1000).to_string(),
                '~' => word += &self.text(),
                '@' => word += self.one_of(&["a0", "a1", "a2", "v0", "v1", "a3"]),
                other => word.push(other),
            }
        }
        word
    }

    /// The words of a graph whose arguments are taken.
    fn words(&mut self, now: Timestamp, zone: &TimeZone) -> Vec<String> {
        let (width, height) = (10 + self.byte() % 200, 10 + self.byte() % 120);
        let mut words = vec!["-w".to_owned(), width.to_string(), "-h".into(), height.to_string()];
        let bytes = [self.byte(), self.byte(), self.byte() % 40].map(i64::from);
        let end = START_SECONDS + 1 + bytes.iter().product::<i64>();
        words.extend(["-s".into(), START_SECONDS.to_string(), "-e".into(), end.to_string()]);
        words.push("DEF:a0=x.rrd:a:AVERAGE".into());
        let is_taken = |words: &[String]| {
            Arguments::read(words).is_ok_and(|it| Plan::new(&it, now, zone).is_ok())
        };
        for nth in 0..self.byte() % 32 {
            let count = words.len();
            // An option and its value are two words.
            match nth < 8 {
                true => {
                    let pattern = self.one_of(&OPTIONS);
                    words.extend(pattern.splitn(2, ' ').map(|word| self.filled(word)));
                }
                false => {
                    let pattern = self.one_of(&ELEMENTS);
                    words.push(self.filled(pattern));
                }
            }
            if !is_taken(&words) {
                words.truncate(count);
            }
        }
        words
    }

    /// Two sources, in rows of a step that the window bears.
    fn answer(&mut self, request: &SeriesRequest) -> Stretch {
        let tick = rrd::Tick::of_per_second(self.one_of(&[1, 1, 10, 1000])).unwrap_or_default();
        let query = match tick.is_second() {
            true => request.query_in_seconds(),
            false => request.query().in_ticks(tick),
        };
        let span = (query.end_seconds - query.start_seconds).clamp(1, 1 << 40);
        let step = (i64::from(self.byte()) + 1).max(span / 2000);
        let start_seconds = query.start_seconds - query.start_seconds.rem_euclid(step);
        let rows = (span / step + 1) as usize;
        let pattern: Vec<f64> = (0..1 + self.byte() % 9).map(|_| self.one_of(&VALUES)).collect();
        Stretch::from(Series {
            tick,
            start_seconds,
            end_seconds: start_seconds + rows as i64 * step,
            step_seconds: step as u64,
            source_names: vec!["a".into(), "b".into()],
            values: pattern.iter().copied().cycle().take(2 * rows).collect(),
        })
    }
}

fuzz_target!(|bytes: &[u8]| {
    let mut input = Input(bytes);
    let zone = input.one_of(&["UTC", "Europe/Berlin", "Australia/Lord_Howe"]);
    let zone = TimeZone::get(zone).expect("the zone database");
    let now = Timestamp::from_seconds(START_SECONDS + 86_400);
    let words = input.words(now, &zone);
    for format in ["PNG", "SVG", "XML", "JSON", "CSV"] {
        let words: Vec<&str> =
            ["-a", format].into_iter().chain(words.iter().map(String::as_str)).collect();
        let Ok(arguments) = Arguments::read(&words) else { return };
        let mut data = Input(input.0);
        let mut fetch = |requests: &[SeriesRequest]| {
            requests.iter().map(|it| Ok::<_, Infallible>(data.answer(it))).collect()
        };
        let Ok(drawing) = graph::draw(&arguments, now, &zone, &mut fetch) else { return };
        // What was drawn is as large as it is told to be.
        if format == "PNG" && drawing.width > 0 {
            assert!(drawing.image.starts_with(b"\x89PNG"), "{words:?}");
            assert!(drawing.graph_width <= drawing.width, "{words:?}");
        }
    }
});
