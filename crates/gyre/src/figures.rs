//! Numbers and names as people read them.

/// Bytes as one reads them, with binary prefixes as pages go.
pub(crate) fn size(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    let mut value = bytes as f64 / 1024.0;
    let mut unit = 0;
    while value >= 1024.0 {
        value /= 1024.0;
        unit += 1;
    }
    let digits = if value < 10.0 { 2 } else { usize::from(value < 100.0) };
    format!("{value:.digits$} {}", UNITS[unit])
}

/// A whole number with commas between thousands.
pub(crate) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (nth, digit) in digits.chars().enumerate() {
        if nth > 0 && (digits.len() - nth).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number and the word for one or for many.
pub(crate) fn some(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(number), if number == 1 { one } else { many })
}

/// Seconds as archives are called: `5 min`, `2 h`.
pub(crate) fn span(seconds: u64) -> String {
    match seconds {
        _ if seconds > 0 && seconds.is_multiple_of(86_400) => format!("{} d", seconds / 86_400),
        _ if seconds > 0 && seconds.is_multiple_of(3600) => format!("{} h", seconds / 3600),
        _ if seconds > 0 && seconds.is_multiple_of(60) => format!("{} min", seconds / 60),
        _ => format!("{seconds} s"),
    }
}

/// A moment, in UTC, to the second.
pub(crate) fn moment(seconds: i64) -> String {
    match jiff::Timestamp::from_second(seconds) {
        Ok(moment) => moment.strftime("%Y-%m-%d %H:%M:%S").to_string(),
        Err(_) => seconds.to_string(),
    }
}

/// Puts a path as its bytes, or, for a terminal, without bytes that would control it.
pub(crate) fn put_path(out: &mut Vec<u8>, path: &[u8], for_terminal: bool) {
    if for_terminal && path.iter().any(u8::is_ascii_control) {
        let escaped = path.iter().flat_map(|byte| match byte.is_ascii_control() {
            true => std::ascii::escape_default(*byte).collect::<Vec<u8>>(),
            false => vec![*byte],
        });
        out.extend(escaped);
    } else {
        out.extend_from_slice(path);
    }
}

#[cfg(test)]
mod tests {
    use super::{count, moment, put_path, size, span};

    #[test]
    fn figures_are_readable() {
        assert_eq!([0, 999, 4096, 1_234_567].map(count), ["0", "999", "4,096", "1,234,567"]);
        let sizes = [0, 1023, 1024, 106_496, 5 << 30, u64::MAX].map(size);
        assert_eq!(sizes, ["0 B", "1023 B", "1.00 KiB", "104 KiB", "5.00 GiB", "16.0 EiB"]);
        assert_eq!([0, 10, 300, 7200, 86_400].map(span), ["0 s", "10 s", "5 min", "2 h", "1 d"]);
        assert_eq!(moment(1_700_000_000), "2023-11-14 22:13:20");
    }

    #[test]
    fn a_terminal_gets_no_control_bytes() {
        let path = |for_terminal| {
            let mut out = Vec::new();
            put_path(&mut out, b"a\x1b[31m\n\xff", for_terminal);
            out
        };
        assert_eq!(path(false), b"a\x1b[31m\n\xff");
        assert_eq!(path(true), b"a\\x1b[31m\\n\xff");
    }
}
