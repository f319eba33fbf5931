//! redb's file without redb: keys are looked up page by page, and each page is checked on the way.
//!
//! redb itself cannot be asked for a few keys of a file that it does not trust: it checks all of
//! it, or nothing. But its file is a tree of checksums. Each branch has those of its children, the
//! list of tables that of each table's root, and the first page that of the list:
//!
//! ```text
//!   first page ── root of the list of tables ── name ──▶ root of a table ── branches ── leaves
//!        checksum              checksum                      checksum          checksums
//! ```
//!
//! So what is found here is what redb would find. What it would mend first is refused: a root that
//! is not durable for sure, or is damaged. The layout is that of redb's file format 3.

use std::cmp::Ordering;
use std::ops::Range;

use disk::MediumFile;
use twox_hash::XxHash3_128;

use super::backend::{FLAGS, IS_OPEN, IS_TRUSTED, ROOTS, SECOND_IS_VALID};
use super::error::Failure;

const PAGE_BYTES: u64 = 4096;
const FORMAT: u8 = 3;
/// Of the flags, that the valid root may not have reached the disk.
const IS_UNFLUSHED: u8 = 8;
/// Where the first page tells bytes of a page, pages before a region's own, and pages of a region.
const SIZES: [usize; 3] = [12, 16, 20];
/// Where a root has its checksum.
const ROOT_CHECKSUM: Range<usize> = 112..128;
const LEAF: u8 = 1;
const BRANCH: u8 = 2;
const TABLE: u8 = 3;
/// No tree is so deep.
const DEPTH_MAX: u32 = 64;

/// redb's file, of which no more is read than is asked for.
#[derive(Debug)]
pub(super) struct TreeFile {
    file: Box<dyn MediumFile>,
    /// Whether it was closed in order: then its first page is on disk.
    is_closed: bool,
    /// The pages of a region, with those before its own.
    region_pages: u64,
    region_head_pages: u64,
    tables: Tree,
}

/// One tree of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tree {
    /// `None` if it is empty.
    root: Option<Child>,
    keys: Width,
    values: Width,
}

/// Bytes of a key or a value; `None` if each has its own number.
pub(super) type Width = Option<usize>;

/// A page, and what its checksum has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Child {
    number: u64,
    checksum: u128,
}

/// Keys from the first to the last, both included, as bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Keys<'a> {
    pub(super) first: &'a [u8],
    pub(super) last: &'a [u8],
}

impl TreeFile {
    /// Reads the first page.
    pub(super) fn open(file: Box<dyn MediumFile>) -> Result<Self, Failure> {
        let mut head = vec![0; ROOTS[1].end];
        read(&*file, &mut head, 0)?;
        let flags = head[FLAGS];
        if flags & IS_TRUSTED == 0 || flags & IS_UNFLUSHED != 0 {
            return Err(unfit("a root that is durable for sure", 0));
        }
        let slot = &head[ROOTS[usize::from(flags & SECOND_IS_VALID)].clone()];
        if XxHash3_128::oneshot(&slot[..ROOT_CHECKSUM.start]) != u128_at(slot, ROOT_CHECKSUM.start)?
        {
            return Err(unfit("the checksum of its root", 0));
        }
        let [page_bytes, region_head_pages, pages] = SIZES
            .map(|at| head[at..at + 4].as_chunks().0[0])
            .map(u32::from_le_bytes)
            .map(u64::from);
        if slot[0] != FORMAT || page_bytes != PAGE_BYTES {
            return Err(unfit("format 3 with pages of 4096 bytes", 0));
        }
        let tables = Tree { root: root_at(slot, 1, 8)?, keys: None, values: None };
        let (region_pages, is_closed) = (region_head_pages + pages, flags & IS_OPEN == 0);
        Ok(Self { file, is_closed, region_pages, region_head_pages, tables })
    }

    /// Has what is found here reach the disk. All else was there before the first page told of it;
    /// but a process that was killed, or whose sync failed, may have left that page in memory
    /// alone. The same bytes in place harm nothing.
    pub(super) fn make_durable(&self) -> Result<(), Failure> {
        if self.is_closed {
            return Ok(());
        }
        let mut first = vec![0; PAGE_BYTES as usize];
        read(&*self.file, &mut first, 0)?;
        self.file.write_at(&first, 0).map_err(redb::StorageError::Io)?;
        Ok(self.file.sync_data().map_err(redb::StorageError::Io)?)
    }

    /// A table by its name.
    pub(super) fn table(&self, name: &str) -> Result<Tree, Failure> {
        let entry = self.get(&self.tables, name.as_bytes())?;
        let entry = entry.ok_or_else(|| Failure::Value(format!("there is no table {name}")))?;
        let width = |at: usize| -> Result<Width, Failure> {
            let bytes = u32_at(&entry, at + 1)? as usize;
            Ok((entry[at] != 0).then_some(bytes))
        };
        let are_aligned = u32_at(&entry, 52)? == 1 && u32_at(&entry, 56)? == 1;
        if entry[0] != TABLE || !are_aligned {
            return Err(Failure::Value(format!("table {name} is of another kind")));
        }
        Ok(Tree { root: root_at(&entry, 9, 10)?, keys: width(42)?, values: width(47)? })
    }

    /// The value of a key.
    pub(super) fn get(&self, tree: &Tree, key: &[u8]) -> Result<Option<Vec<u8>>, Failure> {
        let mut found = None;
        self.visit(tree, Keys { first: key, last: key }, |_, value| {
            found = Some(value.to_vec());
            Ok(())
        })?;
        Ok(found)
    }

    /// Hands every key of these with its value to `visit`, in order.
    pub(super) fn visit(
        &self,
        tree: &Tree,
        keys: Keys<'_>,
        mut visit: impl FnMut(&[u8], &[u8]) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        match tree.root {
            Some(root) => self.visit_page(tree, root, (keys, DEPTH_MAX), &mut visit),
            None => Ok(()),
        }
    }

    fn visit_page(
        &self,
        tree: &Tree,
        child: Child,
        (keys, depth): (Keys<'_>, u32),
        visit: &mut impl FnMut(&[u8], &[u8]) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let page = self.page(child.number)?;
        let node = checked_node(&page, tree, child, depth)?;
        let broken = || unfit("entries within the page", child.number);
        for nth in 0..node.count {
            if tree.compare(node.key(nth).ok_or_else(broken)?, keys.first) == Ordering::Less {
                continue;
            }
            match node.is_leaf {
                true => {
                    let key = node.key(nth).ok_or_else(broken)?;
                    if tree.compare(key, keys.last) == Ordering::Greater {
                        return Ok(());
                    }
                    visit(key, node.value(nth).ok_or_else(broken)?)?;
                }
                // The keys of a child are no greater than the one behind it.
                false => {
                    let next = node.child(nth).ok_or_else(broken)?;
                    self.visit_page(tree, next, (keys, depth - 1), visit)?;
                    if tree.compare(node.key(nth).ok_or_else(broken)?, keys.last) != Ordering::Less
                    {
                        return Ok(());
                    }
                }
            }
        }
        if node.is_leaf {
            return Ok(());
        }
        let last = node.child(node.count).ok_or_else(broken)?;
        self.visit_page(tree, last, (keys, depth - 1), visit)
    }

    fn page(&self, number: u64) -> Result<Vec<u8>, Failure> {
        let order = number >> 59;
        let index = number & (0xf_ffff >> order.min(20));
        let region = number >> 20 & 0xf_ffff;
        let pages = 1 + region * self.region_pages + self.region_head_pages + (index << order);
        let offset_bytes = pages.checked_mul(PAGE_BYTES);
        let page_bytes = PAGE_BYTES << order;
        let file_bytes = self.file.len_bytes().map_err(redb::StorageError::Io)?;
        let end = offset_bytes.and_then(|offset| offset.checked_add(page_bytes));
        match (offset_bytes, end.filter(|end| *end <= file_bytes)) {
            (Some(offset_bytes), Some(_)) => {
                let mut page = vec![0; page_bytes as usize];
                read(&*self.file, &mut page, offset_bytes)?;
                Ok(page)
            }
            _ => Err(unfit("a page within the file", number)),
        }
    }
}

impl Tree {
    /// Bytes of its keys and its values.
    pub(super) fn widths(&self) -> (Width, Width) {
        (self.keys, self.values)
    }

    /// Numbers are compared as such, all else by bytes.
    fn compare(&self, one: &[u8], other: &[u8]) -> Ordering {
        let number = |bytes: &[u8]| bytes.as_chunks().0.first().copied().map(u32::from_le_bytes);
        match self.keys {
            Some(_) => number(one).cmp(&number(other)),
            None => one.cmp(other),
        }
    }
}

/// A page of a tree, whose parts are found as they are asked for.
///
/// ```text
///   leaf    0  1  1                      branch  0  1  2
///           2  2  entries                        2  2  keys
///           4     where each key ends            8     a checksum of 16 bytes for each child
///           +     where each value ends          +     a number of 8 bytes for each child
///           +     keys, values                   +     where each key ends; keys
/// ```
///
/// Ends are numbers of 4 bytes from the start of the page; there are none where all are of one
/// width.
struct Node<'a> {
    bytes: &'a [u8],
    is_leaf: bool,
    /// Entries of a leaf, keys of a branch.
    count: usize,
    keys: Ends,
    values: Ends,
    /// Where it ends, and the stretch that its checksum is of.
    end: usize,
}

/// Where keys or values end in a page.
#[derive(Clone, Copy)]
enum Ends {
    /// Each is told from here on; the first begins at the second number.
    Told(usize, usize),
    /// Their width, and where the first begins.
    Width(usize, usize),
}

impl<'a> Node<'a> {
    fn of(bytes: &'a [u8], tree: &Tree) -> Option<Self> {
        let is_leaf = match *bytes.first()? {
            LEAF => true,
            BRANCH => false,
            _ => return None,
        };
        let count = usize::from(u16::from_le_bytes(*bytes.get(2..)?.first_chunk()?));
        let last = count.checked_sub(1)?;
        let told = |width: Width| if width.is_none() { 4 * count } else { 0 };
        let ends = |width: Width, told: usize, first: usize| match width {
            Some(width) => Ends::Width(width, first),
            None => Ends::Told(told, first),
        };
        let keys_told = if is_leaf { 4 } else { 8 + 24 * (count + 1) };
        let values_told = keys_told + told(tree.keys);
        let first = if is_leaf { values_told + told(tree.values) } else { values_told };
        let keys = ends(tree.keys, keys_told, first);
        let values = ends(tree.values, values_told, keys.end(bytes, last)?);
        let end = if is_leaf { values.end(bytes, last)? } else { keys.end(bytes, last)? };
        (end <= bytes.len()).then_some(Self { bytes, is_leaf, count, keys, values, end })
    }

    fn key(&self, nth: usize) -> Option<&'a [u8]> {
        self.bytes.get(self.keys.range(self.bytes, nth)?)
    }

    fn value(&self, nth: usize) -> Option<&'a [u8]> {
        self.bytes.get(self.values.range(self.bytes, nth)?)
    }

    fn child(&self, nth: usize) -> Option<Child> {
        let numbers = 8 + 16 * (self.count + 1);
        let checksum = u128::from_le_bytes(*self.bytes.get(8 + 16 * nth..)?.first_chunk()?);
        let number = u64::from_le_bytes(*self.bytes.get(numbers + 8 * nth..)?.first_chunk()?);
        Some(Child { number, checksum })
    }
}

impl Ends {
    fn end(self, bytes: &[u8], nth: usize) -> Option<usize> {
        match self {
            Self::Told(at, _) => {
                let end = u32::from_le_bytes(*bytes.get(at + 4 * nth..)?.first_chunk()?);
                Some(end as usize)
            }
            Self::Width(width, first) => width.checked_mul(nth + 1)?.checked_add(first),
        }
    }

    fn range(self, bytes: &[u8], nth: usize) -> Option<Range<usize>> {
        let (Self::Told(_, first) | Self::Width(_, first)) = self;
        let start = if nth == 0 { first } else { self.end(bytes, nth - 1)? };
        Some(start..self.end(bytes, nth)?)
    }
}

/// What a page of a tree holds. Its checksum is the one that the page above has of it, and the tree
/// goes on for `depth` pages at most.
fn checked_node<'p>(
    page: &'p [u8],
    tree: &Tree,
    child: Child,
    depth: u32,
) -> Result<Node<'p>, Failure> {
    let node = Node::of(page, tree).ok_or_else(|| unfit("a page of a tree", child.number))?;
    if XxHash3_128::oneshot(&page[..node.end]) != child.checksum || depth == 0 {
        return Err(unfit("the checksum of a page", child.number));
    }
    Ok(node)
}

/// The root that is told of at `at`, if the byte at `is_there` says that there is one.
fn root_at(bytes: &[u8], is_there: usize, at: usize) -> Result<Option<Child>, Failure> {
    if bytes.get(is_there).copied().unwrap_or(0) == 0 {
        return Ok(None);
    }
    let number = u64::from(u32_at(bytes, at)?) | u64::from(u32_at(bytes, at + 4)?) << 32;
    Ok(Some(Child { number, checksum: u128_at(bytes, at + 8)? }))
}

fn u32_at(bytes: &[u8], at: usize) -> Result<u32, Failure> {
    let found = bytes.get(at..).and_then(|bytes| bytes.first_chunk());
    found.map(|bytes| u32::from_le_bytes(*bytes)).ok_or_else(cut_short)
}

fn u128_at(bytes: &[u8], at: usize) -> Result<u128, Failure> {
    let found = bytes.get(at..).and_then(|bytes| bytes.first_chunk());
    found.map(|bytes| u128::from_le_bytes(*bytes)).ok_or_else(cut_short)
}

fn cut_short() -> Failure {
    Failure::Value("an entry of the list of tables is cut short".into())
}

fn read(file: &dyn MediumFile, bytes: &mut [u8], offset_bytes: u64) -> Result<(), Failure> {
    match file.read_at(bytes, offset_bytes).map_err(redb::StorageError::Io)? {
        count if count == bytes.len() => Ok(()),
        _ => Err(unfit("a whole page", offset_bytes)),
    }
}

fn unfit(expected: &str, page: u64) -> Failure {
    Failure::Value(format!("page {page:#x}: expected {expected}"))
}
