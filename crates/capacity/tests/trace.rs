//! The calculated pages are those that an update needs: compared with the engine's own updates, row
//! by row.

use std::collections::BTreeSet;

use capacity::trace::{Access, BlockMap, Cursor, Fleet, Group, Scatter, Shape, Touch};
use proptest::prelude::*;
use rrd::{
    Archive, ConsolidationFunction, Definition, LiveState, Reading, Sample, Timestamp, Workspace,
};
use rrdfile::layout::{Layout, RowIndex};

mod definitions;

use definitions::{definition, mrtg, source};

const PAGE_BYTES: u64 = 4096;

/// The engine, and the newest slot of each archive.
struct Truth {
    definition: Definition,
    layout: Layout,
    live: LiveState,
    newest: Vec<RowIndex>,
    workspace: Workspace,
}

impl Truth {
    fn new(definition: &Definition, start_seconds: u64, newest: &[u64]) -> Self {
        let rows = definition.archives.iter().map(|archive| archive.rows);
        Self {
            definition: definition.clone(),
            layout: Layout::new(definition.sources.len(), rows).unwrap(),
            live: LiveState::fresh(definition, Timestamp::from_seconds(start_seconds as i64)),
            newest: newest.iter().map(|row| RowIndex(*row)).collect(),
            workspace: Workspace::default(),
        }
    }

    /// The pages whose bytes an update changes, other than the header's.
    fn update(&mut self, now_seconds: u64) -> BTreeSet<u32> {
        let time = Timestamp::from_seconds(now_seconds as i64);
        let readings = vec![Reading::Unsigned(1); self.definition.sources.len()];
        let sample = Sample { time, readings: &readings };
        rrd::update(&self.definition, &mut self.live, &sample, &mut self.workspace).unwrap();
        let mut pages = BTreeSet::new();
        for rows in self.workspace.final_rows() {
            for _ in 0..rows.count {
                let newest = &mut self.newest[rows.archive];
                *newest = newest.advance(1, self.layout.rows(rows.archive));
                let offset = self.layout.row_offset(rows.archive, *newest);
                let last = offset + self.layout.row_bytes() - 1;
                pages.extend((offset / PAGE_BYTES) as u32..=(last / PAGE_BYTES) as u32);
            }
        }
        pages
    }

    fn newest(&self) -> Vec<u64> {
        self.newest.iter().map(|row| row.0).collect()
    }
}

/// A layout, the initial positions of its rings, and the seconds between updates.
fn a_life() -> impl Strategy<Value = (Definition, Vec<prop::sample::Index>, Vec<u64>)> {
    let archive = (1_u64..400, 1_u64..40);
    let archives = prop::collection::vec(archive, 1..7);
    (1_u64..400, 1_usize..5, archives).prop_flat_map(|(step, sources, archives)| {
        let starts = prop::collection::vec(any::<prop::sample::Index>(), archives.len());
        let gap = prop_oneof![8 => Just(step), 4 => 1..2 * step, 1 => 1..step * 3000];
        let gaps = prop::collection::vec(gap, 1..60);
        (Just(definition(step, sources, &archives)), starts, gaps)
    })
}

proptest! {
    #[test]
    fn an_update_touches_the_pages_that_the_engine_writes((definition, starts, gaps) in a_life()) {
        let shape = Shape::new(&definition, PAGE_BYTES, BlockMap::DataOnly).unwrap();
        let rows = definition.archives.iter().map(|archive| archive.rows as usize);
        let starts: Vec<u64> =
            starts.iter().zip(rows).map(|(start, rows)| start.index(rows) as u64).collect();
        let mut now = 1_000_000_007;
        let mut truth = Truth::new(&definition, now, &starts);
        let mut cursor = Cursor::new(&shape, now, starts);
        for gap in gaps {
            now += gap;
            let mut touched = Vec::new();
            cursor.update(&shape, now, |touch| touched.push(touch));
            let header = shape.header_pages() as usize;
            let live = touched.iter().rev().take_while(|touch| touch.page < shape.header_pages());
            prop_assert!(live.count() > 0);
            prop_assert!(touched[..header].iter().all(|touch| touch.access == Access::Read));
            let written = touched[header..].iter().map(|touch| touch.page);
            let beside_header = |pages: &mut dyn Iterator<Item = u32>| -> BTreeSet<u32> {
                pages.filter(|page| *page >= shape.header_pages()).collect()
            };
            let expected = truth.update(now);
            prop_assert_eq!(
                beside_header(&mut written.into_iter()),
                beside_header(&mut expected.into_iter())
            );
            prop_assert_eq!(cursor.newest_rows(), truth.newest());
        }
    }
}

#[test]
fn an_mrtg_file_is_as_large_as_the_reference_says() {
    let shape = Shape::new(&mrtg(), PAGE_BYTES, BlockMap::Indirect).unwrap();
    assert_eq!(shape.data_pages(), 26);
    assert_eq!(shape.pages(), 28);
    let year = definitions::mrtg_with_rows(365 * 288);
    let shape = Shape::new(&year, PAGE_BYTES, BlockMap::Indirect).unwrap();
    assert_eq!(u64::from(shape.data_pages()) * PAGE_BYTES / 100_000, 17);
}

#[test]
fn an_update_takes_its_pages_in_the_order_of_the_engine() {
    let shape = Shape::new(&mrtg(), PAGE_BYTES, BlockMap::Indirect).unwrap();
    let mut cursor = Cursor::new(&shape, 300 * 1000, vec![400; 8]);
    let mut touched = Vec::new();
    cursor.update(&shape, 300 * 1001, |touch| touched.push(touch));
    let read = |page| Touch { page, access: Access::Read };
    let write = |page| Touch { page, access: Access::Write };
    // Inode, header, row of AVERAGE, indirect block, row of MAX, live part of the header.
    assert_eq!(touched, [write(26), read(0), write(2), read(27), write(14), write(0)]);
}

#[test]
fn the_seasons_of_a_forecast_are_read_whole() {
    let archive = |cf, parameters| Archive { cf, rows: 1000, pdp_per_row: 1, xff: 0.5, parameters };
    let seasonal = rrd::Parameters::Seasonal {
        gamma: 0.1,
        smoothing_window: 0.05,
        window_given: false,
        predict: 0,
        smooth_slot: 0,
    };
    let plain = Archive::plain(ConsolidationFunction::Average, 1000, 1, 0.5);
    let archives = vec![plain, archive(ConsolidationFunction::Seasonal, seasonal)];
    let definition = Definition {
        tick: rrd::Tick::SECOND,
        step_seconds: 300,
        sources: vec![source(0)],
        archives,
    };
    let shape = Shape::new(&definition, PAGE_BYTES, BlockMap::Extents).unwrap();
    let mut reads = Vec::new();
    Cursor::new(&shape, 300, vec![0, 0]).update(&shape, 600, |touch| {
        reads.extend((touch.access == Access::Read).then_some(touch.page));
    });
    assert_eq!(reads, [0, 2, 3, 4]);
}

#[test]
fn a_fleet_polls_each_file_once_a_step() {
    let group = |step, files| {
        let definition = definition(step, 1, &[(100, 1), (100, 12)]);
        Group { shape: Shape::new(&definition, PAGE_BYTES, BlockMap::Extents).unwrap(), files }
    };
    let groups = vec![group(60, 3), group(300, 2)];
    let mut fleet = Fleet::new(groups, 86_400, Scatter::ByChance(1)).unwrap();
    assert_eq!((fleet.files(), fleet.pages()), (5, 5 * 2));
    let mut turns = Vec::new();
    for _ in 0..6 {
        let mut files = Vec::new();
        let now = fleet.cycle(|each| {
            if files.last() != Some(&(each.group, each.file)) {
                files.push((each.group, each.file));
            }
        });
        turns.push((now - 86_400, files));
    }
    let fast = vec![(0, 0), (0, 1), (0, 2)];
    let times: Vec<u64> = turns.iter().map(|(after, _)| *after).collect();
    assert_eq!(times, [60, 120, 180, 240, 300, 300]);
    assert!(turns[..5].iter().all(|(_, files)| *files == fast));
    assert_eq!(turns[5].1, [(1, 0), (1, 1)]);
}

#[test]
fn files_that_arrive_later_take_no_turn_before() {
    let shape =
        Shape::new(&definition(300, 1, &[(100, 1)]), PAGE_BYTES, BlockMap::Extents).unwrap();
    let groups = vec![Group { shape: shape.clone(), files: 1 }, Group { shape, files: 2 }];
    let fleet = Fleet::new(groups, 86_400, Scatter::Together).unwrap();
    let mut fleet = fleet.arriving(vec![86_400, 87_000]);
    let turns = (0..4).map(|_| {
        let (group, due_seconds) = fleet.next_turn();
        assert_eq!(fleet.cycle(|_| ()), due_seconds);
        (group, due_seconds - 86_400)
    });
    assert_eq!(turns.collect::<Vec<_>>(), [(0, 300), (0, 600), (0, 900), (1, 900)]);
}
