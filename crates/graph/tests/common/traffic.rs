//! Made-up traffic of a line, and graphs of it.

use graph::{Arguments, SeriesRequest, draw};
use jiff::tz::TimeZone;
use rrd::{Series, Timestamp};

const END: i64 = 1_789_999_800;

/// Two days a period, a gap of two hours, noise from a fixed seed.
fn traffic(request: &SeriesRequest) -> Result<Series, String> {
    let query = request.query_in_seconds();
    let step = query.step_seconds.max(300) as i64;
    let start_seconds = query.start_seconds - query.start_seconds % step;
    let end_seconds = query.end_seconds - query.end_seconds % step + step;
    let mut values = Vec::new();
    for time in (start_seconds + step..=end_seconds).step_by(step as usize) {
        let noise = (time / 300).wrapping_mul(6_364_136_223_846_793_005) as u64 >> 40;
        let noise = noise as f64 / 16_777_216.0;
        let day = (time as f64 / 86_400.0 * std::f64::consts::TAU - 2.0).sin() + 1.3;
        if (END - 50_000..END - 43_000).contains(&time) {
            values.extend([f64::NAN, f64::NAN]);
        } else {
            values.extend([day * 9e5 * (0.8 + noise / 2.0), day * 3e5 * (0.6 + noise)]);
        }
    }
    Ok(Series {
        tick: rrd::Tick::SECOND,
        start_seconds,
        end_seconds,
        step_seconds: step as u64,
        source_names: vec!["in".into(), "out".into()],
        values,
    })
}

/// A graph of the traffic with these arguments, split at blanks, and those options, which are not.
pub(crate) fn image(case: &str, options: &[&str]) -> Vec<u8> {
    let words = "-e 1789999800 -w 500 -h 150 -t Traffic_<&>_day -v Bits/s -W mark \
        DEF:in=x:in:AVERAGE DEF:out=x:out:AVERAGE CDEF:inb=in,8,* CDEF:outb=out,8,*";
    let mut arguments: Vec<String> =
        words.split_whitespace().map(|w| w.replace('_', " ")).collect();
    arguments.extend(options.iter().map(|word| (*word).to_owned()));
    arguments.extend(case.split(' ').map(str::to_owned));
    for text in ["Max %6.2lf %sb/s", "Average %6.2lf %sb/s"] {
        arguments.push(format!("GPRINT:inb:MAX:{text}"));
    }
    let now = Timestamp::from_seconds(END);
    let zone = TimeZone::get("Europe/Berlin").expect("the zone database");
    let mut fetch = |requests: &[SeriesRequest]| {
        requests.iter().map(|request| traffic(request).map(Into::into)).collect()
    };
    let arguments = Arguments::read(&arguments).expect(case);
    draw(&arguments, now, &zone, &mut fetch).expect(case).image
}
