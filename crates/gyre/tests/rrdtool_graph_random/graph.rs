//! Random definitions of series.

use super::random::Random;

/// Words of a command, and the series that they define.
pub(crate) struct Graph {
    pub(crate) command: String,
    pub(crate) series: Vec<String>,
    is_export: bool,
    /// One for all: of two DEFs of the same rows, rrdtool 1.7.2 gives both the first one's.
    reduce: &'static str,
}

impl Graph {
    /// A table of all series.
    pub(crate) fn exported(random: &mut Random, end_seconds: u64) -> Self {
        let window = window(random, end_seconds);
        let rows = random.one_of(&[10, 60, 400]);
        let mut graph = Self::begin(format!("xport {window} -m {rows}"), true, random);
        for name in graph.series.clone() {
            graph.say(&format!("XPORT:{name}:{name}"));
        }
        graph
    }

    /// A graph that prints all that is calculated of its series.
    pub(crate) fn printed(random: &mut Random, end_seconds: u64) -> Self {
        let window = window(random, end_seconds);
        let width = random.one_of(&[10, 60, 400]);
        let mut graph = Self::begin(format!("graph /dev/null {window} -w {width}"), false, random);
        graph.prints(random);
        graph
    }

    /// A command that begins so, with series.
    pub(crate) fn begin(command: String, is_export: bool, random: &mut Random) -> Self {
        let reduce = random.one_of(&["", "", ":reduce=AVERAGE", ":reduce=MIN", ":reduce=LAST"]);
        let mut graph = Self { command, series: Vec::new(), is_export, reduce };
        if random.below(4) == 0 {
            graph.say(&format!("--step {}", random.one_of(&[7, 60, 1000])));
        }
        for nth in 0..=random.below(2) {
            graph.def(random, nth);
        }
        for nth in 0..random.below(4) {
            graph.cdef(random, nth);
        }
        graph
    }

    pub(crate) fn say(&mut self, words: &str) {
        self.command.push(' ');
        self.command += words;
    }

    fn def(&mut self, random: &mut Random, nth: u64) {
        let functions = ["AVERAGE", "MIN", "MAX"];
        let source = random.one_of(&["d", "e"]);
        let mut def = format!("DEF:x{nth}=a.rrd:{source}:{}", random.one_of(&functions));
        if random.below(3) == 0 {
            def += &format!(":step={}", 1 + random.below(5000));
        }
        def += self.reduce;
        if !self.is_export && random.below(4) == 0 {
            def += &format!(":start=end-{}", 100 + random.below(50_000));
        }
        if !self.is_export && random.below(6) == 0 {
            def += &format!(":end=start+{}", 100 + random.below(50_000));
        }
        self.say(&def);
        self.series.push(format!("x{nth}"));
        if !self.is_export && random.below(5) == 0 {
            self.say(&format!("SHIFT:x{nth}:{}", random.below(20_000) as i64 - 10_000));
        }
    }

    fn cdef(&mut self, random: &mut Random, nth: u64) {
        let text = match random.below(6) {
            0 => {
                let (series, word) = (self.one(random), random.one_of(&["TREND", "TRENDNAN"]));
                format!("{series},{},{word}", random.below(5000))
            }
            _ => {
                let series = self.one(random);
                format!("{series},{},ADDNAN", self.term(random, 3))
            }
        };
        self.say(&format!("CDEF:c{nth}={text}"));
        self.series.push(format!("c{nth}"));
    }

    pub(crate) fn one(&self, random: &mut Random) -> String {
        self.series[random.below(self.series.len() as u64) as usize].clone()
    }

    /// An expression that leaves one value.
    fn term(&self, random: &mut Random, depth: u32) -> String {
        if depth == 0 || random.below(5) == 0 {
            return match random.below(8) {
                0 => random.one_of(&["UNKN", "INF", "NEGINF", "PREV", "COUNT", "TIME"]).into(),
                1 => random.one_of(&["LTIME", "STEPWIDTH", "NEWDAY", "NEWWEEK", "NEWYEAR"]).into(),
                2 | 3 => format!("{}.{}", random.below(1000), random.below(1_000_000)),
                4 => random.below(10).to_string(),
                _ => self.one(random),
            };
        }
        let mut next = || self.term(random, depth - 1);
        let (a, b, c) = (next(), next(), next());
        match random.below(5) {
            0 => {
                let words = [
                    "SIN", "COS", "LOG", "EXP", "SQRT", "ATAN", "FLOOR", "CEIL", "ABS", "DEG2RAD",
                    "RAD2DEG", "UN", "ISINF", "1,SORT", "1,REV", "1,AVG",
                ];
                format!("{a},{}", random.one_of(&words))
            }
            1 => format!("{a},{b},{c},{}", random.one_of(&["IF", "LIMIT", "3,AVG", "3,MEDIAN"])),
            2 => format!("{a},{b},{c},{}", random.one_of(&["3,SMIN", "3,SMAX", "3,STDEV"])),
            _ => {
                let words = [
                    "+", "-", "*", "/", "%", "POW", "ATAN2", "LT", "LE", "GT", "GE", "EQ", "NE",
                    "MIN", "MAX", "MINNAN", "MAXNAN", "ADDNAN",
                ];
                format!("{a},{b},{}", random.one_of(&words))
            }
        }
    }

    fn prints(&mut self, random: &mut Random) {
        let functions = [
            "MAXIMUM",
            "MINIMUM",
            "AVERAGE",
            "STDEV",
            "LAST",
            "FIRST",
            "TOTAL",
            "95,PERCENT",
            "0.7,PERCENT",
            "LSLSLOPE",
            "LSLINT",
            "LSLCORREL",
        ];
        for (nth, function) in functions.into_iter().enumerate() {
            let series = self.one(random);
            self.say(&format!("VDEF:v{nth}={series},{function} PRINT:v{nth}:%.17le"));
            let also = match random.below(6) {
                0 => "%Y%m%d-%H%M%S:strftime".into(),
                1 => "%.3le%S".into(),
                2 => format!("%W-%d-%h-%m-%0{}.{}s-%f:valstrfduration", nth, random.below(7)),
                3 => "%8.3lf%s".into(),
                4 => "x%-12.4lg%Sy".into(),
                _ => "%+lf".to_owned(),
            };
            self.say(&format!("PRINT:v{nth}:{also}"));
        }
        // Where no row is known, rrdtool takes what its memory holds.
        let series = self.one(random);
        self.say(&format!(
            "CDEF:p={series},COUNT,1,EQ,1,UNKN,IF,ADDNAN VDEF:w=p,{},PERCENTNAN PRINT:w:%.17le",
            random.below(100)
        ));
        for name in self.series.clone() {
            for cf in ["AVERAGE", "MIN", "MAX", "LAST"] {
                self.say(&format!("PRINT:{name}:{cf}:%.17le"));
            }
        }
    }
}

/// A window that ends near the last update.
pub(crate) fn window(random: &mut Random, end_seconds: u64) -> String {
    let span = 50 + random.below(40_000);
    let end = end_seconds - random.below(span / 4 + 1);
    format!("-s {} -e {end}", end - span)
}
