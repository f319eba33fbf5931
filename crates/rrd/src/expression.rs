//! The expression of a COMPUTE source, as compact as files keep it.

use crate::rpn;

/// Bytes of an expression in a file: the field that holds heartbeat and limits of other sources.
pub const EXPRESSION_BYTES: usize = 80;

/// The most words of an expression, its end included.
const NODES_MAX: usize = EXPRESSION_BYTES / NODE_BYTES;
const NODE_BYTES: usize = 4;

/// The format's number for the end of an expression.
const END: u8 = 32;

/// The expression of a COMPUTE source.
///
/// ```text
///   offset_bytes   bytes   holds, for each word
///   0              1       the operator's number
///   1              1       0
///   2              2       a constant, or the position of a source
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Expression {
    nodes: [CompactNode; NODES_MAX],
}

/// One word of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CompactNode {
    /// The format's number for the operator.
    pub operator: u8,
    /// A constant, or the position of a source; 0 for an operator.
    pub operand: i16,
}

impl Expression {
    const NOTHING: CompactNode = CompactNode { operator: 0, operand: 0 };

    /// Reads an expression of the file format; `None` if it has no end, or an unknown operator.
    #[must_use]
    pub fn from_bytes(bytes: &[u8; EXPRESSION_BYTES]) -> Option<Self> {
        let mut nodes = [Self::NOTHING; NODES_MAX];
        for (node, &[operator, _, low, high]) in nodes.iter_mut().zip(bytes.as_chunks().0) {
            *node = CompactNode { operator, operand: i16::from_le_bytes([low, high]) };
            if operator == END {
                return Some(Self { nodes });
            }
            if !rpn::is_known(*node) {
                return None;
            }
        }
        None
    }

    /// The expression of these words; `None` if they are too many.
    pub(crate) fn from_nodes(words: &[CompactNode]) -> Option<Self> {
        let mut nodes = [Self::NOTHING; NODES_MAX];
        nodes.get_mut(..words.len())?.copy_from_slice(words);
        nodes.get_mut(words.len())?.operator = END;
        Some(Self { nodes })
    }

    /// The expression in the file format.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; EXPRESSION_BYTES] {
        let mut bytes = [0; EXPRESSION_BYTES];
        for (field, node) in bytes.as_chunks_mut().0.iter_mut().zip(&self.nodes) {
            let [low, high] = node.operand.to_le_bytes();
            *field = [node.operator, 0, low, high];
        }
        bytes
    }

    /// The positions of the sources that it reads.
    pub fn sources(&self) -> impl Iterator<Item = i16> + '_ {
        let nodes = self.nodes().iter();
        nodes.filter(|node| rpn::reads_source(**node)).map(|node| node.operand)
    }

    /// The same of other sources: `moved` tells where each stands. `None` if one is nowhere.
    #[must_use]
    pub fn with_sources(mut self, moved: impl Fn(i16) -> Option<i16>) -> Option<Self> {
        let end = self.nodes().len();
        for node in &mut self.nodes[..end] {
            if rpn::reads_source(*node) {
                node.operand = moved(node.operand)?;
            }
        }
        Some(self)
    }

    /// Its words, without the end.
    #[must_use]
    pub fn nodes(&self) -> &[CompactNode] {
        let end = self.nodes.iter().position(|node| node.operator == END);
        &self.nodes[..end.expect("an expression has an end")]
    }
}
