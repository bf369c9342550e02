//! The table of `cluster`.

use std::io::{self, Write};

use jiff::tz::TimeZone;

use crate::cli::json::ClusterView;
use crate::cli::table::{Side, Table};
use crate::cli::text::{UNKNOWN, known, visible};

use super::{Notice, Shown};

impl Shown for ClusterView<'_> {
    fn notices(&self) -> Vec<Notice> {
        Vec::new()
    }

    fn tables(&self, _zone: &TimeZone, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "Cluster     {}", known(self.cluster_id, visible))?;
        let controller = self
            .controller
            .map_or_else(|| "none".to_owned(), |id| id.0.to_string());
        writeln!(out, "Controller  {controller}\n")?;
        let mut table = Table::new(&[
            ("BROKER", Side::Right),
            ("HOST", Side::Left),
            ("PORT", Side::Right),
            ("RACK", Side::Left),
        ]);
        for broker in &self.brokers {
            table.row([
                broker.id.0.to_string(),
                visible(broker.host),
                broker.port.to_string(),
                broker.rack.map_or_else(|| "none".to_owned(), visible),
            ]);
        }
        if table.is_empty() {
            return writeln!(out, "{UNKNOWN} the cluster named no brokers");
        }
        table.write(out)
    }
}
