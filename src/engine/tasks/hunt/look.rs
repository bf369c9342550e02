//! Whether a record is one that is looked for.

use std::sync::Arc;

use parking_lot::Mutex;

use crate::bus::Sieve as _;
use crate::decode::schema::Schemas;
use crate::decode::value::{Decoded, Decoders, Part, decode_part};
use crate::inspect::filter::{Decode, Filters};
use crate::model::Record;

/// What is looked for, with all that looking needs. Shared by the threads of a search.
#[derive(Debug)]
pub(in crate::engine) struct Look {
    pub(in crate::engine) filters: Arc<Filters>,
    pub(in crate::engine) decoders: Arc<Decoders>,
    pub(in crate::engine) schemas: Arc<dyn Schemas>,
    failures: Mutex<Option<(u64, String)>>,
}

impl Look {
    /// Looks for what passes `filters`.
    pub(in crate::engine) fn new(
        filters: Arc<Filters>,
        decoders: Arc<Decoders>,
        schemas: Arc<dyn Schemas>,
    ) -> Self {
        Self {
            filters,
            decoders,
            schemas,
            failures: Mutex::default(),
        }
    }

    /// Whether `record`, which passed the sieve, is looked for. One on which an expression fails is not, and is
    /// counted.
    pub(in crate::engine) fn keeps(&self, record: &Record) -> bool {
        if self.filters.is_sieve_enough() {
            return true;
        }
        match self.filters.matches(record, self) {
            Ok(kept) => kept,
            Err(why) => {
                let mut failures = self.failures.lock();
                let (count, _) = failures.get_or_insert((0, why));
                *count = count.saturating_add(1);
                false
            }
        }
    }

    /// As [`Look::keeps`], for a record that met no sieve.
    pub(in crate::engine) fn passes(&self, record: &Record) -> bool {
        let passed = self
            .filters
            .passes(record.key.as_deref(), record.value.as_deref());
        passed && self.keeps(record)
    }

    /// On how many records an expression failed, and how it did first; `None` when on none.
    pub(in crate::engine) fn failures(&self) -> Option<(u64, String)> {
        self.failures.lock().clone()
    }
}

impl Decode for Look {
    fn decode(&self, record: &Record, part: Part) -> Decoded {
        decode_part(record, part, &self.decoders, &*self.schemas)
    }
}
