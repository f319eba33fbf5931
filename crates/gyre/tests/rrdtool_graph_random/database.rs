//! The database that random graphs show.

use oracle::{Reply, Rrdtool};

use super::random::Random;

/// Made by rrdtool, with gaps and values of many magnitudes; gives the time of the last update.
pub(crate) fn database(rrdtool: &mut Rrdtool, random: &mut Random) -> u64 {
    let start_seconds = 900_000_000 + random.below(600_000_000);
    let step_seconds = random.one_of(&[1, 10, 60, 300]);
    let create = format!(
        "create a.rrd -b {start_seconds} -s {step_seconds} DS:d:GAUGE:{0}:U:U DS:e:GAUGE:{0}:U:U \
         RRA:AVERAGE:0.5:1:200 RRA:AVERAGE:0.5:6:100 RRA:MAX:0.5:4:100 RRA:MIN:0.5:5:60",
        step_seconds * 2
    );
    assert_eq!(rrdtool.send(&create), Reply::Ok(Vec::new()), "{create}");
    let mut command = String::from("update a.rrd");
    let mut now = start_seconds;
    for _ in 0..220 {
        now += match random.below(12) {
            0 => step_seconds * 3,
            1 => step_seconds / 2 + 1,
            _ => step_seconds,
        };
        command += &format!(" {now}:{}:{}", reading(random), reading(random));
    }
    assert_eq!(rrdtool.send(&command), Reply::Ok(Vec::new()), "{command}");
    now
}

fn reading(random: &mut Random) -> String {
    match random.below(16) {
        0 => "U".into(),
        1 => "0".into(),
        2 => format!("-{}.{}", random.below(1000), random.below(1000)),
        power => format!("{}.{}e{}", random.below(10), random.below(100_000), power as i64 - 9),
    }
}
