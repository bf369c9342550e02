//! What the table keeps from frame to frame.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use egui::{Id, Pos2};
use jiff::tz::TimeZone;

use crate::decode::fields::Path;
use crate::decode::schema::SchemaId;
use crate::engine::{Density, Inventory, Table, TableRequest};
use crate::model::Record;

use super::super::decoding::Reader;
use super::super::format;
use super::super::state::{ColumnKind, TableSort};
use super::bar::Ranks;
use super::caption::failures;
use super::cells::{Cell, Manner, Parts, cell, path_of};
use super::deleted::Deleted;
use super::hits::HitRows;
use super::layout::Layout;
use super::menu::{ColumnsMenu, MenuTexts};
use super::order::sorted;
use super::readers::Readers;

/// Formatted rows that are kept beyond those on screen.
const KEPT: usize = 400;
/// What is decoded in one frame, in bytes; rows beyond that show what was sent, and are made anew in the next.
const DECODED_A_FRAME: usize = 512 * 1024;

/// What the last frame's table cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableCost {
    /// Rows drawn.
    pub rows: usize,
    /// Rows whose cells were made anew.
    pub made: usize,
    /// Bytes that were decoded for them.
    pub decoded: usize,
}

/// A row's cells, made once.
struct Kept {
    record: Arc<Record>,
    cells: Arc<[Cell]>,
    used: u64,
    /// Whether it is still to be decoded.
    is_sent: bool,
}

/// What is said, in short and in full.
type Said = Option<(String, String)>;

/// Rows in the order of another column, of one table.
struct Order {
    table: Arc<Table>,
    sort: TableSort,
    rows: Arc<[usize]>,
}

/// What the table keeps from frame to frame.
#[derive(Default)]
pub struct TableCache {
    shape: Vec<(ColumnKind, usize)>,
    paths: Vec<Option<Path>>,
    has_dates: bool,
    kept: HashMap<usize, Kept>,
    frame: u64,
    order: Option<Order>,
    /// Characters of the largest offset, of which inventory.
    largest: Option<(Arc<Inventory>, usize)>,
    /// What could not be read, of which table.
    failed: Option<(Arc<Table>, Said)>,
    /// What of an empty list is deleted, and what that follows from.
    deleted: Option<(TableRequest, Arc<Inventory>, Arc<Density>, Deleted)>,
    /// The columns whose cells on screen stand at the right.
    right: Vec<ColumnKind>,
    pub(super) readers: Readers,
    /// Which hits are shown, and their numbers.
    pub(super) hits: HitRows,
    /// Where the table stood when it was last there.
    pub(super) ranks: Ranks,
    /// How far the columns are scrolled sideways, and how far they can be.
    pub(super) sideways: (f32, f32),
    /// The first and the last of the engine's rows on screen.
    pub(super) on_screen: Option<(i64, i64)>,
    /// The record on top of the table.
    pub(super) top: Option<Arc<Record>>,
    /// The last row that was at the end of the list while that was on screen, of which jump.
    pub(super) seen_end: Option<(u64, i64)>,
    /// What has the focus in the table.
    pub(super) focused: Option<Id>,
    /// Where the menu of a row was opened, and whether by key.
    pub(super) menu_at: Option<(Pos2, bool)>,
    /// What is copied from that menu, while it is open.
    pub(super) menu_texts: Option<MenuTexts>,
    /// How the rows were decoded.
    reader: Option<Reader>,
    /// Schemas that rows on screen miss.
    pub(super) needs: BTreeSet<SchemaId>,
    /// The menu of columns, while it is open.
    pub(super) columns_menu: Option<ColumnsMenu>,
    /// Whether the field for an address was open.
    pub(super) goto_open: bool,
    pub(super) cost: TableCost,
}

impl TableCache {
    /// What the last frame cost.
    pub fn cost(&self) -> TableCost {
        self.cost
    }

    /// Numbers of the first and the last row on screen, as the engine counts them.
    pub fn on_screen(&self) -> Option<(i64, i64)> {
        self.on_screen
    }

    /// The record on top of the table.
    pub fn top(&self) -> Option<&Arc<Record>> {
        self.top.as_ref()
    }

    /// What of the empty list of `request` is deleted.
    pub(super) fn deleted(
        &mut self,
        request: &TableRequest,
        inventory: &Arc<Inventory>,
        density: &Arc<Density>,
    ) -> &Deleted {
        let known = self.deleted.take().filter(|(of, topics, times, _)| {
            of == request && Arc::ptr_eq(topics, inventory) && Arc::ptr_eq(times, density)
        });
        let known = known.unwrap_or_else(|| {
            let made = Deleted::of(request, inventory, density);
            (
                request.clone(),
                Arc::clone(inventory),
                Arc::clone(density),
                made,
            )
        });
        &self.deleted.insert(known).3
    }

    /// Begins a frame with columns where `layout` says, and parts decoded by `reader`.
    pub(super) fn begin(&mut self, layout: &Layout, reader: Reader) {
        self.needs.clear();
        if !self.reader.as_ref().is_some_and(|of| of.is_same(&reader)) {
            self.kept.clear();
            self.order = None;
        }
        self.reader = Some(reader);
        self.frame = self.frame.wrapping_add(1);
        self.cost = TableCost::default();
        self.sideways = layout.sideways;
        let shape = layout.shape();
        if self.shape != shape || self.has_dates != layout.has_dates {
            self.kept.clear();
            self.paths = shape.iter().map(|(kind, _)| path_of(kind)).collect();
            self.shape = shape;
            self.has_dates = layout.has_dates;
        }
        if self.kept.len() > KEPT {
            let last = self.frame.wrapping_sub(1);
            self.kept.retain(|_, kept| kept.used == last);
        }
    }

    /// The cells of `record`, one for each column.
    pub(super) fn cells(&mut self, record: &Arc<Record>, zone: &TimeZone) -> Arc<[Cell]> {
        // The record is held, so that no other one can come to lie at its address.
        let address = Arc::as_ptr(record).addr();
        let frame = self.frame;
        if let Some(kept) = self.kept.get_mut(&address)
            && Arc::ptr_eq(&kept.record, record)
            && !kept.is_sent
        {
            kept.used = frame;
            return Arc::clone(&kept.cells);
        }
        self.cost.made = self.cost.made.saturating_add(1);
        let parts = self.parts(record);
        let is_sent = parts.is_none();
        let parts = parts.unwrap_or_default();
        self.needs.extend(parts.needs);
        let manner = Manner {
            zone,
            has_dates: self.has_dates,
        };
        let cells: Arc<[Cell]> = self
            .shape
            .iter()
            .zip(&self.paths)
            .map(|((kind, chars), path)| cell(record, &parts, kind, path.as_ref(), *chars, manner))
            .collect();
        let kept = Kept {
            record: Arc::clone(record),
            cells: Arc::clone(&cells),
            used: frame,
            is_sent,
        };
        self.kept.insert(address, kept);
        cells
    }

    /// What the parts of `record` are, as far as its cells need them; `None` when this frame has decoded enough.
    fn parts(&mut self, record: &Record) -> Option<Parts> {
        let kinds = || self.shape.iter().map(|(kind, _)| kind);
        let cost = Parts::cost(record, kinds());
        let spent = self.cost.decoded.saturating_add(cost);
        // The first is always decoded, so that it goes on.
        if spent > DECODED_A_FRAME && self.cost.decoded > 0 {
            return None;
        }
        let parts = match &self.reader {
            Some(reader) => Parts::of(reader, record, kinds()),
            None => Parts::default(),
        };
        self.cost.decoded = spent;
        Some(parts)
    }

    /// Whether rows on screen are still to be decoded.
    pub(super) fn is_unfinished(&self) -> bool {
        let frame = self.frame;
        // Only asked after a frame that reached its bound.
        self.cost.decoded > 0
            && self
                .kept
                .values()
                .any(|kept| kept.is_sent && kept.used == frame)
    }

    /// How many characters the largest offset of the inventory has; the bus's own topics do not count.
    pub(super) fn offset_chars(&mut self, inventory: &Arc<Inventory>) -> usize {
        match &self.largest {
            Some((of, chars)) if Arc::ptr_eq(of, inventory) => *chars,
            _ => {
                let topics = inventory.topics().iter().filter(|topic| !topic.internal);
                let largest = topics
                    .flat_map(|topic| &topic.partitions)
                    .filter_map(|partition| partition.high_watermark.as_ref().ok())
                    .max();
                let chars = largest.map_or(0, |offset| format::offset(*offset).chars().count());
                self.largest = Some((Arc::clone(inventory), chars));
                chars
            }
        }
    }

    /// What could not be read of `table`, in short and in full, worked out once: it may have many partitions.
    pub(super) fn failures(&mut self, table: &Arc<Table>) -> Said {
        let same = self
            .failed
            .as_ref()
            .is_some_and(|(of, _)| Arc::ptr_eq(of, table));
        if !same {
            self.failed = Some((Arc::clone(table), failures(table)));
        }
        self.failed.as_ref().and_then(|(_, said)| said.clone())
    }

    /// Makes the cells of the rows on screen, and notes on which side they stand.
    pub(super) fn look<'r>(
        &mut self,
        records: impl Iterator<Item = &'r Arc<Record>>,
        zone: &TimeZone,
    ) {
        self.right.clear();
        for record in records {
            self.cost.rows = self.cost.rows.saturating_add(1);
            let cells = self.cells(record, zone);
            for (cell, (kind, _)) in cells.iter().zip(&self.shape) {
                if cell.right && !self.right.contains(kind) {
                    self.right.push(kind.clone());
                }
            }
        }
    }

    /// Whether the cells of a column stand at the right.
    pub(super) fn is_right(&self, kind: &ColumnKind) -> bool {
        self.right.contains(kind)
            || matches!(
                kind,
                ColumnKind::Partition | ColumnKind::Offset | ColumnKind::Size
            )
    }

    /// The rows of `table` by another column, worked out once.
    pub(super) fn order(&mut self, table: &Arc<Table>, sort: &TableSort) -> Arc<[usize]> {
        let same = self
            .order
            .as_ref()
            .is_some_and(|order| Arc::ptr_eq(&order.table, table) && order.sort == *sort);
        if !same {
            self.order = Some(Order {
                table: Arc::clone(table),
                sort: sort.clone(),
                rows: match &self.reader {
                    Some(reader) => sorted(reader, &table.rows, sort).into(),
                    None => Arc::from([]),
                },
            });
        }
        self.order
            .as_ref()
            .map_or_else(|| Arc::from([]), |order| Arc::clone(&order.rows))
    }
}
