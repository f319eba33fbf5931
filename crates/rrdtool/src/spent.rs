//! Time spent since the start, as every reply of the pipe mode tells it.

use std::fs::File;
use std::io::Write as _;
use std::os::unix::fs::FileExt as _;
use std::time::{Duration, Instant};

/// Replies tell hundredths of a second: the line is made anew once half of one has passed and not
/// with each reply, which would be a system call each.
const FRESH: Duration = Duration::from_millis(5);

/// The unit of processor times in `/proc` (`USER_HZ`).
const TICKS_A_SECOND: f64 = 100.0;

/// Time spent since the start.
pub(crate) struct Spent {
    start: Instant,
    /// When the line was made.
    made: Duration,
    line: Vec<u8>,
    /// What the kernel knows of this process; kept open, so that a look is one system call.
    stat: Option<File>,
    user_seconds: f64,
    system_seconds: f64,
}

impl Spent {
    pub(crate) fn new() -> Self {
        let mut spent = Self {
            start: Instant::now(),
            made: Duration::ZERO,
            line: Vec::new(),
            stat: File::open("/proc/self/stat").ok(),
            user_seconds: 0.0,
            system_seconds: 0.0,
        };
        spent.make_line(Duration::ZERO);
        spent
    }

    /// Appends the line that ends a successful reply: user, system and real time.
    pub(crate) fn append_ok(&mut self, out: &mut Vec<u8>) {
        let elapsed = self.start.elapsed();
        if elapsed - self.made >= FRESH {
            self.make_line(elapsed);
        }
        out.extend_from_slice(&self.line);
    }

    fn make_line(&mut self, elapsed: Duration) {
        self.ask();
        self.made = elapsed;
        self.line.clear();
        let (user, system) = (self.user_seconds, self.system_seconds);
        let real = elapsed.as_secs_f64();
        let _ = writeln!(self.line, "OK u:{user:.2} s:{system:.2} r:{real:.2}"); // a Vec takes all
    }

    /// Without `/proc` the times stay what they were.
    fn ask(&mut self) {
        let mut bytes = [0; 1024];
        let read = self.stat.as_ref().map(|stat| stat.read_at(&mut bytes, 0));
        let Some(Ok(read)) = read else { return };
        let text = String::from_utf8_lossy(bytes.get(..read).unwrap_or_default());
        // The program's name comes second, in brackets, and may itself hold blanks and brackets.
        let after_name = text.rsplit(')').next().unwrap_or_default();
        let ticks: Vec<f64> =
            after_name.split_ascii_whitespace().map(|field| field.parse().unwrap_or(0.0)).collect();
        if let [_, _, _, _, _, _, _, _, _, _, _, user, system, ..] = ticks[..] {
            self.user_seconds = user / TICKS_A_SECOND;
            self.system_seconds = system / TICKS_A_SECOND;
        }
    }
}
