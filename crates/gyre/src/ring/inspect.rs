//! `gyre inspect`: shows what a ring store holds, and what it takes on disk and in memory.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use ring::Shape;
use serde_json::{Value, json};
use store::{GroupReport, StoreReport};

use super::figures::{FileBytes, Layout, damage, layouts, per};
use super::with_place;
use crate::command_line::with_databases;
use figures::{count, size};
use options::{CommandLine, Misuse, switch};
use rrdtool::{Failure, Session};

const LINE: CommandLine<Wanted> = CommandLine {
    synopsis: "gyre inspect [OPTIONS] STORE",
    summary: "Show what a ring store holds, and its size on disk and in memory.",
    options: &[
        switch("--groups", "also print a line for each group", |it| it.with_groups = true),
        switch("--json", "print everything as JSON", |it| it.as_json = true),
    ],
    notes: "",
};

#[derive(Default)]
struct Wanted {
    with_groups: bool,
    as_json: bool,
    root: String,
}

/// The command, for its page.
pub(crate) fn described() -> Vec<options::Described> {
    vec![LINE.described()]
}

/// `gyre inspect …`.
pub(crate) fn main(words: impl IntoIterator<Item = OsString>) -> ExitCode {
    with_databases(&LINE, parse(words), run)
}

fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Option<Wanted>, Misuse> {
    let found = with_place(&LINE, words, "STORE")?;
    Ok(found.map(|(wanted, root)| Wanted { root, ..wanted }))
}

fn run(session: &mut Session, wanted: &Wanted) -> Result<(), Failure> {
    let Wanted { with_groups, as_json, root } = wanted;
    let report = session.databases.inspected(root)?.report();
    let report = report.map_err(Failure::at(root))?;
    let root = Path::new(root);
    let damage = damage(&report);
    let files = FileBytes::of(root).map_err(Failure::at(root.display()))?;
    let found = Found { root, report: &report, files, damage };
    session.out.extend(match as_json {
        true => format!("{:#}\n", found.json()).into_bytes(),
        false => found.text(*with_groups),
    });
    Ok(())
}

/// The findings to report.
struct Found<'a> {
    root: &'a Path,
    report: &'a StoreReport,
    files: FileBytes,
    damage: Vec<String>,
}

impl Found<'_> {
    fn groups_memory_bytes(&self) -> usize {
        self.report.groups.iter().map(|group| group.memory_bytes).sum()
    }

    fn text(&self, with_groups: bool) -> Vec<u8> {
        let mut out = Vec::new();
        // Writing to a Vec cannot fail.
        let _ = self.write_summary(&mut out);
        let _ = self.write_layouts(&mut out);
        if with_groups {
            let _ = self.write_groups(&mut out);
        }
        out
    }

    fn write_summary(&self, out: &mut Vec<u8>) -> std::io::Result<()> {
        let Self { root, report, .. } = self;
        let (databases, groups) = (report.databases, report.groups.len());
        let (cycles, rows) = (report.pace.flush_cycles, report.pace.tile_rows_max);
        writeln!(out, "ring store {}", root.display())?;
        writeln!(
            out,
            "  databases   {} in {groups} groups; {} definitions",
            count(databases as u64),
            report.definitions
        )?;
        writeln!(
            out,
            "  pace        a checkpoint each {cycles} steps, at most {rows} rows a tile"
        )?;
        let space = match report.sparse {
            true => {
                "taken as tiles are written (--sparse): a full disk can meet samples that were \
                 acknowledged"
            }
            false => "taken when a group is made",
        };
        writeln!(out, "  space       {space}")?;
        self.write_sizes(out)?;
        match &self.damage[..] {
            [] => writeln!(out, "  damage      none known (`gyre verify` reads everything)")?,
            found => found.iter().try_for_each(|each| writeln!(out, "  DAMAGE      {each}"))?,
        }
        report.trouble.iter().try_for_each(|trouble| writeln!(out, "  TROUBLE     {trouble}"))
    }

    fn write_sizes(&self, out: &mut Vec<u8>) -> std::io::Result<()> {
        let Self { report, files, .. } = self;
        let memory = self.groups_memory_bytes() + report.names_memory_bytes;
        let (used, free) = report.journal_segments;
        writeln!(
            out,
            "  on disk     {}, {} bytes a database: tiles {}, checkpoints {}, private rows {}, \
             journal {}, catalogue {}",
            size(files.all()),
            count(per(files.all(), report.databases)),
            size(files.tiles),
            size(files.checkpoints),
            size(files.attics),
            size(files.journal),
            size(files.catalogue)
        )?;
        writeln!(
            out,
            "  in memory   {}, {} bytes a database: groups {}, names {}",
            size(memory as u64),
            count(per(memory as u64, report.databases)),
            size(self.groups_memory_bytes() as u64),
            size(report.names_memory_bytes as u64)
        )?;
        writeln!(
            out,
            "  journal     {} that a restart reads; {used} segments, {free} of them free",
            size(report.log_bytes)
        )
    }

    fn write_layouts(&self, out: &mut Vec<u8>) -> std::io::Result<()> {
        layouts(self.report).iter().try_for_each(|layout| write_layout(layout, out))
    }

    fn write_groups(&self, out: &mut Vec<u8>) -> std::io::Result<()> {
        writeln!(
            out,
            "\n group  databases  capacity     tiles    memory  open  late  private  aside  checkpoint  \
             damaged"
        )?;
        for group in &self.report.groups {
            writeln!(
                out,
                "{:06}  {:>9}  {:>8}  {:>8}  {:>8}  {:>4}  {:>4}  {:>7}  {:>5}  {:>10}  {:>7}",
                group.group,
                group.databases,
                group.capacity,
                size(group.tiles_bytes),
                size(group.memory_bytes as u64),
                group.open_tiles,
                group.late_rows,
                group.attic_databases,
                group.states_aside,
                group.checkpoint,
                group.damaged_offsets_bytes.len()
                    + group.damaged_attic.len()
                    + group.lost_rows.len()
            )?;
        }
        writeln!(
            out,
            "open: tiles in memory; late: rows that wait for a flush; private: databases out of \
             step; aside: states of full size"
        )
    }

    fn json(&self) -> Value {
        let Self { report, files, .. } = self;
        json!({
            "store": self.root.to_string_lossy(),
            "databases": report.databases,
            "definitions": report.definitions,
            "flush_cycles": report.pace.flush_cycles,
            "tile_rows_max": report.pace.tile_rows_max,
            "sparse": report.sparse,
            "disk_bytes": {
                "tiles": files.tiles,
                "checkpoints": files.checkpoints,
                "private_rows": files.attics,
                "journal": files.journal,
                "catalogue": files.catalogue,
            },
            "memory_bytes": {
                "groups": self.groups_memory_bytes(),
                "names": report.names_memory_bytes,
            },
            "log_bytes": report.log_bytes,
            "journal_segments": report.journal_segments.0,
            "journal_segments_free": report.journal_segments.1,
            "damage": self.damage,
            "trouble": report.trouble,
            "layouts": layouts(report).iter().map(layout_json).collect::<Vec<_>>(),
        })
    }
}

fn write_layout(layout: &Layout<'_>, out: &mut Vec<u8>) -> std::io::Result<()> {
    let group = layout.first();
    let [tiles, checkpoints] = layout.bytes_per_update();
    writeln!(
        out,
        "\nlayout: step {} s, {} sources; {} databases in {} groups with room for {}",
        group.tick.told_span(group.step_seconds),
        group.sources,
        count(layout.databases() as u64),
        layout.groups.len(),
        count(layout.capacity())
    )?;
    writeln!(
        out,
        "  an update writes {tiles:.1} bytes in tiles and {checkpoints:.1} in checkpoints on \
         average, beside its record in the journal (if groups are full)"
    )?;
    writeln!(
        out,
        "  a database takes {:.0} bytes of tiles on disk; in memory {} now: {} of state, and \
         {:.0} of rows that wait at most",
        group.geometry.disk_bytes_per_database(),
        per(layout.memory_bytes() as u64, layout.databases()),
        group.state_bytes,
        group.geometry.pending_bytes_per_database()
    )?;
    writeln!(out, "    PDPs a row      rows  tile: rows x databases  tiles of a ring")?;
    for shape in &group.shapes {
        writeln!(
            out,
            "    {:>10} {:>9}  {:>10} x {:<9}  {:>15}",
            shape.pdp_per_row, shape.rows, shape.tile_rows, shape.tile_databases, shape.ring_tiles
        )?;
    }
    Ok(())
}

fn layout_json(layout: &Layout<'_>) -> Value {
    let group = layout.first();
    let [tiles, checkpoints] = layout.bytes_per_update();
    json!({
        "step_seconds": group.tick.told_span(group.step_seconds),
        "sources": group.sources,
        "databases": layout.databases(),
        "capacity": layout.capacity(),
        "tile_bytes_per_update": tiles,
        "checkpoint_bytes_per_update": checkpoints,
        "tile_bytes_per_database": group.geometry.disk_bytes_per_database(),
        "state_bytes": group.state_bytes,
        "pending_bytes_per_database_max": group.geometry.pending_bytes_per_database(),
        "shapes": group.shapes.iter().map(shape_json).collect::<Vec<_>>(),
        "groups": layout.groups.iter().map(|group| group_json(group)).collect::<Vec<_>>(),
    })
}

fn shape_json(shape: &Shape) -> Value {
    json!({
        "pdp_per_row": shape.pdp_per_row,
        "rows": shape.rows,
        "tile_rows": shape.tile_rows,
        "tile_databases": shape.tile_databases,
        "columns": shape.columns,
        "ring_tiles": shape.ring_tiles,
    })
}

fn group_json(group: &GroupReport) -> Value {
    json!({
        "group": group.group,
        "databases": group.databases,
        "capacity": group.capacity,
        "tiles_bytes": group.tiles_bytes,
        "memory_bytes": group.memory_bytes,
        "open_tiles": group.open_tiles,
        "late_rows": group.late_rows,
        "private_databases": group.attic_databases,
        "private_pages": group.attic_pages,
        "states_aside": group.states_aside,
        "checkpoint": group.checkpoint,
        "damaged_offsets_bytes": group.damaged_offsets_bytes,
    })
}
