//! The rules by which a row comes to its place, and what a person must be told of it.

use crate::model::{Bookmark, Known, Offset, Problem, ProblemKind};
use crate::rewind::target::{Target, UndoRow};
use crate::rewind::words::{count, offset as place};

use super::{Aim, Contents, Direction, Row, RowFacts, Wanted, Warning, WarningKind};

impl Row {
    /// The row that `wanted` comes to. What cannot be resolved stays where it is and says why; nothing is put
    /// into range. `with_metadata` keeps what lies beside the offset of another group's bookmark.
    pub fn new(wanted: &Wanted, facts: RowFacts, with_metadata: bool) -> Self {
        let mut warnings = Vec::new();
        let mut facts = grown(facts, &wanted.target);
        facts.committed = facts.committed.and_then(sound_bookmark);
        let to = resolve(&wanted.target, wanted, &facts, &mut warnings).map(|to| {
            let exact = matches!(wanted.target, Target::Before { .. })
                || with_metadata && matches!(wanted.target, Target::Group(_));
            as_written(to, &facts, exact)
        });
        let row = Self {
            at: wanted.at.clone(),
            topic_id: facts.topic_id,
            from: facts.committed,
            to,
            log_start: facts.log_start,
            end: facts.end,
            retention_ms: facts.retention_ms,
            contents: Contents::default(),
            warnings,
        };
        row.bounded()
    }

    /// The same row from where the group stands now, its place left as it is. What lies between is bounded
    /// anew when it has become another stretch.
    #[must_use]
    pub fn from_now(mut self, facts: &RowFacts) -> Self {
        let before = self.clone();
        self.from.clone_from(&facts.committed);
        if facts.log_start.is_ok() {
            self.log_start.clone_from(&facts.log_start);
        }
        if facts.end.is_ok() {
            self.end.clone_from(&facts.end);
        }
        if self.stretch() == before.stretch() {
            self
        } else {
            self.bounded().recalling(&before)
        }
    }

    /// The row with what was found between the places of `before`, an earlier one of the same partition, as far
    /// as it is still true: all of it between the same places, the first record where they begin alike.
    #[must_use]
    pub fn recalling(mut self, before: &Self) -> Self {
        let (Some(now), Some(then)) = (self.stretch(), before.stretch()) else {
            return self;
        };
        if now == then {
            return self.with_contents(before.contents.clone());
        }
        if now.0 == then.0 {
            self.contents.first.clone_from(&before.contents.first);
            self.contents.looked_at = before.contents.looked_at;
        }
        self
    }

    /// The direction in which it moves.
    pub fn direction(&self) -> Direction {
        match (&self.from, &self.to) {
            (Err(_), _) | (_, Err(_)) | (Ok(None), Ok(None)) => Direction::Stay,
            (Ok(None), Ok(Some(_))) => Direction::Begin,
            (Ok(Some(_)), Ok(None)) => Direction::Delete,
            (Ok(Some(from)), Ok(Some(to))) => match to.offset.cmp(&from.offset) {
                std::cmp::Ordering::Less => Direction::Back,
                std::cmp::Ordering::Equal => Direction::Stay,
                std::cmp::Ordering::Greater => Direction::Skip,
            },
        }
    }

    /// Whether anything is written for it.
    pub fn changes(&self) -> bool {
        matches!((&self.from, &self.to), (Ok(from), Ok(to)) if from != to)
    }

    /// The offsets between its two places that may hold records, the last one not included; `None` when there
    /// are none.
    pub fn stretch(&self) -> Option<(Offset, Offset)> {
        let (Ok(Some(from)), Ok(Some(to))) = (&self.from, &self.to) else {
            return None;
        };
        let (Ok(start), Ok(end)) = (&self.log_start, &self.end) else {
            return None;
        };
        let first = from.offset.min(to.offset).max(*start);
        let last = from.offset.max(to.offset).min(*end);
        (first < last).then_some((first, last))
    }

    /// The row with what was found between its places.
    #[must_use]
    pub fn with_contents(mut self, contents: Contents) -> Self {
        self.contents = contents;
        // A record that only some readers are given makes the count a bound for the others.
        self.contents.exact &= self.contents.withdrawn == 0;
        self.warned()
    }

    /// Bounds what lies between by its offsets.
    fn bounded(mut self) -> Self {
        let records = self
            .stretch()
            .and_then(|(from, to)| to.since(from))
            .unwrap_or(0);
        self.contents = Contents {
            records,
            exact: records == 0,
            ..Contents::default()
        };
        self.warned()
    }

    /// Says anew what follows from the bookmark and from what lies between.
    fn warned(mut self) -> Self {
        self.warnings.retain(|warning| {
            matches!(
                (warning.kind, warning.of_target),
                (WarningKind::NoLaterRecord, _) | (WarningKind::BelowLogStart, true)
            )
        });
        let mut told: Vec<(WarningKind, String)> = Vec::new();
        let ends = self.log_start.as_ref().ok().zip(self.end.as_ref().ok());
        if let (Ok(from), Some((start, end))) = (&self.from, ends) {
            told.extend(of_bookmark(from.as_ref(), *start, *end));
        }
        let contents = &self.contents;
        let offsets = self
            .stretch()
            .and_then(|(from, to)| to.since(from))
            .unwrap_or(0);
        if self.direction() == Direction::Skip && offsets > 0 {
            told.push((
                WarningKind::Skip,
                format!("{} passed without being read", records(contents)),
            ));
        }
        let counted = contents.exact || contents.withdrawn > 0;
        let holes = offsets.saturating_sub(contents.records);
        if counted && holes > 0 {
            told.push((
                WarningKind::Holes,
                format!(
                    "{holes} of the {offsets} offsets in between hold no record: transaction markers, or removed by compaction",
                    holes = count(holes),
                    offsets = count(offsets),
                ),
            ));
        }
        if contents.withdrawn > 0 {
            told.push((
                WarningKind::Holes,
                format!(
                    "{} of these were withdrawn (aborted): careful readers are not given them",
                    contents.withdrawn
                ),
            ));
        }
        if contents.out_of_order == Some(true) {
            told.push((
                WarningKind::OutOfOrder,
                "their times are not in order: a place chosen by time may leave out records of that time that lie before it".to_owned(),
            ));
        }
        self.warnings
            .extend(told.into_iter().map(|(kind, detail)| Warning {
                kind,
                detail,
                of_target: false,
            }));
        self
    }
}

/// A number of records, as far as it is known.
fn records(contents: &Contents) -> String {
    let bound = if contents.exact { "" } else { "up to " };
    match contents.records {
        1 => format!("{bound}1 record is"),
        many => format!("{bound}{} records are", count(many)),
    }
}

fn of_bookmark(
    from: Option<&Bookmark>,
    start: Offset,
    end: Offset,
) -> Option<(WarningKind, String)> {
    let Some(from) = from.map(|from| from.offset) else {
        return Some((
            WarningKind::NoBookmark,
            "the group never committed here: its own settings decide where it begins until then"
                .to_owned(),
        ));
    };
    if let Some(gone) = start.since(from).filter(|gone| *gone > 0) {
        return Some((
            WarningKind::BelowLogStart,
            format!(
                "its bookmark {from} lies before the log start {start}: up to {gone} records between them are deleted and cannot run again",
                from = place(from),
                start = place(start),
                gone = count(gone),
            ),
        ));
    }
    (from > end).then(|| {
        (
            WarningKind::BeyondEnd,
            format!(
                "its bookmark {} lies beyond the end of the log ({})",
                place(from),
                place(end)
            ),
        )
    })
}

/// What is written for a place. A bookmark whose offset stays is left as it is, with what lies beside it.
fn as_written(to: Option<Bookmark>, facts: &RowFacts, exact: bool) -> Option<Bookmark> {
    if exact {
        return to;
    }
    let to = to?;
    match &facts.committed {
        Ok(Some(from)) if from.offset == to.offset => Some(from.clone()),
        _ => Some(Bookmark::plain(to.offset)),
    }
}

/// By how many records a log may have grown between two questions of one plan; a larger number that comes as an
/// offset is something else.
const GROWTH: u64 = 1_000_000;

/// The facts, the log being as long as a record that was found proves: its end was read before.
fn grown(mut facts: RowFacts, target: &Target) -> RowFacts {
    if let (Target::Time(_), Some(Ok(Aim::Found(found))), Ok(end)) =
        (target, &facts.aim, &facts.end)
        && found.since(*end).is_some_and(|more| more < GROWTH)
    {
        facts.end = Ok(found.next());
    }
    facts
}

fn resolve(
    target: &Target,
    wanted: &Wanted,
    facts: &RowFacts,
    warnings: &mut Vec<Warning>,
) -> Known<Option<Bookmark>> {
    let start = sound(facts.log_start.clone()?)?;
    let end = sound(facts.end.clone()?)?;
    let from = facts.committed.clone()?;
    if end < start {
        return Err(malformed(start, end));
    }
    let in_range = |offset: Offset| {
        if start <= offset && offset <= end {
            Ok(Some(Bookmark::plain(offset)))
        } else {
            Err(Problem::new(
                ProblemKind::Invalid,
                format!(
                    "offset {} is out of range: this partition holds {} to {}",
                    place(offset),
                    place(start),
                    place(end)
                ),
            ))
        }
    };
    let mut warn = |kind, detail: String| {
        warnings.push(Warning {
            kind,
            detail,
            of_target: true,
        });
    };
    match target {
        Target::Earliest => in_range(start),
        Target::Latest => in_range(end),
        Target::Offset(offset) => in_range(*offset),
        Target::Shift(by) => {
            let from = from.as_ref().ok_or_else(|| {
                Problem::new(
                    ProblemKind::Invalid,
                    "the group never committed here, so there is nothing to count from",
                )
            })?;
            let moved = from.offset.moved(*by).ok_or_else(|| {
                Problem::new(ProblemKind::Invalid, "that many records do not exist")
            })?;
            in_range(moved)
        }
        Target::Time(_) => match facts.aim.clone().ok_or_else(unasked)?? {
            Aim::Found(offset) => {
                if offset == start && start > Offset(0) {
                    warn(
                        WarningKind::BelowLogStart,
                        format!(
                            "the log starts at {start}: what was written before it is deleted and cannot run again",
                            start = place(start)
                        ),
                    );
                }
                in_range(sound(offset)?)
            }
            Aim::NoLaterRecord => {
                warn(
                    WarningKind::NoLaterRecord,
                    format!(
                        "no record is at or after that time: it goes to the end of the log ({end})",
                        end = place(end)
                    ),
                );
                in_range(end)
            }
            Aim::Bookmark(_) => Err(unasked()),
        },
        Target::Group(other) => match facts.aim.clone().ok_or_else(unasked)?? {
            Aim::Bookmark(Some(bookmark)) => {
                in_range(bookmark.offset)?;
                Ok(Some(bookmark))
            }
            Aim::Bookmark(None) => Err(Problem::new(
                ProblemKind::NotFound,
                format!("{} never committed here", other.lossy()),
            )),
            Aim::Found(_) | Aim::NoLaterRecord => Err(unasked()),
        },
        Target::Table(rows) => {
            let row = rows.iter().find(|(at, _)| *at == wanted.at);
            let (_, offset) = row.ok_or_else(unasked)?;
            in_range(*offset)
        }
        Target::Before { rows, .. } => {
            let row = rows.iter().find(|row| row.at == wanted.at);
            let to = undone(row.ok_or_else(unasked)?, from.as_ref(), facts)?;
            if let Some(detail) = deleted_by_now(to.as_ref(), start) {
                warn(WarningKind::BelowLogStart, detail);
            }
            Ok(to)
        }
    }
}

/// What is said of an old bookmark that lies before the log start: it is given back all the same, as it was.
fn deleted_by_now(to: Option<&Bookmark>, start: Offset) -> Option<String> {
    let to = to.filter(|to| to.offset < start)?;
    Some(format!(
        "its old bookmark {} lies before the log start {}: what is between them is deleted",
        place(to.offset),
        place(start)
    ))
}

/// What undoing gives back, compared with where the group stands now.
fn undone(row: &UndoRow, present: Option<&Bookmark>, facts: &RowFacts) -> Known<Option<Bookmark>> {
    let refused = |why: String| Err(Problem::new(ProblemKind::Invalid, why));
    if row.topic_id.is_some() && facts.topic_id.is_some() && row.topic_id != facts.topic_id {
        return refused(
            "the topic was made anew since: its offsets mean other records now".to_owned(),
        );
    }
    let restored = Ok(row.before.clone());
    if same_place(present, row.after.as_ref()) || same_place(present, row.before.as_ref()) {
        return restored;
    }
    match (&row.before, &row.after, present) {
        (Some(before), Some(after), Some(present)) if after.offset < before.offset => {
            if present.offset < before.offset {
                return restored;
            }
            let again = present.offset.since(before.offset).unwrap_or(0);
            refused(format!(
                "the group is already past {}: undoing would run {again} records again; a rewind to offset:{} does that",
                place(before.offset),
                before.offset,
                again = count(again)
            ))
        }
        (Some(before), Some(after), Some(present)) if present.offset < after.offset => {
            refused(format!(
                "the bookmark was moved back from {} to {} since, by something else: rewind it to where it is to be (before the change it was at {})",
                place(after.offset),
                place(present.offset),
                place(before.offset)
            ))
        }
        (Some(before), _, Some(present)) => {
            let again = present.offset.since(before.offset).unwrap_or(0);
            refused(format!(
                "the group went on since: undoing would run up to {again} records again; a rewind to offset:{} does that",
                before.offset,
                again = count(again)
            ))
        }
        (Some(_), _, None) => restored,
        (None, _, Some(present)) => refused(format!(
            "the group went on to {} since: deleting its bookmark would lose that place",
            present.offset
        )),
        (None, _, None) => Ok(None),
    }
}

fn same_place(a: Option<&Bookmark>, b: Option<&Bookmark>) -> bool {
    a.map(|a| (a.offset, &a.metadata)) == b.map(|b| (b.offset, &b.metadata))
}

fn sound_bookmark(bookmark: Option<Bookmark>) -> Known<Option<Bookmark>> {
    if let Some(bookmark) = &bookmark {
        sound(bookmark.offset)?;
    }
    Ok(bookmark)
}

/// An offset that can be one: buses also speak of places by negative numbers, which are none.
fn sound(offset: Offset) -> Known<Offset> {
    if offset < Offset(0) {
        return Err(Problem::new(
            ProblemKind::Malformed,
            format!("the bus answered {offset}, which is no offset"),
        ));
    }
    Ok(offset)
}

fn malformed(start: Offset, end: Offset) -> Problem {
    Problem::new(
        ProblemKind::Malformed,
        format!("the bus says that the log starts at {start} and ends at {end}"),
    )
}

fn unasked() -> Problem {
    Problem::new(
        ProblemKind::Other,
        "what the target comes to here was not answered",
    )
}
