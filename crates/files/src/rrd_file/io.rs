//! The ways in which programs have read and written `.rrd` files.
//!
//! gyre's own is [`Io::OWN`]. The others are for measuring what each of them costs, by the same
//! updates; files look the same after any of them.
//!
//! ```text
//!               Buffered                     Sought         Positioned   HeaderMapped   Mapped
//! the header    lseek, read of 4 KiB         lseek, read    pread        a copy         a copy
//! rows          lseek, read of their page,   lseek, write   pwrite       pwrite         a copy
//!               lseek, write
//! live state    lseek, write                 lseek, write   pwrite       a copy         a copy
//! ```

/// How an `.rrd` file is read and written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Io {
    /// How its bytes come and go.
    pub transfer: Transfer,
    /// Whether the kernel is told that access is random, so that it reads nothing ahead.
    pub advice: bool,
}

/// How bytes come from a file and go to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Transfer {
    /// `pread(2)` and `pwrite(2)`.
    Positioned,
    /// `lseek(2)` before each `read(2)` and `write(2)`.
    Sought,
    /// What the C library makes of `fopen`, `fseek`, `fread` and `fwrite`, as rrdtool did up to
    /// 1.2: a seek reads the page that it leads to.
    Buffered,
    /// The pages of the header mapped, `pwrite(2)` for rows. As below.
    HeaderMapped,
    /// The whole file mapped, as rrdtool does since 1.3. A program that cuts the file short
    /// meanwhile ends this process.
    Mapped,
}

impl Io {
    /// gyre's own way.
    pub const OWN: Self = Self { transfer: Transfer::Positioned, advice: true };
}
