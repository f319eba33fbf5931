//! The trait `Store` for a store of another process.

use std::io::{Read, Write};
use std::path::Path;

use disk::GoesOn;
use rrd::fetch::Query;
use rrd::{FinalRows, Reading, Series, Snapshot, Stretch};
use rrdfile::Header;
use store::{
    Adopt, Edit, Error, Inspect, Making, NAMES_AT_ONCE, NamePattern, NamesPage, Outline, Refused,
    RowsSince, Samples, Store, TakeImage, TakeRows, Taken, Update, Wanted, Watch,
};
use store::{Adoptee, StoreReport, Verified};

use super::answer::{Part, Rows};
use super::bytes::{Bytes, Name, header, outline, snapshot, whole};
use super::call::{Adopted, New};
use super::fault::{Fault, Refusal};
use super::samples::Batch;
use super::{Answer, Call, Remote};

/// The most bytes of new databases or of samples in one call.
const CALL_BYTES: usize = 256 << 10;
/// The approximate size of the longest encoded number.
const NUMBER_BYTES: usize = 12;

/// The most databases that one call asks for.
const IMAGES_ASKED_MAX: usize = 1024;

impl<S: Read + Write + Send> Store for Remote<S> {
    fn make(&self, new: &[Making<'_>], goes_on: GoesOn<'_>) -> Vec<(usize, Error)> {
        let mut failures = Vec::new();
        let (mut waiting, mut waiting_bytes) = (Vec::new(), 0);
        for (position, making) in new.iter().enumerate() {
            match New::of(making) {
                Err(error) => failures.push((position, error)),
                Ok(new) => {
                    waiting_bytes += new.size_bytes();
                    waiting.push((position, new));
                }
            }
            if waiting_bytes >= CALL_BYTES || position + 1 == new.len() {
                waiting_bytes = 0;
                failures.append(&mut self.make_some(std::mem::take(&mut waiting), goes_on));
            }
        }
        failures.sort_by_key(|(position, _)| *position);
        failures
    }

    fn update(&self, batch: &[Update<'_>]) -> Vec<(usize, Refused)> {
        let mut refused = Vec::new();
        let mut first = 0;
        while first < batch.len() {
            let rest = &batch[first..];
            let count = together(rest);
            let some = self.update_some(&rest[..count]).into_iter();
            refused.extend(some.map(|(nth, refused)| (first + nth, refused)));
            first += count;
        }
        refused
    }

    fn update_watched(&self, update: &Update<'_>, watch: &mut Watch<'_>) -> Result<(), Refused> {
        let call = Call::UpdateWatched(Batch::of(update));
        let told = self.call(&call, |answer| match answer {
            Answer::Watched { head, samples, refused } => {
                let definition = match &head {
                    None => None,
                    Some(head) => Some(outline(head).ok()?.definition),
                };
                let mut told = Vec::new();
                for sample in &samples {
                    let definition = definition.as_ref()?;
                    let (archives, sources) = (definition.archives.len(), definition.sources.len());
                    told.push((definition, sample, sample.rows(archives, sources)?));
                }
                for (definition, sample, rows) in &told {
                    let rows: &[FinalRows<'_>] = rows;
                    watch(&Taken::told(definition, (sample.before, sample.time), rows));
                }
                Some(refused.map_or(Ok(()), |refused| Err(refused.refused())))
            }
            _ => None,
        });
        told.map_err(Refused::first)?
    }

    fn outline(&self, name: &Path) -> Result<Outline, Error> {
        self.call(&Call::Outline(Name::of(name)), |answer| match answer {
            Answer::Head(head) => outline(&head).ok(),
            _ => None,
        })
    }

    fn header(&self, name: &Path) -> Result<Header, Error> {
        self.call(&Call::Header(Name::of(name)), |answer| match answer {
            Answer::Head(head) => header(&head).ok(),
            _ => None,
        })
    }

    fn fetch(&self, name: &Path, query: &Query) -> Result<Series, Error> {
        self.call(&Call::Fetch(Name::of(name), *query), |answer| match answer {
            Answer::Rows(rows) => rows.series(),
            _ => None,
        })
    }

    fn fetch_stretch(&self, name: &Path, query: &Query) -> Result<Stretch, Error> {
        self.call(&Call::FetchStretch(Name::of(name), *query), |answer| match answer {
            Answer::Rows(rows) => rows.stretch(),
            _ => None,
        })
    }

    fn fetch_many(&self, wanted: &[Wanted<'_>], take: &mut TakeRows<'_>) -> Result<(), Error> {
        let mut waiting: Vec<usize> = (0..wanted.len()).collect();
        while !waiting.is_empty() {
            let asked: Vec<usize> = fitting(wanted, &waiting).collect();
            let query = |position: &usize| {
                let Wanted { name, query } = wanted[*position];
                (Name::of(name), query)
            };
            let call = Call::FetchMany(asked.iter().map(query).collect());
            let answers = self.call(&call, |answer| many(answer, asked.len()))?;
            let mut is_answered = vec![false; asked.len()];
            for (nth, answer) in answers {
                is_answered[nth] = true;
                if take(asked[nth], answer).is_break() {
                    return Ok(());
                }
            }
            let left = asked.iter().zip(is_answered).filter(|(_, is_answered)| !is_answered);
            let left: Vec<usize> = left.map(|(position, _)| *position).collect();
            waiting = left.into_iter().chain(waiting.drain(..).skip(asked.len())).collect();
        }
        Ok(())
    }

    fn rows_since(&self, name: &Path, mark_seconds: i64) -> Result<RowsSince, Error> {
        self.call(&Call::RowsSince(Name::of(name), mark_seconds), |answer| match answer {
            Answer::Since(head, archives) => since(&head, archives),
            _ => None,
        })
    }

    fn whole(&self, name: &Path) -> Result<(Header, Snapshot), Error> {
        let image = self.call(&Call::Image(Name::of(name)), |answer| whole(&file(answer)?).ok());
        // What no file can say is asked for in another form.
        let is_beyond = |outline: Outline| outline.definition.check_files_can_say().is_err();
        if image.is_err() && self.outline(name).is_ok_and(is_beyond) {
            let snapshot = Call::Snapshot(Name::of(name));
            return self.call(&snapshot, |answer| whole(&file(answer)?).ok());
        }
        image
    }

    fn image(&self, name: &Path) -> Result<Vec<u8>, Error> {
        self.call(&Call::Image(Name::of(name)), |answer| Some(file(answer)?.0.into_owned()))
    }

    fn images(&self, names: &[String], take: &mut TakeImage<'_>) -> Result<(), Error> {
        let mut left = names;
        while !left.is_empty() {
            let asked = left.len().min(IMAGES_ASKED_MAX);
            let named = left[..asked].iter().map(|name| Name::of(Path::new(name)));
            let files = self.call(&Call::Images(named.collect()), |answer| files(answer, asked))?;
            let (done, others) = left.split_at(files.len());
            done.iter().zip(files).for_each(|(name, file)| take(name, file));
            left = others;
        }
        Ok(())
    }

    fn snapshot(&self, name: &Path) -> Result<Snapshot, Error> {
        self.call(&Call::Snapshot(Name::of(name)), |answer| {
            snapshot(&file(answer)?).ok().map(|(_, snapshot)| snapshot)
        })
    }

    fn has(&self, name: &Path) -> bool {
        let is = self.call(&Call::Has(Name::of(name)), |answer| match answer {
            Answer::Is(is) => Some(is),
            _ => None,
        });
        is.unwrap_or(false)
    }

    /// `goes_on` is not used: the server itself notices if the client is gone.
    fn edit(&self, name: &Path, edit: &Edit<'_>, _: GoesOn<'_>) -> Result<(), Error> {
        self.call(&Call::edit(name, edit)?, done)
    }

    fn names_from(
        &self,
        pattern: &NamePattern,
        from: &str,
        limit: usize,
    ) -> Result<NamesPage, Error> {
        let limit = limit.clamp(1, NAMES_AT_ONCE);
        let call = Call::Names { pattern: pattern.clone(), from, limit };
        self.call(&call, |answer| match answer {
            Answer::Names(page) => Some(page).filter(|page| goes_on_from(page, from, limit)),
            _ => None,
        })
    }

    /// Syncs only if something was changed over this connection: most servers answer after the
    /// change is on disk.
    fn sync(&self) -> Result<(), Error> {
        if !self.take_unsynced() {
            return Ok(());
        }
        let synced = self.call(&Call::Sync, done);
        if synced.is_err() {
            self.note_unsynced();
        }
        synced
    }

    fn inspect(&self) -> Option<&dyn Inspect> {
        Some(self)
    }

    fn adopts(&self) -> Option<&dyn Adopt> {
        Some(self)
    }
}

/// Bytes of rows in one call: the server has them in memory more than once.
const ADOPTED_BYTES: usize = 32 << 20;

impl<S: Read + Write + Send> Adopt for Remote<S> {
    /// `goes_on` is not used: the server itself notices if the client is gone.
    fn adopt(&self, adoptees: &[Adoptee], _: GoesOn<'_>) -> Result<(), Error> {
        let adopted = adoptees.iter().map(Adopted::of).collect::<Result<_, _>>()?;
        self.call(&Call::Adopt(adopted), done)
    }

    fn came_from(&self, name: &str, modified_nanos: i64) -> Result<Option<bool>, Error> {
        self.call(&Call::CameFrom(name, modified_nanos), |answer| match answer {
            Answer::CameFrom(came) => Some(came),
            _ => None,
        })
    }

    fn bytes_at_once(&self) -> usize {
        ADOPTED_BYTES
    }
}

impl<S: Read + Write + Send> Inspect for Remote<S> {
    fn report(&self) -> Result<StoreReport, Error> {
        self.call(&Call::Report, |answer| match answer {
            Answer::Report(report) => Some(report),
            _ => None,
        })
    }

    fn verify(&self, progress: &mut dyn FnMut(u64, u64)) -> Result<Verified, Error> {
        self.call_telling(&Call::Verify, progress, |answer| match answer {
            Answer::Verified(verified) => Some(verified),
            _ => None,
        })
    }
}

impl<S: Read + Write + Send> Remote<S> {
    fn make_some(&self, new: Vec<(usize, New<'_>)>, goes_on: GoesOn<'_>) -> Vec<(usize, Error)> {
        let (positions, new): (Vec<_>, Vec<_>) = new.into_iter().unzip();
        if new.is_empty() {
            return Vec::new();
        }
        let wanted = disk::expect_wanted(goes_on).map_err(Error::io("creating", self.server()));
        let refused = wanted
            .and_then(|()| self.call(&Call::Make(new), |answer| refusals(answer, positions.len())));
        match refused {
            Ok(refused) => {
                refused.into_iter().map(|(nth, refused)| (positions[nth], refused.error)).collect()
            }
            Err(error) => positions.into_iter().map(|nth| (nth, error.again())).collect(),
        }
    }

    fn update_some(&self, batch: &[Update<'_>]) -> Vec<(usize, Refused)> {
        let refused = self.call(&Call::update(batch), |answer| refusals(answer, batch.len()));
        let all = |error: Error| {
            (0..batch.len()).map(|nth| (nth, Refused::first(error.again()))).collect()
        };
        refused.unwrap_or_else(all)
    }
}

/// The queries that fit in one call.
fn fitting(wanted: &[Wanted<'_>], positions: &[usize]) -> impl Iterator<Item = usize> {
    let mut bytes = 0;
    let size = |position: usize| wanted[position].name.as_os_str().len() + 4 * NUMBER_BYTES;
    let fits = positions.iter().enumerate().take_while(move |(nth, position)| {
        bytes += size(**position);
        *nth == 0 || bytes <= CALL_BYTES
    });
    fits.map(|(_, position)| *position)
}

/// The answer to a query, with the query's position.
type OneOfMany = (usize, Result<Stretch, Error>);

/// The answers to some of `count` queries: at least one, and each at most once.
fn many(answer: Answer<'_>, count: usize) -> Option<Vec<OneOfMany>> {
    let Answer::Many(parts) = answer else { return None };
    let mut positions: Vec<usize> = parts.iter().map(|part| part.position).collect();
    positions.sort_unstable();
    let is_once = positions.is_sorted_by(|one, other| one < other);
    if !is_once || positions.last().is_none_or(|last| *last >= count) {
        return None;
    }
    let told = |Part { position, rows }: Part<'_>| {
        let answer = match rows {
            Ok(rows) => Ok(rows.stretch()?),
            Err(fault) => Err(fault.into()),
        };
        Some((position, answer))
    };
    parts.into_iter().map(told).collect()
}

/// The rows after a mark, if they are valid for the archives.
fn since(head: &Bytes<'_>, archives: Vec<Option<Rows<'_>>>) -> Option<RowsSince> {
    let Outline { definition, last_update } = outline(head).ok()?;
    let stretch = |rows: Option<Rows<'_>>| match rows {
        Some(rows) => rows.stretch().map(Some),
        None => Some(None),
    };
    let archives: Vec<_> = archives.into_iter().map(stretch).collect::<Option<_>>()?;
    let columns = definition.sources.len();
    let fits = |rows: &Stretch| rows.source_names.len() == columns;
    let fits = archives.len() == definition.archives.len() && archives.iter().flatten().all(fits);
    fits.then_some(RowsSince { definition, last_update, archives })
}

/// How many updates fit in one call.
fn together(batch: &[Update<'_>]) -> usize {
    let mut bytes = 0;
    let fits = |update: &&Update<'_>| {
        bytes += size_bytes(update);
        bytes <= CALL_BYTES
    };
    batch.iter().take_while(fits).count().max(1)
}

/// The approximate size of an update.
fn size_bytes(update: &Update<'_>) -> usize {
    let of_text = |text: &&str| text.len() + NUMBER_BYTES;
    let of_texts = |texts: &[&str]| texts.iter().map(of_text).sum::<usize>();
    let of_reading = |reading: &Reading<'_>| match reading {
        Reading::Text(text) => text.len() + NUMBER_BYTES,
        _ => NUMBER_BYTES,
    };
    let samples: usize = match update.samples {
        Samples::Read(samples) => {
            samples.iter().flat_map(|sample| sample.readings).map(of_reading).sum()
        }
        Samples::Numbered(values) => of_texts(values),
        Samples::Arguments(arguments) => of_texts(arguments.words),
        Samples::Resolved(resolved) => of_texts(resolved.words),
    };
    update.name.as_os_str().len() + samples
}

/// Whether a page is valid: at most `limit` names in order, from `from` on, and the next page
/// begins after them.
fn goes_on_from(NamesPage { names, next }: &NamesPage, from: &str, limit: usize) -> bool {
    let begins = names.first().is_none_or(|name| name.as_str() >= from);
    let last = names.last().map_or(from, String::as_str);
    let goes_on = next.as_ref().is_none_or(|next| next.as_str() > last);
    names.len() <= limit && names.is_sorted_by(|one, other| one < other) && begins && goes_on
}

fn done(answer: Answer<'_>) -> Option<()> {
    matches!(answer, Answer::Done).then_some(())
}

/// The files of the first of `asked` names, at least one.
fn files(answer: Answer<'_>, asked: usize) -> Option<Vec<Result<Vec<u8>, Error>>> {
    let Answer::Files(files) = answer else { return None };
    let file = |file: Result<Bytes<'_>, Fault<'_>>| Ok(file?.0.into_owned());
    (1..=asked).contains(&files.len()).then(|| files.into_iter().map(file).collect())
}

fn file(answer: Answer<'_>) -> Option<Bytes<'_>> {
    match answer {
        Answer::File(file) => Some(file),
        _ => None,
    }
}

/// The refusals among `count` parts, if they are in order.
fn refusals(answer: Answer<'_>, count: usize) -> Option<Vec<(usize, Refused)>> {
    let Answer::Refused(refused) = answer else { return None };
    let is_in_order = refused.is_sorted_by(|left, right| left.position < right.position);
    let fits = refused.last().is_none_or(|last| last.position < count);
    let position = |refusal: Refusal<'_>| (refusal.position, refusal.refused());
    (is_in_order && fits).then(|| refused.into_iter().map(position).collect())
}
