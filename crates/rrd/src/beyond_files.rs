//! What ring stores can say, and `.rrd` files cannot.

use crate::{ConsolidationFunction, Definition, Tick};

/// What of a definition a `.rrd` file cannot say. Nothing is made of such a database that would say
/// less: not a file, not a dump.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, serde::Serialize, serde::Deserialize)]
pub enum BeyondFiles {
    /// A consolidation function that files do not have.
    #[error("RRA[{archive}] is of {cf}: ring stores alone have that, an .rrd file cannot say it")]
    Function {
        /// The archive's position.
        archive: usize,
        /// Its function.
        cf: ConsolidationFunction,
    },
    /// A tick that is not a second.
    #[error("its tick is {0} s: ring stores alone have that, an .rrd file counts whole seconds")]
    Tick(Tick),
}

impl BeyondFiles {
    /// The words of rrdtool, which does not know it.
    #[must_use]
    pub fn in_rrdtools_words(&self) -> String {
        match self {
            Self::Function { cf, .. } => {
                format!("Unrecognized consolidation function {}", cf.name())
            }
            Self::Tick(_) => self.to_string(),
        }
    }
}

impl Definition {
    /// Checks that a `.rrd` file can say all of it.
    ///
    /// # Errors
    /// [`BeyondFiles`]: the first that it cannot.
    pub fn check_files_can_say(&self) -> Result<(), BeyondFiles> {
        if !self.tick.is_second() {
            return Err(BeyondFiles::Tick(self.tick));
        }
        let spread = self.archives.iter().position(|archive| archive.cf.is_spread());
        match spread {
            Some(archive) => Err(BeyondFiles::Function { archive, cf: self.archives[archive].cf }),
            None => Ok(()),
        }
    }
}
