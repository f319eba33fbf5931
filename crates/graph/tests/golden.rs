//! Frozen pictures. `GYRE_BLESS=1 cargo test -p graph --test all golden` rewrites them all; look at
//! what changed before you commit it.
#![allow(clippy::disallowed_methods)] // it reads and writes its golden files

#[path = "common/traffic.rs"]
mod traffic;

use std::path::{Path, PathBuf};

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
    traffic::image(case, &["-a", format])
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
