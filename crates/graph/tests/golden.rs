//! Frozen pictures. `GYRE_BLESS=1 cargo test -p graph --test golden` rewrites them all; look at
//! what changed before you commit it.
#![allow(clippy::disallowed_methods)] // it reads and writes its golden files

use std::path::{Path, PathBuf};

use graph::{Arguments, SeriesRequest, draw};
use jiff::tz::TimeZone;
use rrd::{Series, Timestamp};

const END: i64 = 1_789_999_800;

/// Two days a period, a gap of two hours, noise from a fixed seed.
fn traffic(request: &SeriesRequest) -> Result<Series, String> {
    let step = request.step_seconds.max(300) as i64;
    let start_seconds = request.start_seconds - request.start_seconds % step;
    let end_seconds = request.end_seconds - request.end_seconds % step + step;
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
        start_seconds,
        end_seconds,
        step_seconds: step as u64,
        source_names: vec!["in".into(), "out".into()],
        values,
    })
}

const CASES: [(&str, &str); 8] = [
    ("day", "-s end-33h AREA:inb#00cc00:In LINE1:outb#0000ff:Out"),
    ("week", "-s end-8d AREA:inb#00cc00:In LINE1:outb#0000ff:Out"),
    ("month", "-s end-33d AREA:inb#00cc00:In LINE1:outb#0000ff:Out"),
    ("year", "-s end-400d AREA:inb#00cc00:In LINE1:outb#0000ff:Out"),
    ("slope", "-s end-1d -E AREA:inb#00cc0080:In LINE2:outb#0000ff:Out:dashes"),
    ("mirror", "-s end-1d CDEF:n=outb,-1,* AREA:inb#00cc00:In AREA:n#0000ff:Out HRULE:0#000000"),
    ("stack", "-s end-1d -o -l 1000 AREA:inb#cc0000#ffff00:In AREA:outb#0000cc:Out:STACK"),
    ("bare", "-s end-1d -j -h 40 -w 200 TICK:inb#ff000040:-0.2 LINE1:outb#0000ff"),
];

fn image(case: &str, format: &str) -> Vec<u8> {
    let words = "-e 1789999800 -w 500 -h 150 -t Traffic_<&>_day -v Bits/s -W mark \
        DEF:in=x:in:AVERAGE DEF:out=x:out:AVERAGE CDEF:inb=in,8,* CDEF:outb=out,8,*";
    let mut arguments: Vec<String> =
        words.split_whitespace().map(|w| w.replace('_', " ")).collect();
    arguments.extend(["-a".to_owned(), format.to_owned()]);
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

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name)
}

/// The frozen bytes, after freezing the present ones if that is asked for.
fn frozen(name: &str, present: &[u8]) -> Vec<u8> {
    if std::env::var_os("GYRE_BLESS").is_some() {
        std::fs::create_dir_all(golden("")).expect("a directory");
        std::fs::write(golden(name), present).expect("the golden file is written");
    }
    std::fs::read(golden(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn svg_is_byte_for_byte_as_frozen() {
    for (name, case) in CASES {
        let name = format!("{name}.svg");
        let present = image(case, "SVG");
        assert_eq!(present, image(case, "SVG"), "{name} differs from run to run");
        let frozen = frozen(&name, &present);
        assert!(frozen == present, "{name} is not as frozen; GYRE_BLESS=1 rewrites it");
    }
}

fn pixels(file: &[u8]) -> (u32, u32, Vec<u8>) {
    let mut decoder = png::Decoder::new(std::io::Cursor::new(file));
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut reader = decoder.read_info().expect("a PNG file");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
    let info = reader.next_frame(&mut pixels).expect("a whole image");
    pixels.truncate(info.buffer_size());
    (info.width, info.height, pixels)
}

#[test]
fn png_is_as_frozen_but_for_rounding() {
    for (name, case) in CASES {
        let name = format!("{name}.png");
        let present = image(case, "PNG");
        let (width, height, now) = pixels(&present);
        let (frozen_width, frozen_height, before) = pixels(&frozen(&name, &present));
        assert_eq!((width, height), (frozen_width, frozen_height), "{name}");
        assert_eq!(now.len(), before.len(), "{name} has another kind of pixels");
        let differs = |(a, b): (&u8, &u8)| a.abs_diff(*b) > 8;
        let different = now.iter().zip(&before).filter(|pair| differs(*pair)).count();
        assert!(different * 1000 < now.len(), "{name}: {different} of {} differ", now.len());
    }
}
