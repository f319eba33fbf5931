//! The reader of mrtg.cfg: any text gives a configuration, or one error that shows no secret.
#![no_main]

use std::io;
use std::path::{Path, PathBuf};

use libfuzzer_sys::fuzz_target;
use mrtg::{Configuration, Direction, Number, Source};

/// Readings for the expressions: none, and those that overflow first.
const NUMBERS: [Option<u64>; 4] = [None, Some(0), Some(3), Some(u64::MAX)];

/// One file that may include itself.
struct OneFile<'a>(&'a [u8]);

impl Source for OneFile<'_> {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        if path == Path::new("mrtg.cfg") {
            Ok(self.0.to_vec())
        } else {
            Err(io::ErrorKind::NotFound.into())
        }
    }

    fn glob(&self, pattern: &Path) -> io::Result<Vec<PathBuf>> {
        Ok(vec![pattern.to_owned()])
    }
}

fuzz_target!(|bytes: &[u8]| {
    let configuration = match Configuration::read(Path::new("mrtg.cfg"), &OneFile(bytes)) {
        Ok(configuration) => configuration,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    for target in &configuration.targets {
        for direction in [Direction::In, Direction::Out] {
            for number in NUMBERS {
                let _ = target.reading(direction, |_, _| number.map(Number::from));
            }
        }
    }
    for poll in &configuration.polls {
        let _ = format!("{poll:?}");
    }
});
