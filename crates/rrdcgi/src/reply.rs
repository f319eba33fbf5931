//! The head of a page, as a web server wants it.

use std::fmt::Write as _;

use jiff::Timestamp;

/// How long a page is good for, at most: what comes after is no date any more.
const SECONDS_MAX: i64 = 1_000_000_000;

/// The head of a page of so many bytes. A page that is good for some time says until when; where
/// that is negative the browser is to come back then.
pub(crate) fn head(page_bytes: usize, good_for_seconds: Option<i64>, now: Timestamp) -> String {
    let mut head = format!("Content-Type: text/html\nContent-Length: {page_bytes}\n");
    if let Some(good_for) = good_for_seconds {
        let seconds = good_for.saturating_abs().min(SECONDS_MAX);
        let expires = Timestamp::from_second(now.as_second().saturating_add(seconds));
        let expires = expires.unwrap_or(Timestamp::MAX);
        // A String takes everything.
        let _ = writeln!(head, "Last-Modified: {}", date(now));
        let _ = writeln!(head, "Expires: {}", date(expires));
        if good_for < 0 {
            let _ = writeln!(head, "Refresh: {seconds}");
        }
    }
    head.push('\n');
    head
}

fn date(time: Timestamp) -> impl std::fmt::Display {
    time.to_zoned(jiff::tz::TimeZone::UTC).strftime("%a, %d %b %Y %H:%M:%S GMT").to_string()
}

#[cfg(test)]
mod tests {
    use super::head;
    use jiff::Timestamp;

    #[test]
    fn heads() {
        let now = Timestamp::from_second(1_000_000_000).unwrap();
        let plain = "Content-Type: text/html\nContent-Length: 7\n";
        assert_eq!(head(7, None, now), format!("{plain}\n"));
        let dates = "Last-Modified: Sun, 09 Sep 2001 01:46:40 GMT\n\
                     Expires: Sun, 09 Sep 2001 01:47:40 GMT\n";
        assert_eq!(head(7, Some(60), now), format!("{plain}{dates}\n"));
        assert_eq!(head(7, Some(-60), now), format!("{plain}{dates}Refresh: 60\n\n"));
        assert!(head(7, Some(i64::MIN), now).contains("Expires: "));
    }
}
