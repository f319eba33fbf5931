//! The targets of a catalogue as what is ranked.

use std::collections::HashMap;
use std::sync::Arc;

use ::ranks::{Kind, Subject, Subjects, Traits};
use texts::Reader;

use super::kinds::{by_label, by_look, tells_of_errors};
use crate::{Catalogue, Target};

impl Subjects for Catalogue {
    fn count(&self) -> usize {
        Catalogue::count(self)
    }

    fn name(&self, position: usize) -> Arc<str> {
        self.target(position).name
    }

    fn subject(&self, position: usize) -> Subject {
        let target = self.target(position);
        let look = &target.look;
        let maxima = match &target.maxima {
            Some(maxima) => maxima.get(),
            None => look.lines.each_ref().map(|line| line.maximum),
        };
        let traits = Traits {
            step_seconds: look.step_seconds,
            kind: self.kind(position, kinds),
            maxima,
            are_shown: look.lines.each_ref().map(|line| line.shown),
            is_narrow: self.has_narrow_counter(position),
        };
        Subject { database: target.database, traits }
    }
}

/// What each target measures. It is found out once: titles are packed, and take time to read.
fn kinds(catalogue: &Catalogue) -> Box<[Kind]> {
    let mut reader = Reader::default();
    let mut of_look = HashMap::new();
    let mut kinds = Vec::with_capacity(Catalogue::count(catalogue));
    catalogue.labels_of_all(&mut |labels| {
        if kinds.len() == Catalogue::count(catalogue) {
            return;
        }
        let target = catalogue.target(kinds.len());
        // Many targets share a look, which lives as long as the catalogue.
        let key = Arc::as_ptr(&target.look).addr();
        let by_look = *of_look.entry(key).or_insert_with(|| by_look(&target.look));
        kinds.push(by_label(&labels).unwrap_or_else(|| by_words(&target, by_look, &mut reader)));
    });
    kinds.into()
}

fn by_words(target: &Target, by_look: Kind, reader: &mut Reader) -> Kind {
    let mut head = reader.fields(&target.head).take(2);
    match tells_of_errors(&target.name) || head.any(tells_of_errors) {
        true => Kind::Errors,
        false => by_look,
    }
}
