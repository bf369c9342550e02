//! The lines of the table: a row for each partition in scope or left out, and below it what must be told of it,
//! in full. Made anew when plan or scope change. Pure.

use std::sync::Arc;

use crate::model::TopicPartition;
use crate::rewind::plan::{Plan, Totals};

use super::super::state::UiState;

/// A line of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// A row of the plan, by its number.
    Row(usize),
    /// A partition that is left out.
    LeftOut(TopicPartition),
    /// Something that must be told of the row above it, or of the plan.
    Note(String),
}

/// What is kept between frames.
#[derive(Debug, Default)]
pub struct RewindPanel {
    of: Option<(Arc<Plan>, u64)>,
    /// The lines.
    pub lines: Vec<Line>,
    /// What the plan comes to.
    pub totals: Totals,
}

impl RewindPanel {
    /// Brings the lines up to date.
    pub fn update(&mut self, plan: &Arc<Plan>, state: &UiState) {
        let number = state.rewind.request.as_ref().map_or(0, |request| request.0);
        let is_known = self
            .of
            .as_ref()
            .is_some_and(|(of, at)| Arc::ptr_eq(of, plan) && *at == number);
        if is_known {
            return;
        }
        self.of = Some((Arc::clone(plan), number));
        self.totals = plan.totals();
        self.lines.clear();
        self.lines.extend(
            plan.problems
                .iter()
                .map(|problem| Line::Note(problem.to_string())),
        );
        let mut left_out = state.rewind.draft.left_out.iter().peekable();
        for (index, row) in plan.rows.iter().enumerate() {
            while let Some(at) = left_out.next_if(|at| **at < row.at) {
                self.lines.push(Line::LeftOut(at.clone()));
            }
            if left_out.peek() == Some(&&row.at) {
                left_out.next();
            }
            self.lines.push(Line::Row(index));
            if let Err(problem) = &row.to {
                self.lines.push(Line::Note(format!("stays: {problem}")));
            }
            let told = row.warnings.iter().map(|warning| warning.detail.clone());
            self.lines.extend(told.map(Line::Note));
            if let Some(problem) = &row.contents.problem {
                let text =
                    format!("its records could not be read, so they are not counted: {problem}");
                self.lines.push(Line::Note(text));
            }
        }
        self.lines
            .extend(left_out.map(|at| Line::LeftOut(at.clone())));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Bookmark, Offset, Problem, ProblemKind, Text, TimestampMs};
    use crate::rewind::plan::{Contents, Row, Warning, WarningKind};
    use crate::ui::state::rewind::TargetKind;
    use crate::ui::state::{Msg, RewindMsg, ViewRange};

    fn row(partition: i32, to: Result<i64, &str>, warning: Option<&str>) -> Row {
        Row {
            at: TopicPartition::new("orders", partition),
            topic_id: None,
            from: Ok(Some(Bookmark::plain(Offset(50)))),
            to: to
                .map(|to| Some(Bookmark::plain(Offset(to))))
                .map_err(|why| Problem::new(ProblemKind::NoLeader, why)),
            log_start: Ok(Offset(0)),
            end: Ok(Offset(100)),
            retention_ms: None,
            contents: Contents {
                records: 10,
                exact: true,
                ..Contents::default()
            },
            warnings: warning
                .map(|detail| Warning {
                    kind: WarningKind::Holes,
                    of_target: false,
                    detail: detail.to_owned(),
                })
                .into_iter()
                .collect(),
        }
    }

    #[test]
    fn what_must_be_told_stands_in_full_below_its_row_and_nothing_is_dropped() {
        let plan = Arc::new(Plan {
            group: Text::from("billing"),
            target: String::new(),
            rows: vec![
                row(0, Ok(40), Some("some offsets hold no record")),
                row(2, Err("nobody leads it"), None),
            ],
            problems: vec![Problem::new(ProblemKind::NotFound, "there is no topic x")],
            read_at: TimestampMs(0),
            new_group: false,
            undoes: None,
        });
        let mut state = UiState {
            group: Some(Text::from("billing")),
            ..UiState::default()
        };
        let out = |partition| TopicPartition::new("orders", partition);
        for msg in [
            RewindMsg::Kind(TargetKind::Earliest),
            RewindMsg::Include(vec![out(1), out(3)], false),
        ] {
            state.apply(Msg::Rewind(msg), ViewRange::new(0.0, 1.0));
        }
        let mut panel = RewindPanel::default();
        panel.update(&plan, &state);
        assert_eq!(
            panel.lines,
            vec![
                Line::Note("there is no topic x".into()),
                Line::Row(0),
                Line::Note("some offsets hold no record".into()),
                Line::LeftOut(out(1)),
                Line::Row(1),
                Line::Note("stays: nobody leads it".into()),
                Line::LeftOut(out(3)),
            ]
        );
        assert_eq!((panel.totals.again, panel.totals.unresolved), (10, 1));
    }
}
