//! A store for what is decoded on the way to one.

use std::path::Path;
use std::sync::LazyLock;

use ring::file::Foreign;
use rrd::fetch::Query;
use rrd::spec::{Units, definition_in};
use rrd::{SampleReader, Series, Snapshot, Stretch};
use rrdfile::Header;
use store::{ADOPTEES_MAX, Adoptee};
use store::{
    Adopt, Edit, Error, GoesOn, Making, NAMES_AT_ONCE, NamePattern, NamesPage, Refused, RowsSince,
    Store, Update, Watch, behind_all,
};

/// A store without databases that reads all of its arguments.
pub struct Nothing;

/// Reads samples of two sources.
static READER: LazyLock<SampleReader> = LazyLock::new(|| {
    let words = ["DS:a:GAUGE:9:U:U", "DS:b:COUNTER:9:U:U", "RRA:LAST:0:1:9"];
    let units = Units::of_step("1", None).expect("a step");
    SampleReader::in_order(&definition_in(units, words).expect("a definition"))
});

fn missing<T>(name: &Path) -> Result<T, Error> {
    Err(Error::NoSuchDatabase { name: name.into() })
}

impl Store for Nothing {
    fn make(&self, new: &[Making<'_>], _: GoesOn<'_>) -> Vec<(usize, Error)> {
        for Making { new, past, .. } in new {
            assert!(new.start.micros < 1_000_000 || new.start.seconds == i64::MIN);
            let step_seconds = new.definition.step_seconds;
            let rows =
                new.definition.archives.iter().map(|archive| archive.row_seconds(step_seconds));
            assert!(rows.min() > Some(0));
            past.map(|past| past.newest_row_seconds(0));
        }
        Vec::new()
    }

    fn update(&self, batch: &[Update<'_>]) -> Vec<(usize, Refused)> {
        let refused = |nth: usize| (nth, Refused { error: Error::Name("a".into()), taken: 0 });
        for Update { samples, .. } in batch {
            let mut readings = Vec::new();
            for nth in 0..samples.count() {
                let _ = samples.read(nth, &READER, &mut readings); // it may be wrong
            }
        }
        (0..batch.len()).map(refused).collect()
    }

    fn update_watched(&self, update: &Update<'_>, _: &mut Watch<'_>) -> Result<(), Refused> {
        missing(update.name).map_err(|error| Refused { error, taken: 0 })
    }

    fn header(&self, name: &Path) -> Result<Header, Error> {
        missing(name)
    }

    fn fetch(&self, name: &Path, _: &Query) -> Result<Series, Error> {
        missing(name)
    }

    fn fetch_stretch(&self, name: &Path, _: &Query) -> Result<Stretch, Error> {
        missing(name)
    }

    fn rows_since(&self, name: &Path, _: i64) -> Result<RowsSince, Error> {
        missing(name)
    }

    fn whole(&self, name: &Path) -> Result<(Header, Snapshot), Error> {
        missing(name)
    }

    fn has(&self, _: &Path) -> bool {
        false
    }

    fn edit(&self, name: &Path, _: &Edit<'_>, _: GoesOn<'_>) -> Result<(), Error> {
        missing(name)
    }

    fn names_from(
        &self,
        pattern: &NamePattern,
        from: &str,
        limit: usize,
    ) -> Result<NamesPage, Error> {
        assert!((1..=NAMES_AT_ONCE).contains(&limit));
        let is_one = pattern.matches(from);
        assert!(!is_one || from.starts_with(pattern.common()));
        let names = if is_one { vec![from.into()] } else { Vec::new() };
        Ok(NamesPage { names, next: behind_all(from) })
    }
    fn adopts(&self) -> Option<&dyn Adopt> {
        Some(self)
    }
}

impl Adopt for Nothing {
    fn adopt(&self, adoptees: &[Adoptee], _: GoesOn<'_>) -> Result<(), Error> {
        assert!((1..=ADOPTEES_MAX).contains(&adoptees.len()));
        for Adoptee { snapshot, foreign, .. } in adoptees {
            assert!(snapshot.rows.len() == snapshot.definition.archives.len());
            foreign.as_deref().map(|foreign| Foreign::decode(foreign).expect("it was looked at"));
        }
        Ok(())
    }

    fn came_from(&self, name: &str, _: i64) -> Result<Option<bool>, Error> {
        missing(Path::new(name))
    }

    fn bytes_at_once(&self) -> usize {
        1
    }
}
