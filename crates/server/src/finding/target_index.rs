//! The index of the targets of a catalogue.

use std::sync::Arc;

use access::Scope;
use find::{Builder, Document, Field, Found, Index, Page, Query, TooLarge};
use texts::Reader;

use super::network::{DeviceEntry, Network};
use super::seen::{Bits, SeenByScope};
use crate::{Catalogue, Status};

/// Targets by their texts and by their devices. Numbers are positions in the catalogue.
#[derive(Debug)]
pub(crate) struct TargetIndex {
    texts: Index,
    pub(crate) network: Network,
    /// The targets that are not measured.
    in_trouble: Bits,
    seen: SeenByScope,
}

impl TargetIndex {
    /// The index of all targets.
    ///
    /// # Errors
    /// See [`TooLarge`].
    pub(crate) fn new(catalogue: &Catalogue) -> Result<Self, TooLarge> {
        let (mut making, mut position, mut done) = (Making::default(), 0, Ok(()));
        catalogue.labels_of_all(&mut |labels| {
            if done.is_ok() && position < catalogue.count() {
                done = making.add(catalogue, position, &labels);
            }
            position += 1;
        });
        done?;
        making.finish()
    }

    /// The field of a label.
    pub(crate) fn label(&self, name: &str) -> Field {
        self.texts.label(name)
    }

    /// What a text asks for.
    pub(crate) fn query(&self, text: &str) -> Query {
        self.texts.query(text)
    }

    /// The targets that match a query, of those that a scope sees; perhaps only those that are
    /// silent.
    pub(crate) fn search(
        &self,
        query: &Query,
        seen: Option<&Bits>,
        silent: Option<&Status>,
        page: Page,
    ) -> Found {
        match (seen, silent) {
            (None, None) => self.texts.search(query, |_| true, page),
            (seen, silent) => {
                let is_seen = |nth: u32| seen.is_none_or(|seen| seen.has(nth));
                let is_silent = |nth: u32| silent.is_none_or(|status| self.is_silent(nth, status));
                self.texts.search(query, |nth| is_seen(nth) && is_silent(nth), page)
            }
        }
    }

    /// The targets whose name, title, device or remark have every word of a text, of those that a
    /// scope sees, in the order of the catalogue; `None` if the text has too many words for an index.
    pub(crate) fn with_words(&self, text: &str, seen: Option<&Bits>) -> Option<Vec<u32>> {
        let fields = [Field::NAME, Field::TITLE, Field::DEVICE, Field::REMARK];
        let query = Query::of_words(text, &fields)?;
        Some(self.texts.written(&query, |nth| seen.is_none_or(|seen| seen.has(nth))))
    }

    /// The targets that a scope sees; `None` if it sees all.
    pub(crate) fn seen(&self, scope: &Scope, catalogue: &Catalogue) -> Option<Arc<Bits>> {
        (!scope.is_everything()).then(|| self.seen.of(scope, catalogue.names()))
    }

    /// Whether a target is not measured, or its device does not answer.
    pub(crate) fn is_silent(&self, target: u32, status: &Status) -> bool {
        let device = self.network.device_of(target);
        self.in_trouble.has(target) || device.is_some_and(|it| is_device_silent(it, status))
    }
}

/// An index in the making.
#[derive(Default)]
struct Making {
    builder: Builder,
    network: Network,
    heads: Reader,
    in_trouble: Vec<bool>,
}

impl Making {
    /// Takes the target at a position, which is the next one.
    fn add(
        &mut self,
        catalogue: &Catalogue,
        position: usize,
        labels: &[(String, String)],
    ) -> Result<(), TooLarge> {
        let target = catalogue.target(position);
        let address = catalogue.address(position).unwrap_or_default();
        let mut head = self.heads.fields(&target.head);
        self.builder.add(&Document {
            name: &target.name,
            title: head.next().unwrap_or_default(),
            remark: head.next().unwrap_or_default(),
            device: &target.device,
            address: &address,
            labels,
        })?;
        self.network.add(&target, labels);
        self.in_trouble.push(target.problem.is_some());
        Ok(())
    }

    fn finish(self) -> Result<TargetIndex, TooLarge> {
        Ok(TargetIndex {
            texts: self.builder.finish()?,
            network: self.network.finish(),
            in_trouble: Bits::of(self.in_trouble.into_iter()),
            seen: SeenByScope::default(),
        })
    }
}

fn is_device_silent(device: &DeviceEntry, status: &Status) -> bool {
    let known = device.index.and_then(|index| status.devices.get(index));
    known.is_some_and(|device| device.health.is_silent())
}
