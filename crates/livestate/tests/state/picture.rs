//! The bytes are as in the picture at the head of the module.

use livestate::{Run, State, StateLayout};
use rrd::Timestamp;
use rrd::live::LastReading;

use crate::histories::mrtg;

/// First bit of the head, bits, value, meaning.
const HEAD: &[(usize, usize, u64, &str)] = &[
    (0, 34, 0x2_1234_5678, "seconds"),
    (34, 20, 999_999, "microseconds"),
    (54, 9, 299, "source 0: unknown seconds"),
    (63, 3, 0, "source 0: an unsigned integer"),
    (66, 9, 1, "source 1: unknown seconds"),
    (75, 3, 2, "source 1: U"),
    (78, 1, 1, "class of 1: no row yet"),
    (79, 10, 699, "class of 6: age"),
    (89, 3, 5, "class of 6: unknown PDPs of source 0"),
    (92, 3, 4, "class of 6: unknown PDPs of source 1"),
    (95, 10, 775, "class of 24: no row yet"),
    (105, 5, 23, "class of 24: unknown PDPs of source 0"),
    (110, 5, 22, "class of 24: unknown PDPs of source 1"),
    (115, 10, 2, "class of 288: age"),
    (125, 9, 287, "class of 288: unknown PDPs of source 0"),
    (134, 9, 286, "class of 288: unknown PDPs of source 1"),
    (143, 1, 0, "zero"),
];

/// Offset and value of the doubles, and of the one integer, after the head.
const BODY: &[(usize, u64, &str)] = &[
    (18, 1.5_f64.to_bits(), "source 0: value"),
    (26, 18_446_744_073_709_551_615, "source 0: last reading"),
    (34, 2.5_f64.to_bits(), "source 1: value"),
    (42, 0, "source 1: last reading"),
    (50, 100.0_f64.to_bits(), "class of 1: secondary of source 0"),
    (58, 101.0_f64.to_bits(), "class of 1: secondary of source 1"),
    (66, 4.0_f64.to_bits(), "class of 6: AVERAGE of source 0"),
    (74, 5.0_f64.to_bits(), "class of 6: AVERAGE of source 1"),
    (82, 6.0_f64.to_bits(), "class of 6: MAX of source 0"),
    (90, 7.0_f64.to_bits(), "class of 6: MAX of source 1"),
    (98, 8.0_f64.to_bits(), "class of 24: AVERAGE of source 0"),
    (130, 12.0_f64.to_bits(), "class of 288: AVERAGE of source 0"),
    (154, 15.0_f64.to_bits(), "class of 288: MAX of source 1"),
];

fn pictured(layout: &StateLayout) -> State {
    let start = Timestamp { seconds: 0x2_1234_5678, micros: 999_999 };
    let mut state = State::fresh(layout, &mrtg(), start);
    for (source, (text, unknown_seconds, value)) in
        state.live.sources.iter_mut().zip([("18446744073709551615", 299, 1.5), ("U", 1, 2.5)])
    {
        source.last_reading = LastReading::new(text);
        source.unknown_seconds = unknown_seconds;
        source.value = value;
    }
    state.runs = vec![Run::Never, Run::Age(699), Run::Never, Run::Age(2)];
    let unknown_pdps = [0, 5, 23, 287];
    for (nth, cell) in state.live.cells.iter_mut().enumerate() {
        cell.unknown_pdps = if nth < 4 { 0 } else { unknown_pdps[nth / 4] - nth as u64 % 2 };
        if nth < 4 {
            cell.secondary = 100.0 + (nth % 2) as f64;
        } else {
            cell.value = nth as f64;
        }
    }
    state
}

#[test]
fn a_packed_state_is_as_pictured() {
    let layout = StateLayout::new(&mrtg());
    let mut packed = vec![0xaa; layout.bytes()];
    assert!(layout.pack(&pictured(&layout), &mut packed));
    assert_eq!(layout.last_update(&packed), pictured(&layout).live.last_update);
    for (first, bits, value, meaning) in HEAD {
        let bit = |nth: usize| u64::from(packed[nth / 8] >> (nth % 8) & 1);
        let found = (0..*bits).map(|nth| bit(first + nth) << nth).sum::<u64>();
        assert_eq!(found, *value, "{meaning}");
    }
    assert_eq!(HEAD.iter().map(|(_, bits, ..)| bits).sum::<usize>(), 18 * 8);
    for (offset, value, meaning) in BODY {
        let found = u64::from_le_bytes(packed[*offset..][..8].try_into().unwrap());
        assert_eq!(found, *value, "{meaning}");
    }
}

#[test]
fn a_gauges_text_is_nibbles() {
    let definition = ["DS:g:GAUGE:600:U:U", "RRA:LAST:0.5:1:10"];
    let definition = rrd::spec::definition(300, definition).unwrap();
    let layout = StateLayout::new(&definition);
    let mut state = State::fresh(&layout, &definition, Timestamp::from_seconds(0));
    for (text, nibbles) in [
        ("-1.5e+3", "1b 5a cd f3"), // low nibble first: 10 is the point, 11 -, 12 +, 13 e, 15 the end
        ("U", "0f"),
    ] {
        state.live.sources[0].last_reading = LastReading::new(text);
        let mut packed = vec![0; layout.bytes()];
        assert!(layout.pack(&state, &mut packed), "{text}");
        // After the head of 34 + 20 + 9 + 1 bits, and the value.
        let found: Vec<String> = packed[16..31].iter().map(|byte| format!("{byte:02x}")).collect();
        let found = found.join(" ");
        assert!(found.starts_with(nibbles), "{text}: {found}");
    }
}
