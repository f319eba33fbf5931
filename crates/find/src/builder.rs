//! An index in the making.

use crate::field::Field;
use crate::fold::{atoms, lower};
use crate::index::Index;
use crate::lexicon::LexiconBuilder;
use crate::recent::{ChunkKey, Lists, Recent};
use crate::too_large::TooLarge;

/// What is known of a document. Empty texts count as none.
#[derive(Clone, Copy, Debug, Default)]
pub struct Document<'d> {
    /// Its name.
    pub name: &'d str,
    /// What its page is headed with.
    pub title: &'d str,
    /// What it is measured from.
    pub device: &'d str,
    /// A description.
    pub remark: &'d str,
    /// An address in a network.
    pub address: &'d str,
    /// Names and values.
    pub labels: &'d [(String, String)],
}

/// Takes documents, one after the other; the first one has the number 0.
#[derive(Debug, Default)]
pub struct Builder {
    atoms: LexiconBuilder,
    compounds: LexiconBuilder,
    /// The names of labels, by the numbers of their fields.
    labels: Vec<String>,
    name_lengths: Vec<u8>,
    lowered: String,
    recent: Recent,
}

impl Builder {
    /// Takes the next document.
    ///
    /// # Errors
    /// See [`TooLarge`]. The index is then of no use.
    pub fn add(&mut self, document: &Document<'_>) -> Result<(), TooLarge> {
        let nth = u32::try_from(self.name_lengths.len()).map_err(|_| TooLarge)?;
        self.name_lengths.push(u8::try_from(document.name.len()).unwrap_or(u8::MAX));
        self.field(Field::NAME, document.name, nth)?;
        self.field(Field::TITLE, document.title, nth)?;
        self.field(Field::DEVICE, document.device, nth)?;
        self.field(Field::REMARK, document.remark, nth)?;
        self.field(Field::ADDRESS, document.address, nth)?;
        for (label, value) in document.labels {
            let field = self.label(label);
            self.field(field, value, nth)?;
        }
        Ok(())
    }

    /// The field of a label.
    fn label(&mut self, label: &str) -> Field {
        let known = self.labels.iter().position(|known| known == label);
        let field = Field::of_label(known.unwrap_or(self.labels.len()));
        if known.is_none() && field != Field::MORE_LABELS {
            self.labels.push(label.to_owned());
        }
        field
    }

    fn field(&mut self, field: Field, text: &str, document: u32) -> Result<(), TooLarge> {
        let mut lowered = std::mem::take(&mut self.lowered);
        lowered.clear();
        lower(text, &mut lowered);
        let mut is_first = field == Field::NAME;
        for chunk in lowered.split_whitespace() {
            self.chunk(field, chunk, document, is_first)?;
            is_first = false;
        }
        self.lowered = lowered;
        Ok(())
    }

    fn chunk(
        &mut self,
        field: Field,
        chunk: &str,
        document: u32,
        is_beginning: bool,
    ) -> Result<(), TooLarge> {
        let key = ChunkKey { chunk, field, is_beginning };
        let Self { atoms, compounds, recent, .. } = self;
        let lists = recent.lists(&key, |lists| find_lists(atoms, compounds, &key, lists))?;
        lists.atoms.iter().for_each(|list| atoms.push(*list, document));
        lists.compounds.iter().for_each(|list| compounds.push(*list, document));
        Ok(())
    }

    /// The index of all documents.
    ///
    /// # Errors
    /// See [`TooLarge`].
    pub fn finish(self) -> Result<Index, TooLarge> {
        let Self { atoms, compounds, labels, name_lengths, .. } = self;
        Ok(Index::new(atoms.finish()?, compounds.finish()?, labels, name_lengths))
    }
}

/// The lists of all parts of a chunk.
fn find_lists(
    atom_lists: &mut LexiconBuilder,
    compound_lists: &mut LexiconBuilder,
    key: &ChunkKey<'_>,
    lists: &mut Lists,
) -> Result<(), TooLarge> {
    let ChunkKey { chunk, field, is_beginning } = *key;
    let mut last = "";
    for (nth, atom) in atoms(chunk).enumerate() {
        lists.atoms.push(atom_lists.list(atom, field)?);
        if nth == 0 && is_beginning {
            lists.atoms.push(atom_lists.list(atom, Field::BEGINNING)?);
        }
        last = atom;
    }
    if last.len() < chunk.len() {
        lists.compounds.push(compound_lists.list(chunk, field)?);
        if is_beginning {
            lists.compounds.push(compound_lists.list(chunk, Field::BEGINNING)?);
        }
    }
    Ok(())
}
