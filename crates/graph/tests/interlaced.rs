//! `--interlaced`: other bytes, the same pixels.

#[path = "common/traffic.rs"]
mod traffic;

struct Decoded {
    info: (u32, u32, png::ColorType),
    interlaced: bool,
    pixels: Vec<u8>,
}

fn decode(file: &[u8]) -> Decoded {
    let mut reader = png::Decoder::new(std::io::Cursor::new(file)).read_info().expect("a PNG file");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
    let frame = reader.next_frame(&mut pixels).expect("a whole image");
    pixels.truncate(frame.buffer_size());
    let interlaced = reader.info().interlaced;
    Decoded { info: (frame.width, frame.height, frame.color_type), interlaced, pixels }
}

#[test]
fn interlaced_pictures_have_the_same_pixels() {
    for case in [
        "-s end-1d AREA:inb#00cc00 LINE1:outb#0000ff",
        "-s end-1d -c BACK#ffffff80 AREA:inb#cc0000#ffff00 AREA:outb#00cc0080#0000ff40",
        "-j -w 10 -h 10 AREA:inb#00cc00",
        // A column or a row alone: some passes have no pixels at all.
        "-j -w 10 -h 200 -m 0.1 AREA:inb#00cc00",
        "-j -w 200 -h 10 -m 0.1 AREA:inb#00cc00",
        "-w 501 -h 133 -m 1.7 AREA:inb#00cc00",
    ] {
        let rows = decode(&traffic::image(case, &[]));
        let passes = decode(&traffic::image(case, &["--interlaced"]));
        assert!(passes.interlaced && !rows.interlaced, "{case}");
        assert_eq!(rows.info, passes.info, "{case}");
        assert!(rows.pixels == passes.pixels, "{case}: other pixels");
    }
}
