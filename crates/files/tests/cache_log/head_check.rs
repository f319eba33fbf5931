//! Whose head it is, piece by piece.

use files::cache::{HeadCheck, PIECE_BYTES};
use proptest::prelude::*;

/// The states of a head: some bytes of each differ from those of the one before.
fn states() -> impl Strategy<Value = (usize, Vec<Vec<u8>>)> {
    let changes = proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..40);
    (0..2000_usize, 1..3000_usize, proptest::collection::vec(changes, 0..6)).prop_map(
        |(offset, bytes, steps)| {
            let mut states = vec![vec![7; bytes]];
            for changes in steps {
                let mut next = states.last().unwrap().clone();
                changes.iter().for_each(|(at, byte)| next[at.index(bytes)] = *byte);
                states.push(next);
            }
            (offset, states)
        },
    )
}

/// Bytes of which each piece is that of the state that `choice` says.
fn torn(offset: usize, states: &[Vec<u8>], choice: &[prop::sample::Index]) -> Vec<u8> {
    let first = offset / PIECE_BYTES;
    (0..states[0].len())
        .map(|at| {
            let piece = (offset + at) / PIECE_BYTES - first;
            states[choice[piece % choice.len()].index(states.len())][at]
        })
        .collect()
}

fn judged<'a>(found: &'a [u8], offset: usize, states: &[Vec<u8>]) -> HeadCheck<'a> {
    let mut head_check = HeadCheck::new(found, offset);
    states.iter().for_each(|state| head_check.consider(state));
    head_check
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::cases::wanted(500)))]

    #[test]
    fn a_head_torn_between_states_is_ours(
        (offset, states) in states(),
        choice in proptest::collection::vec(any::<prop::sample::Index>(), 1..9),
    ) {
        let found = torn(offset, &states, &choice);
        let head_check = judged(&found, offset, &states);
        prop_assert!(head_check.is_ours());
        prop_assert_eq!(head_check.is_last(), &found == states.last().unwrap());
    }

    #[test]
    fn one_byte_of_no_state_makes_it_somebody_elses(
        (offset, states) in states(),
        choice in proptest::collection::vec(any::<prop::sample::Index>(), 1..9),
        at in any::<prop::sample::Index>(),
    ) {
        let mut found = torn(offset, &states, &choice);
        let at = at.index(found.len());
        let of_states: Vec<u8> = states.iter().map(|state| state[at]).collect();
        found[at] = (0..=255).find(|byte| !of_states.contains(byte)).unwrap();
        prop_assert!(!judged(&found, offset, &states).is_ours());
    }
}

/// Pieces are those of the file, wherever the head begins in it.
#[test]
fn pieces_are_aligned_in_the_file() {
    let (old, new) = (vec![1; 1000], vec![2; 1000]);
    let mixed = |cut: usize| [&old[..cut], &new[cut..]].concat();
    for (cut, ours) in
        [(0, true), (312, true), (824, true), (1000, true), (311, false), (512, false)]
    {
        let found = mixed(cut);
        let head_check = judged(&found, 200, &[old.clone(), new.clone()]);
        assert_eq!(head_check.is_ours(), ours, "torn at {cut}");
    }
}

#[test]
fn states_before_a_new_start_do_not_count() {
    let (old, new) = ([1; 600], [2; 600]);
    let mut head_check = HeadCheck::new(&old, 0);
    head_check.consider(&old);
    assert!(head_check.is_ours() && head_check.is_last());
    head_check.start_anew();
    head_check.consider(&new);
    assert!(!head_check.is_ours() && !head_check.is_last());
}
