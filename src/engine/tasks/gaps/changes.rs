//! What is new and what has cleared from one look to the next.

use std::collections::BTreeMap;

use crate::engine::finding::FindingChange;
use crate::model::Finding;

/// In how many looks in a row a finding must be absent before it has cleared: what flickers is not told.
const ABSENT: u8 = 2;

/// The findings that were told, by id, and for how many looks each has been absent.
#[derive(Debug, Default)]
pub(super) struct Changes {
    told: BTreeMap<String, (Finding, u8)>,
}

impl Changes {
    /// What changes when `found` is all that there is now. With `is_whole` false something could not be looked at:
    /// nothing clears then.
    pub(super) fn take(&mut self, found: &[Finding], is_whole: bool) -> Vec<FindingChange> {
        let mut changes = Vec::new();
        let present: BTreeMap<&str, &Finding> = found
            .iter()
            .map(|finding| (finding.id.as_str(), finding))
            .collect();
        for finding in found {
            let before = self.told.insert(finding.id.clone(), (finding.clone(), 0));
            if before.is_none() {
                changes.push(FindingChange {
                    is_new: true,
                    finding: finding.clone(),
                });
            }
        }
        if !is_whole {
            return changes;
        }
        self.told.retain(|id, (finding, absent)| {
            if present.contains_key(id.as_str()) {
                return true;
            }
            *absent = absent.saturating_add(1);
            if *absent < ABSENT {
                return true;
            }
            changes.push(FindingChange {
                is_new: false,
                finding: finding.clone(),
            });
            false
        });
        changes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::by_hand;

    fn said(changes: &[FindingChange]) -> Vec<(bool, &str)> {
        changes
            .iter()
            .map(|change| (change.is_new, change.finding.id.as_str()))
            .collect()
    }

    #[test]
    fn a_finding_is_told_once_and_clears_when_it_is_absent_twice() {
        let mut changes = Changes::default();
        let (a, b) = (by_hand::finding("a"), by_hand::finding("b"));
        assert_eq!(
            said(&changes.take(&[a.clone(), b.clone()], true)),
            [(true, "a"), (true, "b")]
        );
        assert_eq!(said(&changes.take(std::slice::from_ref(&b), true)), []);
        assert_eq!(said(&changes.take(&[a.clone(), b.clone()], true)), []);
        assert_eq!(said(&changes.take(std::slice::from_ref(&b), true)), []);
        assert_eq!(
            said(&changes.take(std::slice::from_ref(&b), true)),
            [(false, "a")]
        );
        assert_eq!(said(&changes.take(&[a, b], true)), [(true, "a")]);
    }

    #[test]
    fn what_could_not_be_looked_at_does_not_clear() {
        let mut changes = Changes::default();
        let a = by_hand::finding("a");
        assert_eq!(changes.take(std::slice::from_ref(&a), true).len(), 1);
        for _ in 0..5 {
            assert_eq!(said(&changes.take(&[], false)), []);
        }
        assert_eq!(said(&changes.take(&[], true)), []);
        assert_eq!(said(&changes.take(&[], true)), [(false, "a")]);
    }
}
