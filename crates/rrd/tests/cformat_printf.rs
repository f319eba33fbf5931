//! Numbers against the `printf` of coreutils, which hands them to the C library.
#![allow(clippy::disallowed_methods)] // the test starts printf

use std::process::Command;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use rrd::cformat::FloatFormat;

#[test]
fn writes_what_printf_writes() {
    let Some(printf) = oracle::program("printf", "numbers as the C library writes them") else {
        return;
    };
    let value = prop_oneof![
        any::<f64>(),
        // Multiples of 2^-20: exact ties are frequent among these.
        any::<i32>().prop_map(|each| f64::from(each) / 1_048_576.0),
        (-2000..2000_i32).prop_map(|each| f64::from(each) / 8.0),
        // Just below a power of ten: rounding gives these a digit more.
        (1..9_i32, 1..90_u32, -8..20_i32).prop_map(|(nines, below, power)| {
            (1.0 - f64::from(below) * 10_f64.powi(-1 - nines)) * 10_f64.powi(power)
        }),
        (0..10_u32, -330..310_i32).prop_map(|(digit, power)| f64::from(digit) * 10_f64.powi(power)),
        Just(-0.0),
        Just(f64::INFINITY),
        Just(f64::NEG_INFINITY),
        Just(f64::NAN),
    ];
    let format = (
        "[-+ 0#]{0,2}",
        prop_oneof![Just(String::new()), (0..40_u32).prop_map(|each| each.to_string())],
        prop_oneof![Just(String::new()), (0..30_u32).prop_map(|each| format!(".{each}"))],
        "[efgEG]",
    );
    let format = format.prop_map(|(flags, width, precision, letter)| {
        format!("%{flags}{width}{precision}{letter}")
    });
    let batches = prop::collection::vec((format, value), 200);
    let mut runner =
        TestRunner::new(Config { cases: 100, failure_persistence: None, ..Config::default() });
    let outcome = runner.run(&batches, |batch| {
        let mut command = Command::new(&printf);
        let formats: Vec<&str> = batch.iter().map(|(format, _)| format.as_str()).collect();
        command.env("LC_ALL", "C").arg(formats.join("\n"));
        for (_, value) in &batch {
            // Decimal text of this length names exactly one double, so that printf's wider reals
            // hold the same value.
            command.arg(exact(*value));
        }
        let expected = String::from_utf8(command.output().unwrap().stdout).unwrap();
        for ((format, value), expected) in batch.iter().zip(expected.split('\n')) {
            let (parsed, rest) = FloatFormat::parse(format).unwrap();
            prop_assert_eq!(rest, "");
            prop_assert_eq!(parsed.text(*value), expected, "{} of {:?}", format, value);
        }
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
}

/// The fast way to eleven digits is the exact one: over all exponents, near powers of ten and ties.
#[test]
fn eleven_digits_are_exact() {
    let check = |number: f64| {
        let mut fast = Vec::new();
        rrd::cformat::append_eleven_digits(&mut fast, number);
        let exact = FloatFormat::exponent(10).text(number);
        assert_eq!(String::from_utf8(fast).unwrap(), exact, "{:016x}", number.to_bits());
    };
    for power in -330..=308 {
        let near: f64 = format!("1e{power}").parse().unwrap();
        for offset in 0..=8 {
            check(f64::from_bits(near.to_bits().saturating_add(offset).saturating_sub(4)));
        }
    }
    for number in [0.0, f64::NAN, -f64::NAN, f64::INFINITY, f64::MAX, f64::MIN_POSITIVE, 5e-324] {
        check(number);
        check(-number);
    }
    let cases = std::env::var("GYRE_CASES").ok().and_then(|text| text.parse().ok());
    let mut bits = 0x1234_5678_9abc_def1_u64;
    for _ in 0..cases.unwrap_or(200_000) {
        for shift in [13_u32, 7, 17] {
            bits ^= if shift == 7 { bits >> 7 } else { bits << shift };
        }
        check(f64::from_bits(bits));
        check((bits >> 30) as f64 / 1000.0);
        // Twelve digits that end in 5: a tie wherever the quotient is exact.
        check((bits % 10_000_000_000 * 10 + 5) as f64 / 8.0);
        check((bits % 99_999_999_999) as f64 + 0.5);
    }
}

/// A text that every C library reads as exactly this number: hexadecimal digits.
fn exact(value: f64) -> String {
    let bits = value.abs().to_bits();
    let sign = if value.is_sign_negative() { "-" } else { "" };
    if value.is_nan() {
        return format!("{sign}nan");
    }
    if value.is_infinite() {
        return format!("{sign}inf");
    }
    let (exponent, fraction) = ((bits >> 52) as i64, bits & ((1 << 52) - 1));
    match exponent {
        0 => format!("{sign}0x0.{fraction:013x}p-1022"),
        _ => format!("{sign}0x1.{fraction:013x}p{}", exponent - 1023),
    }
}

#[test]
fn spells_what_is_no_number_as_the_gnu_library_does() {
    assert_eq!(FloatFormat::exponent(10).text(rrd::UNKNOWN), "-nan");
    assert_eq!(FloatFormat::exponent(10).text(-rrd::UNKNOWN), "nan");
    assert_eq!(FloatFormat::exponent(10).text(f64::NEG_INFINITY), "-inf");
    let (padded, rest) = FloatFormat::parse("%08.2lf %s").unwrap();
    assert_eq!(padded.text(f64::INFINITY), "     inf");
    assert_eq!(padded.text(-1.005), "-0001.00");
    assert_eq!(rest, " %s");
}

#[test]
fn a_digit_carried_out_of_the_fixed_style_leaves_no_zeros() {
    for (format, number, expected) in [
        ("%#.2G", 99.5, "1.E+02"),
        ("%#.3g", 999.6, "1.e+03"),
        ("%#.2g", 995.0, "1.0e+03"),
        ("%#.3g", 9.996, "10.0"),
        ("%#.2g", 100.0, "1.0e+02"),
        ("%.2g", 99.5, "1e+02"),
    ] {
        let (parsed, _) = FloatFormat::parse(format).unwrap();
        assert_eq!(parsed.text(number), expected, "{format} of {number}");
    }
}

#[test]
fn refuses_other_specifications() {
    for text in ["", "%", "%d", "%s", "5", "%5", "%99999lf", "%.99999e", "%llf", "%é"] {
        assert_eq!(FloatFormat::parse(text), None, "{text}");
    }
}
