//! The cost of an update with a packed state.

use std::time::Duration;

use livestate::{State, StateLayout};
use rrd::{Reading, Sample, Timestamp, Workspace, update};

use crate::histories::mrtg;

const MEMBERS: usize = 100_000;
const CYCLES: usize = 50;
const START_SECONDS: i64 = 1_700_000_100;

/// The processor time of this thread, because the machine may have other work.
fn busy() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    Duration::from_nanos(text.split(' ').next().unwrap().parse().unwrap())
}

/// Counters of a busy port, as the texts that a poll of this cycle gives.
fn texts(cycle: usize) -> Vec<[String; 2]> {
    let reading = |member: usize, source: usize| {
        let noise = (member * 2 + source + cycle * 7919).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 44;
        (member as u64 * 12_345_678 + cycle as u64 * 40_000_000 + noise as u64).to_string()
    };
    (0..MEMBERS).map(|member| [reading(member, 0), reading(member, 1)]).collect()
}

#[test]
#[ignore = "a measurement, for release builds"]
fn nanoseconds_an_update() {
    let definition = mrtg();
    let layout = StateLayout::new(&definition);
    let mut state = State::fresh(&layout, &definition, Timestamp::from_seconds(START_SECONDS));
    let mut packed = vec![0; layout.bytes() * MEMBERS];
    for place in packed.chunks_exact_mut(layout.bytes()) {
        assert!(layout.pack(&state, place));
    }
    let mut workspace = Workspace::default();
    let (mut updates, mut codec) = (Vec::new(), Vec::new());
    let mut values_final = 0;
    for cycle in 1..=CYCLES {
        let texts = texts(cycle);
        let started = busy();
        let members = packed.chunks_exact_mut(layout.bytes()).zip(&texts);
        for (nth, (place, texts)) in members.enumerate() {
            layout.unpack(place, &mut state);
            // Polls are spread over the step, at the same second of each step.
            let seconds = START_SECONDS + (cycle * 300 + nth % 300) as i64;
            let readings = [&*texts[0], &*texts[1]].map(Reading::of);
            let sample =
                Sample { time: Timestamp { seconds, micros: 250_000 }, readings: &readings };
            update(&definition, &mut state.live, &sample, &mut workspace).unwrap();
            layout.note_final_rows(&mut state, &workspace);
            assert!(layout.pack(&state, place));
            values_final += workspace.final_rows().map(|rows| rows.values.len()).sum::<usize>();
        }
        updates.push(busy() - started);
        let started = busy();
        for place in packed.chunks_exact_mut(layout.bytes()) {
            layout.unpack(place, &mut state);
            assert!(layout.pack(&state, place));
        }
        codec.push(busy() - started);
    }
    println!("bytes a state:              {}", layout.bytes());
    print("unpack, update, note, pack", updates);
    print("unpack and pack alone", codec);
    println!("values that became final:   {values_final}");
    let sum = packed.iter().fold(0_u64, |sum, byte| sum.rotate_left(5) ^ u64::from(*byte));
    println!("states, folded:             {sum:016x}");
}

/// Prints nanoseconds for each member; other work on the machine makes some cycles slower.
fn print(what: &str, mut cycles: Vec<Duration>) {
    cycles.sort_unstable();
    let each = |time: Duration| time.as_nanos() as f64 / MEMBERS as f64;
    let (fastest, slowest) = (each(cycles[0]), each(cycles[CYCLES - 1]));
    let median = each(cycles[CYCLES / 2]);
    println!("{what:27} median {median:.0} ns, cycles {fastest:.0} to {slowest:.0} ns");
}
