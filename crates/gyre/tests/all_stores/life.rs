//! Random histories of databases, as commands of rrdtool.

use std::path::Path;

use disk::Random;

const NAMES: usize = 6;
const START_SECONDS: i64 = 1_600_000_000;

/// A command on one database.
#[derive(Clone, Debug)]
pub(crate) struct Command {
    pub(crate) verb: &'static str,
    pub(crate) name: String,
    rest: String,
}

impl Command {
    pub(crate) fn new(verb: &'static str, name: &str, rest: String) -> Self {
        Self { verb, name: name.into(), rest }
    }

    /// The same command for a database in another directory.
    pub(crate) fn under(&self, prefix: &str) -> Self {
        Self { name: format!("{prefix}{}", self.name), ..self.clone() }
    }

    /// The words of the command, with an option after the name.
    pub(crate) fn words(&self, option: &str) -> String {
        format!("{} {} {option} {}", self.verb, self.name, self.rest)
    }
}

/// A change to a database while no process has it open.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    Rename(String, String),
    Delete(String),
}

impl Change {
    pub(crate) fn to_files(&self, directory: &Path) {
        match self {
            Self::Rename(from, to) => {
                std::fs::rename(directory.join(from), directory.join(to)).unwrap();
            }
            Self::Delete(name) => std::fs::remove_file(directory.join(name)).unwrap(),
        }
    }
}

/// How a database is updated at present.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mood {
    InStep,
    Silent,
    /// Some steps behind the others.
    Late,
}

#[derive(Clone, Debug)]
struct Member {
    name: String,
    layout: usize,
    mood: Mood,
    last_seconds: i64,
}

/// A layout: what its databases are created from.
struct Layout {
    step_seconds: i64,
    sources: usize,
    /// Function, steps a row, rows.
    archives: Vec<Archive>,
}

/// The parts of an archive's definition that a query needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Archive {
    function: &'static str,
    steps: i64,
    rows: i64,
}

/// The databases of a life, and their time.
pub(crate) struct Life {
    pub(crate) seed: u64,
    pub(crate) random: Random,
    layouts: Vec<Layout>,
    members: Vec<Member>,
    now_seconds: i64,
    made: u64,
    /// Everything that was done, printed when the test fails.
    pub(crate) log: Vec<String>,
}

impl Life {
    pub(crate) fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let layouts = (0..1 + random.below(2)).map(|_| Layout::any(&mut random)).collect();
        let (members, log) = (Vec::new(), Vec::new());
        Self { seed, random, layouts, members, now_seconds: START_SECONDS, made: 0, log }
    }

    fn below(&mut self, limit: u64) -> usize {
        self.random.below(limit) as usize
    }

    /// The commands of one step of time.
    pub(crate) fn round(&mut self) -> Vec<Command> {
        let mut commands = Vec::new();
        while self.members.len() < NAMES {
            commands.push(self.birth());
            if self.members.len() > 2 && self.random.below(3) > 0 {
                break; // the others are born later
            }
        }
        let step_seconds = self.layouts[0].step_seconds;
        self.now_seconds += step_seconds;
        if self.random.below(20) == 0 {
            self.now_seconds += self.random.below(60) as i64 * step_seconds; // a gap of all
        }
        for nth in 0..self.members.len() {
            self.change_mood(nth);
            commands.extend(self.update(nth));
        }
        if self.random.below(2) == 0 {
            commands.push(self.any_look());
        }
        self.log.extend(commands.iter().map(|command| command.words("")));
        commands
    }

    fn birth(&mut self) -> Command {
        let layout = self.below(self.layouts.len() as u64);
        self.made += 1;
        // Some new databases get the name of a deleted one.
        let name = match self.random.below(3) {
            0 => self.made - self.random.below(self.made),
            _ => self.made,
        };
        let mut name = format!("m{name}.rrd");
        if self.members.iter().any(|member| member.name == name) {
            name = format!("m{}.rrd", self.made);
        }
        let start_seconds = self.now_seconds;
        let command = Command::new("create", &name, self.layouts[layout].create(start_seconds));
        let member = Member { name, layout, mood: Mood::InStep, last_seconds: start_seconds };
        self.members.push(member);
        command
    }

    fn change_mood(&mut self, nth: usize) {
        if self.random.below(8) == 0 {
            let moods = [Mood::InStep, Mood::InStep, Mood::Silent, Mood::Late];
            self.members[nth].mood = moods[self.below(4)];
        }
    }

    /// One command with one to three samples, or none.
    fn update(&mut self, nth: usize) -> Option<Command> {
        let Member { name, layout, mood, last_seconds } = self.members[nth].clone();
        let Layout { step_seconds, sources, .. } = self.layouts[layout];
        let mut seconds = match mood {
            // Now and then a database jumps ahead; its updates are refused until time has caught
            // up.
            _ if self.random.below(12) == 0 => {
                self.now_seconds.max(last_seconds) + self.random.below(60) as i64 * step_seconds
            }
            Mood::Silent => return None,
            Mood::Late => last_seconds + step_seconds,
            Mood::InStep => self.now_seconds + self.random.below(3) as i64,
        };
        let mut samples = Vec::new();
        for _ in 0..1 + self.random.below(6) / 4 {
            let readings = (0..sources).map(|_| self.reading()).collect::<Vec<_>>();
            samples.push(format!("{seconds}:{}", readings.join(":")));
            self.members[nth].last_seconds = self.members[nth].last_seconds.max(seconds);
            seconds += step_seconds;
        }
        Some(Command::new("update", &name, samples.join(" ")))
    }

    fn reading(&mut self) -> String {
        match self.random.below(12) {
            0 => "U".into(),
            1 => format!("-{}.5", self.random.below(90)),
            _ => self.random.below(100_000).to_string(),
        }
    }

    fn any_look(&mut self) -> Command {
        let nth = self.below(self.members.len() as u64);
        let name = self.members[nth].name.clone();
        match self.random.below(3) {
            0 => Command::new("dump", &name, String::new()),
            _ => {
                let fetches = self.fetches(&self.members[nth]);
                fetches[self.below(fetches.len() as u64)].clone()
            }
        }
    }

    /// Commands that read everything visible of all databases.
    pub(crate) fn looks(&self) -> Vec<Command> {
        let looks = |member: &Member| {
            let mut looks = self.fetches(member);
            looks.push(Command::new("dump", &member.name, String::new()));
            looks
        };
        self.members.iter().flat_map(looks).collect()
    }

    /// All rows of each archive.
    fn fetches(&self, member: &Member) -> Vec<Command> {
        let layout = &self.layouts[member.layout];
        let fetch = |Archive { function, steps, rows }: &Archive| {
            let row_seconds = steps * layout.step_seconds;
            let end = member.last_seconds + row_seconds;
            let start = end - (rows + 2) * row_seconds;
            let rest = format!("{function} -r {row_seconds} -s {start} -e {end}");
            Command::new("fetch", &member.name, rest)
        };
        layout.archives.iter().map(fetch).collect()
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.members.iter().map(|member| &member.name[..])
    }

    /// The changes between two chapters.
    pub(crate) fn changes(&mut self) -> Vec<Change> {
        let mut changes = Vec::new();
        if self.random.below(2) == 0 {
            let nth = self.below(self.members.len() as u64);
            self.made += 1;
            let to = format!("deep{}.rrd", self.made);
            let from = std::mem::replace(&mut self.members[nth].name, to.clone());
            changes.push(Change::Rename(from, to));
        }
        if self.random.below(2) == 0 && self.members.len() > 2 {
            let nth = self.below(self.members.len() as u64);
            changes.push(Change::Delete(self.members.remove(nth).name));
        }
        self.log.extend(changes.iter().map(|change| format!("{change:?}")));
        changes
    }
}

impl Layout {
    fn any(random: &mut Random) -> Self {
        let functions = ["AVERAGE", "MAX", "LAST", "MIN"];
        let archive = |nth: u64| Archive {
            function: functions[(nth + random.below(4)) as usize % 4],
            steps: [1, 1, 2, 3][random.below(4) as usize],
            rows: 8 + random.below(24) as i64,
        };
        let archives = (0..2).map(archive).collect();
        Self { step_seconds: 10, sources: 1 + random.below(5) as usize, archives }
    }

    fn create(&self, start_seconds: i64) -> String {
        let mut words = format!("-b {start_seconds} -s {}", self.step_seconds);
        for nth in 0..self.sources {
            words += &format!(" DS:x{nth}:GAUGE:1000:U:U");
        }
        for Archive { function, steps, rows } in &self.archives {
            words += &format!(" RRA:{function}:0.5:{steps}:{rows}");
        }
        words
    }
}
