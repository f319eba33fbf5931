//! Object identifiers: text, order, prefixes; small cases exhaustively.

use proptest::prelude::*;
use snmp::{ARCS_MAX, Oid, OidError, OidView, mib};

fn oid(text: &str) -> Oid {
    text.parse().unwrap()
}

#[test]
fn an_identifier_takes_24_bytes() {
    assert_eq!(size_of::<Oid>(), 24);
}

#[test]
fn text_both_ways() {
    for text in ["0.0", "1.3.6.1.2.1.1.3.0", "2.999.4294967295", "2.4294967215"] {
        assert_eq!(oid(text).to_string(), text);
        assert_eq!(oid(&format!(".{text}")), oid(text));
        assert_eq!(OidView::parse(oid(text).as_bytes(), 0).unwrap().to_oid(), oid(text));
    }
    for wrong in ["", ".", "1", "1.", "1..3", "1.40", "3.1", "1.+3", "1.4294967296", "1.x", "a.b"] {
        assert!(wrong.parse::<Oid>().is_err(), "{wrong}");
    }
    assert!("2.4294967216".parse::<Oid>().is_err());
    assert_eq!("1.40.1".parse::<Oid>(), Err(OidError::Start { first: 1, second: 40 }));
    assert_eq!("1.3.x".parse::<Oid>(), Err(OidError::NotANumber("x".into())));
}

#[test]
fn all_first_pairs_come_back() {
    for first in 0..3 {
        for second in 0..200 {
            let made = Oid::from_arcs(&[first, second, 7]);
            if first == 2 || second < 40 {
                let arcs: Vec<u32> = made.unwrap().arcs().collect();
                assert_eq!(arcs, [first, second, 7]);
            } else {
                assert_eq!(made, Err(OidError::Start { first, second }));
            }
        }
    }
}

#[test]
fn constants_are_what_text_makes_of_them() {
    assert_eq!(mib::IF_HC_IN_OCTETS, oid("1.3.6.1.2.1.31.1.1.1.6"));
    assert_eq!(mib::SYS_UP_TIME, oid("1.3.6.1.2.1.1.3.0"));
    const LARGE: Oid = Oid::constant(&[1, 3, 6, 1, 4, 1, 8072, 4_294_967_295, 128, 127]);
    assert_eq!(LARGE, oid("1.3.6.1.4.1.8072.4294967295.128.127"));
}

#[test]
fn rows_of_a_table() {
    let cell = mib::IF_DESCR.extended(&[4097]).unwrap();
    assert!(cell.starts_with(&mib::IF_TABLE) && cell.starts_with(&cell));
    assert!(!mib::IF_TABLE.starts_with(&cell));
    assert_eq!(cell.index_below(&mib::IF_DESCR), Some(4097));
    assert_eq!(cell.index_below(&mib::IF_TYPE), None);
    assert_eq!(cell.index_below(&mib::IF_TABLE), None);
    assert_eq!(cell.below(&mib::IF_TABLE).unwrap().collect::<Vec<_>>(), [1, 2, 4097]);
    // 1.3.6.1.2.1.2.2.1.2 and ...1.2xx share digits, not arcs.
    assert!(!oid("1.3.6.1.20").starts_with(&oid("1.3.6.1.2")));
    assert!(!oid("1.3.300").starts_with(&oid("1.3.2")));
}

#[test]
fn arcs_of_every_length_are_ordered() {
    let edges: Vec<u32> = [7, 14, 21, 28]
        .iter()
        .flat_map(|bits| (1u32 << bits) - 2..(1 << bits) + 3)
        .chain([0, 1, 255, 256, u32::MAX - 1, u32::MAX])
        .collect();
    for left in &edges {
        for right in &edges {
            for (left_tail, right_tail) in [(0, 0), (0, 300), (300, 0)] {
                let (left, right) =
                    ([1, 3, 128, *left, left_tail], [1, 3, 128, *right, right_tail]);
                let order = Oid::from_arcs(&left).unwrap().cmp(&Oid::from_arcs(&right).unwrap());
                assert_eq!(order, left.cmp(&right), "{left:?} {right:?}");
            }
        }
    }
}

#[test]
fn the_limit_of_128_arcs() {
    let longest = Oid::from_arcs(&[1; ARCS_MAX]).unwrap();
    assert_eq!(OidView::parse(longest.as_bytes(), 0).unwrap().to_oid(), longest);
    assert_eq!(longest.extended(&[1]), Err(OidError::TooLong(129)));
    assert_eq!(Oid::from_arcs(&[1; 129]), Err(OidError::TooLong(129)));
    assert!(OidView::parse(&[1; 128], 0).is_err(), "129 arcs: the first octet holds two");
}

proptest! {
    #[test]
    fn the_order_is_that_of_the_arcs(
        left in proptest::collection::vec(prop_oneof![0..3u32, 126..130u32, any::<u32>()], 0..30),
        right in proptest::collection::vec(prop_oneof![0..3u32, 126..130u32, any::<u32>()], 0..30),
        shared in 0..30usize,
    ) {
        let mut right = right;
        let shared = shared.min(left.len()).min(right.len());
        right[..shared].copy_from_slice(&left[..shared]);
        let make = |rest: &[u32]| Oid::from_arcs(&[&[1, 3], rest].concat()).unwrap();
        prop_assert_eq!(make(&left).cmp(&make(&right)), left.cmp(&right));
        prop_assert_eq!(make(&left) == make(&right), left == right);
        prop_assert_eq!(make(&left).starts_with(&make(&right)), left.starts_with(&right));
        prop_assert_eq!(make(&left).arcs().skip(2).collect::<Vec<_>>(), left.clone());
        prop_assert_eq!(make(&left).to_string().parse::<Oid>().unwrap(), make(&left));
    }
}
