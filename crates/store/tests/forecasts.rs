//! Forecasts and calculated sources: random definitions and updates, gyre against Debian's rrdtool.
//!
//! Both sides begin with one file that rrdtool created (its row pointers are random, and seasons
//! depend on them); after each command the copies must be equal byte for byte.
#![allow(clippy::disallowed_methods)] // the test reads the files it compares

mod cases;

use cases::compare;
use cases::forecasts::{ForecastCase, forecast_case};
use oracle::Rrdtool;
use proptest::test_runner::{Config, TestRunner};

#[test]
fn forecasts_leave_the_same_bytes_and_say_the_same_words() {
    let what = "bit for bit equality of forecasts with rrdtool";
    let Some(program) = oracle::program("rrdtool", what) else {
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    let rrdtool = std::cell::RefCell::new(Rrdtool::start(&program, directory.path()));
    let mut runner = TestRunner::new(Config {
        cases: cases::wanted(300),
        failure_persistence: None,
        ..Config::default()
    });
    let outcome = runner.run(&forecast_case(), |case| {
        let ForecastCase { create, updates } = &case;
        compare::updates(&mut rrdtool.borrow_mut(), directory.path(), create, updates, |_| {});
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
}
