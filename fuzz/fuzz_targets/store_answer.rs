//! A server's answers about its store: as the bytes of an answer to each call, and as everything
//! that arrives over the connection.
#![no_main]

use std::io::{self, Read, Write};
use std::ops::ControlFlow;
use std::path::Path;

use libfuzzer_sys::fuzz_target;
use remote::Remote;
use rrd::ConsolidationFunction;
use rrd::fetch::Query;
use store::{Inspect, Store, Update, Wanted};

fuzz_target!(|bytes: &[u8]| {
    let line = format!("0 {} answer\n", bytes.len());
    ask_all(&[line.as_bytes(), bytes].concat());
    ask_all(bytes);
});

/// A connection that delivers these bytes and accepts everything.
struct Canned<'a>(&'a [u8]);

impl Read for Canned<'_> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        self.0.read(room)
    }
}

impl Write for Canned<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn ask_all(said: &[u8]) {
    let name = Path::new("a");
    let (cf, step_seconds) = (ConsolidationFunction::Average, 1);
    let query =
        Query { tick: rrd::Tick::SECOND, cf, start_seconds: 0, end_seconds: 9, step_seconds };
    let remote = || Remote::over(Canned(said), "socket");
    let update = Update::numbered("a", &["1:2"]);
    let _ = remote().update(&[update]);
    let _ = remote().update_watched(&update, &mut |taken| {
        for rows in taken.final_rows() {
            assert_eq!(rows.values.len(), taken.definition.sources.len());
            assert!(rows.archive < taken.definition.archives.len());
        }
    });
    let _ = remote().outline(name);
    let _ = remote().header(name);
    if let Ok(series) = remote().fetch(name, &query) {
        assert!(series.values.len() <= said.len(), "a value takes at least a byte");
        assert_eq!(series.iter().count(), series.rows());
    }
    if let Ok(stretch) = remote().fetch_stretch(name, &query) {
        stretch.iter().take(9).for_each(drop);
    }
    let wanted = [Wanted { name, query }; 3];
    let mut seen = 0;
    let _ = remote().fetch_many(&wanted, &mut |position, _| {
        assert!(position < wanted.len());
        seen += 1;
        ControlFlow::Continue(())
    });
    assert!(seen <= wanted.len(), "each is answered once");
    let _ = remote().whole(name);
    let _ = remote().images(&["a".into(), "b".into()], &mut |_, _| {});
    let _ = remote().has(name);
    let _ = remote().names("");
    let _ = remote().report();
    let _ = remote().verify(&mut |_, _| {});
}
