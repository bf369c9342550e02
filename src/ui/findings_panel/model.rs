//! Which findings are listed.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::engine::FindingsView;
use crate::model::{Dismissal, Finding, FindingKind, Text, TopicName};

use super::super::num::u64_from_usize;
use super::super::state::FindingsFilter;

/// What is kept from frame to frame.
#[derive(Debug, Default)]
pub struct FindingsPanel {
    of: Option<Arc<FindingsView>>,
    filter: FindingsFilter,
    group: Option<Text>,
    listed: Vec<usize>,
    normal: u64,
    dismissed: u64,
    kinds: BTreeSet<FindingKind>,
    topics: BTreeSet<TopicName>,
}

impl FindingsPanel {
    /// Lists the findings of `view` that the filter lets through, unless that was done.
    pub fn update(
        &mut self,
        view: &Arc<FindingsView>,
        filter: &FindingsFilter,
        group: Option<&Text>,
    ) {
        let is_same = self.of.as_ref().is_some_and(|of| Arc::ptr_eq(of, view));
        if is_same && self.filter == *filter && self.group.as_ref() == group {
            return;
        }
        self.of = Some(Arc::clone(view));
        self.filter = filter.clone();
        self.group = group.cloned();
        (self.normal, self.dismissed) = (0, 0);
        self.listed.clear();
        self.kinds.clear();
        self.topics.clear();
        let aside = aside(view);
        let findings = view
            .findings
            .as_deref()
            .map(Vec::as_slice)
            .unwrap_or_default();
        for (index, finding) in findings.iter().enumerate() {
            self.kinds.insert(finding.kind);
            self.topics.extend(finding.topic.clone());
            let is_aside = aside.contains(finding.id.as_str());
            self.dismissed = self.dismissed.saturating_add(u64::from(is_aside));
            self.normal = self.normal.saturating_add(u64::from(finding.normal));
            if passes(finding, is_aside, filter, group) {
                self.listed.push(index);
            }
        }
    }

    /// Those that are listed, by their places among all.
    pub fn listed(&self) -> &[usize] {
        &self.listed
    }

    /// The row of the finding with this id.
    pub fn index(&self, findings: &[Finding], id: &str) -> Option<usize> {
        self.listed
            .iter()
            .position(|index| findings.get(*index).is_some_and(|finding| finding.id == id))
    }

    /// How many are explained and normal.
    pub fn normal(&self) -> u64 {
        self.normal
    }

    /// How many were put aside.
    pub fn dismissed(&self) -> u64 {
        self.dismissed
    }

    /// The kinds that were found.
    pub fn kinds(&self) -> &BTreeSet<FindingKind> {
        &self.kinds
    }

    /// The topics that findings are about.
    pub fn topics(&self) -> &BTreeSet<TopicName> {
        &self.topics
    }
}

/// The ids of those that were put aside.
fn aside(view: &FindingsView) -> BTreeSet<&str> {
    let dismissed = view.dismissed.iter();
    dismissed.map(|dismissal| &*dismissal.finding).collect()
}

/// Why a finding was put aside, when it was.
pub fn dismissal<'v>(view: &'v FindingsView, id: &str) -> Option<&'v Dismissal> {
    let mut dismissed = view.dismissed.iter();
    dismissed.find(|dismissal| dismissal.finding == id)
}

/// How many a person should look at.
pub fn attention(view: &FindingsView) -> u64 {
    let aside = aside(view);
    let findings = view
        .findings
        .as_deref()
        .map(Vec::as_slice)
        .unwrap_or_default();
    let wanting = findings
        .iter()
        .filter(|finding| finding.wants_attention() && !aside.contains(finding.id.as_str()));
    u64_from_usize(wanting.count())
}

fn passes(
    finding: &Finding,
    is_aside: bool,
    filter: &FindingsFilter,
    group: Option<&Text>,
) -> bool {
    (filter.normal || !finding.normal)
        && (filter.dismissed || !is_aside)
        && (!filter.only_group || finding.concerns.group() == group)
        && filter.kind.is_none_or(|kind| kind == finding.kind)
        && filter.least.is_none_or(|least| finding.certainty >= least)
        && (filter.topic.is_none() || filter.topic == finding.topic)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Certainty, Concerns, TimestampMs, by_hand};

    fn view() -> Arc<FindingsView> {
        let finding = |id: &str, change: fn(&mut Finding)| {
            let mut finding = by_hand::finding(id);
            finding.topic = Some("t".into());
            change(&mut finding);
            finding
        };
        let findings = vec![
            finding("a", |finding| {
                finding.concerns = Concerns::Group(Text::from("g"));
                finding.certainty = Certainty::Proof;
            }),
            finding("b", |finding| finding.topic = Some("u".into())),
            finding("c", |finding| finding.normal = true),
            finding("d", |finding| finding.certainty = Certainty::Hint),
        ];
        Arc::new(FindingsView {
            findings: Some(Arc::new(findings)),
            dismissed: Arc::new(vec![Dismissal {
                finding: "d".to_owned(),
                reason: "known".to_owned(),
                at: TimestampMs(0),
                user: "ada".to_owned(),
            }]),
            ..FindingsView::default()
        })
    }

    fn listed(filter: &FindingsFilter) -> Vec<usize> {
        let mut panel = FindingsPanel::default();
        panel.update(&view(), filter, Some(&Text::from("g")));
        panel.listed().to_vec()
    }

    #[test]
    fn what_is_normal_or_put_aside_is_listed_when_that_is_asked_for() {
        let all = FindingsFilter::default;
        assert_eq!(listed(&all()), [0, 1]);
        assert_eq!(
            listed(&FindingsFilter {
                normal: true,
                ..all()
            }),
            [0, 1, 2]
        );
        assert_eq!(
            listed(&FindingsFilter {
                dismissed: true,
                ..all()
            }),
            [0, 1, 3]
        );
        assert_eq!(attention(&view()), 2);
    }

    #[test]
    fn each_part_of_the_filter_leaves_the_others_out() {
        let all = FindingsFilter::default;
        assert_eq!(
            listed(&FindingsFilter {
                only_group: true,
                ..all()
            }),
            [0]
        );
        let topic = Some("u".into());
        assert_eq!(listed(&FindingsFilter { topic, ..all() }), [1]);
        let least = Some(Certainty::Proof);
        assert_eq!(listed(&FindingsFilter { least, ..all() }), [0]);
        let kind = Some(FindingKind::Deleted);
        assert_eq!(listed(&FindingsFilter { kind, ..all() }), [] as [usize; 0]);
    }

    #[test]
    fn counts_do_not_depend_on_the_filter() {
        let mut panel = FindingsPanel::default();
        panel.update(&view(), &FindingsFilter::default(), None);
        assert_eq!((panel.normal(), panel.dismissed()), (1, 1));
        assert_eq!(panel.topics().len(), 2);
        let view = view();
        let findings = view.findings.as_deref().unwrap();
        assert_eq!(panel.index(findings, "b"), Some(1));
        assert_eq!(panel.index(findings, "c"), None);
    }
}
