//! Whatever the arguments are: one answer or one error, never a panic, and SVG that is XML.
#![allow(missing_docs)]

use std::convert::Infallible;

use graph::{Arguments, SeriesRequest, draw};
use jiff::tz::TimeZone;
use proptest::prelude::*;
use rrd::{Series, Stretch, Timestamp};

fn series(request: &SeriesRequest, values: &[f64]) -> Series {
    let rows = values.len().max(1) as i64;
    let query = request.query_in_seconds();
    let step = ((query.end_seconds - query.start_seconds) / rows).max(1);
    Series {
        tick: rrd::Tick::SECOND,
        start_seconds: query.start_seconds,
        end_seconds: query.start_seconds + step * values.len() as i64,
        step_seconds: step as u64,
        source_names: vec!["d".into()],
        values: values.to_vec(),
    }
}

fn element() -> impl Strategy<Value = String> {
    prop_oneof![
        "-[a-zA-Z]{1,2}",
        "--[a-z-]{1,12}(=[ -~]{0,12})?",
        "(DEF|CDEF|VDEF):[a-c]=[ -~]{0,20}",
        "DEF:a=f:d:(AVERAGE|MAX)(:step=[0-9]{1,5})?",
        "CDEF:b=a,[0-9,+*/A-Z%-]{0,24}",
        "VDEF:c=a,(95,)?[A-Z]{0,10}",
        "(LINE[0-9]{0,2}|AREA|STACK|TICK|HRULE|VRULE):[abc0-9]{1,3}#[0-9a-f]{0,8}[ -~]{0,16}",
        "(GPRINT|PRINT):[abc]:(MAX:)?[ -~]{0,16}",
        "(COMMENT|TEXTALIGN):\\PC{0,12}",
        "(-s|-e|-w|-h|-x|-y|-u|-l|-X|-m|-n|-c|-t|-v|-W|-T)[ -~]{0,12}",
        "(--right-axis|--(left|right)-axis-format(ter)?|--legend-position)=[ -~]{0,12}",
        "(--right-axis=-?[0-9]{1,3}:[0-9]{1,3}|--(left|right)-axis-formatter=(timestamp|duration))",
        "(-P|-E|-N|-g|-j|-D|--dynamic-labels|--legend-position=(north|west|east))",
        "COMMENT:<(b|i|sup|span)( size='[0-9a-z]{1,6}')?>[ -~]{0,9}</(b|i|sup|span)>",
        Just("-o".to_owned()),
        prop_oneof![Just("-aSVG"), Just("-aPDF"), Just("-aEPS"), Just("-i")]
            .prop_map(str::to_owned),
        "\\PC{0,16}",
    ]
}

fn value() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => -1e9..1e9,
        1 => Just(f64::NAN),
        1 => any::<f64>(),
        1 => Just(0.0),
    ]
}

fn all(requests: &[SeriesRequest], values: &[f64]) -> Vec<Result<Stretch, Infallible>> {
    requests.iter().map(|request| Ok(series(request, values).into())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..Default::default() })]

    #[test]
    fn arguments_never_panic(
        mut arguments in prop::collection::vec(element(), 0..8),
        values in prop::collection::vec(value(), 0..64),
    ) {
        arguments.insert(0, "DEF:a=f:d:AVERAGE".into());
        let now = Timestamp::from_seconds(1_789_999_800);
        if let Ok(arguments) = Arguments::read(&arguments) {
            let _ = draw(&arguments, now, &TimeZone::UTC, &mut |requests| all(requests, &values));
        }
    }

    #[test]
    fn texts_are_escaped(text in "\\PC{0,30}", values in prop::collection::vec(value(), 0..64)) {
        let comment = format!("COMMENT:{}x", text.replace([':', '\\'], " "));
        let arguments: Vec<String> = ["-a", "SVG", "-t", &text, "-v", &text, "DEF:a=f:d:AVERAGE", "AREA:a#0f0", &comment]
            .map(str::to_owned)
            .into();
        let now = Timestamp::from_seconds(1_789_999_800);
        let arguments = Arguments::read(&arguments).expect("valid options");
        let drawn = draw(&arguments, now, &TimeZone::UTC, &mut |requests| all(requests, &values));
        let svg = String::from_utf8(drawn.expect("valid arguments").image).expect("UTF-8");
        let mut depth = 0_i32;
        for tag in svg.split('<').skip(1) {
            let (inside, after) = tag.split_once('>').expect("every tag ends");
            prop_assert!(!after.contains('>'));
            if inside.starts_with('/') { depth -= 1 } else if !inside.ends_with('/') { depth += 1 }
        }
        prop_assert_eq!(depth, 0);
        prop_assert!(!svg.contains("NaN") && !svg.contains("inf"), "a number is no number");
    }
}
