//! Definitions that a connection remembers: databases that are made one after the other are often
//! alike.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;

use rrd::Definition;
use rrd::spec::Units;
use rrdcached::server::CreateRequest;
use rrdtool::create::Plan;

use crate::shelf::Failure;

/// So many definitions are remembered for a connection.
const LAST_DEFINITIONS: usize = 16;
/// Longer ones are not: what a connection remembers is in no budget.
const REMEMBERED_WORDS_BYTES_MAX: usize = 4096;

/// A definition, and the words that it was read from.
struct LastDefinition {
    units: Option<Units>,
    words: Vec<Vec<u8>>,
    definition: Arc<Definition>,
}

/// The definitions that were read last.
#[derive(Default)]
pub(super) struct LastDefinitions(VecDeque<LastDefinition>);

impl LastDefinitions {
    /// What a database is to hold that takes nothing over.
    ///
    /// # Errors
    /// Its words are no definition.
    pub(super) fn definition(
        &mut self,
        request: &CreateRequest<'_>,
        path: &Path,
    ) -> Result<Arc<Definition>, Failure> {
        let is_same = |last: &&LastDefinition| {
            last.units == request.units
                && last.words.iter().map(Vec::as_slice).eq(request.definition.iter().copied())
        };
        if let Some(last) = self.0.iter().find(is_same) {
            return Ok(Arc::clone(&last.definition));
        }
        let specs = texts(&request.definition)?;
        let plan = Plan::new(&path.to_string_lossy(), request.units, None, &specs);
        let definition = Arc::new(plan?.definition);
        // When seasons are smoothed depends on the database's name.
        let depends_on_name = definition.archives.iter().any(|archive| archive.cf.is_forecast());
        let words_bytes = request.definition.iter().map(|word| word.len()).sum::<usize>();
        if !depends_on_name && words_bytes <= REMEMBERED_WORDS_BYTES_MAX {
            self.0.truncate(LAST_DEFINITIONS - 1);
            self.0.push_front(LastDefinition {
                units: request.units,
                words: request.definition.iter().map(|word| word.to_vec()).collect(),
                definition: Arc::clone(&definition),
            });
        }
        Ok(definition)
    }
}

/// Words as text.
///
/// # Errors
/// One is none.
pub(super) fn texts<'a>(words: &[&'a [u8]]) -> Result<Vec<&'a str>, Failure> {
    let text = |word: &&'a [u8]| {
        let wrong = |_| {
            let word = String::from_utf8_lossy(word);
            Failure::Rrd(format!("expected UTF-8, found '{word}'"))
        };
        std::str::from_utf8(word).map_err(wrong)
    };
    words.iter().map(text).collect()
}
