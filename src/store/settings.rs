//! What the window remembers, each setting by its name.

use std::collections::BTreeMap;

use rusqlite::{TransactionBehavior, params};

use crate::model::{Known, Problem, ProblemKind};

use super::Store;

impl Store {
    /// All settings by name.
    ///
    /// # Errors
    /// They cannot be read.
    pub fn settings(&self) -> Known<BTreeMap<String, String>> {
        let read = || -> rusqlite::Result<BTreeMap<String, String>> {
            let mut statement = self.connection.prepare("SELECT key, value FROM settings")?;
            let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            rows.collect()
        };
        read().map_err(|error| {
            Problem::new(
                ProblemKind::Other,
                format!("settings cannot be read ({error})"),
            )
        })
    }

    /// Writes `settings`, all or none; those of other names stay as they are.
    ///
    /// # Errors
    /// They cannot be written.
    pub fn put_settings(&mut self, settings: &BTreeMap<String, String>) -> Known<()> {
        let mut write = || -> rusqlite::Result<()> {
            let change = self
                .connection
                .transaction_with_behavior(TransactionBehavior::Immediate)?;
            {
                let mut statement = change.prepare(
                    "INSERT INTO settings (key, value) VALUES (?1, ?2)
                     ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                )?;
                for (key, value) in settings {
                    statement.execute(params![key, value])?;
                }
            }
            change.commit()
        };
        write().map_err(|error| {
            Problem::new(
                ProblemKind::Other,
                format!("settings cannot be written ({error})"),
            )
        })
    }
}
