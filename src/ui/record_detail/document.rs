//! All there is to say of a record, as rows: which row is what. Pure.
//!
//! Rows of values are not made here. A block says how many there are, and those on screen are asked for.

use crate::decode::rows::Layout;
use crate::model::{Header, Record};

use super::super::format;
use super::super::num::{u64_from_usize, usize_from_u64};
use super::super::state::detail::{Part, Section};
use super::decoding::{Decoding, FormatLine};
use super::facts::{BETWEEN, Fact};
use super::headers::{self, Run};
use super::part::PartView;
use super::readers::{ReaderLine, fold_sentence};

/// What is worked out of a record, kept until something it comes from changes.
#[derive(Debug, Default)]
pub(super) struct Content {
    /// Facts, by line.
    pub facts: Vec<Vec<Fact>>,
    /// That it is gone, by line.
    pub gone: Vec<String>,
    /// Who has read it.
    pub readers: Vec<ReaderLine>,
    /// Its value.
    pub value: PartRows,
    /// Its key.
    pub key: PartRows,
    /// Its headers.
    pub headers: Vec<Run>,
}

/// A part with what is said about it.
#[derive(Debug, Default)]
pub(super) struct PartRows {
    /// Its rows.
    pub view: PartView,
    /// What it was decoded to.
    pub decoding: Decoding,
    /// What the line below its heading says.
    pub format: Option<FormatLine>,
    /// Why it could not be decoded, by line.
    pub errors: Vec<String>,
    /// A word in place of the rows, by line: null, empty.
    pub words: Vec<String>,
    /// Remarks above the rows, by line.
    pub notes: Vec<String>,
}

impl Content {
    /// A part.
    pub(super) fn part(&self, part: Part) -> &PartRows {
        match part {
            Part::Value => &self.value,
            Part::Key => &self.key,
        }
    }

    /// A part, to be changed.
    pub(super) fn part_mut(&mut self, part: Part) -> &mut PartRows {
        match part {
            Part::Value => &mut self.value,
            Part::Key => &mut self.key,
        }
    }
}

/// Rows of one kind that follow one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Block {
    Facts,
    Gone,
    Readers,
    Gap,
    Heading,
    /// What a part was read as.
    Format(Part),
    /// Why a part could not be decoded.
    Errors(Part),
    Notes(Part),
    Words(Part),
    Laid(Part),
    /// Headers of a row each, from this one on.
    Headers(usize),
    /// The name of this header.
    HeaderName(usize),
    /// The rows of the header of this run.
    HeaderLaid(usize),
    NoHeaders,
}

#[derive(Clone, Copy, Debug)]
struct Placed {
    block: Block,
    section: Section,
    start: u64,
    rows: u64,
}

/// What a row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Spot {
    /// Its block.
    pub block: Block,
    /// Which row of the block it is.
    pub index: u64,
    /// Its section.
    pub section: Section,
    /// Which row of the section it is.
    pub in_section: u64,
}

/// The order of everything.
#[derive(Debug, Default)]
pub(super) struct Document {
    blocks: Vec<Placed>,
    rows: u64,
}

impl Document {
    /// The order of `content`.
    pub(super) fn new(content: &Content) -> Self {
        let mut document = Self::default();
        let mut add = |section, block, rows: u64| {
            if rows == 0 {
                return;
            }
            document.blocks.push(Placed {
                block,
                section,
                start: document.rows,
                rows,
            });
            document.rows = document.rows.saturating_add(rows);
        };
        let count = u64_from_usize;
        add(Section::Facts, Block::Facts, count(content.facts.len()));
        add(Section::Facts, Block::Gone, count(content.gone.len()));
        add(Section::Facts, Block::Gap, 1);
        let readers = count(content.readers.len());
        add(Section::Readers, Block::Readers, readers);
        add(Section::Readers, Block::Gap, 1);
        for (section, part) in [(Section::Value, Part::Value), (Section::Key, Part::Key)] {
            let rows = content.part(part);
            add(section, Block::Heading, 1);
            add(
                section,
                Block::Format(part),
                u64::from(rows.format.is_some()),
            );
            add(section, Block::Words(part), count(rows.words.len()));
            add(section, Block::Errors(part), count(rows.errors.len()));
            add(section, Block::Notes(part), count(rows.notes.len()));
            add(section, Block::Laid(part), rows.view.rows());
            add(section, Block::Gap, 1);
        }
        add(Section::Headers, Block::Heading, 1);
        for (index, run) in content.headers.iter().enumerate() {
            match run {
                Run::Rows(first, rows) => {
                    add(Section::Headers, Block::Headers(*first), count(*rows));
                }
                Run::Long(header, layout) => {
                    add(Section::Headers, Block::HeaderName(*header), 1);
                    add(Section::Headers, Block::HeaderLaid(index), layout.rows());
                }
            }
        }
        if content.headers.is_empty() {
            add(Section::Headers, Block::NoHeaders, 1);
        }
        add(Section::Headers, Block::Gap, 1);
        document
    }

    /// How many rows there are.
    pub(super) fn rows(&self) -> u64 {
        self.rows
    }

    /// What `row` is; `None` beyond the end.
    pub(super) fn spot(&self, row: u64) -> Option<Spot> {
        let after = self.blocks.partition_point(|placed| placed.start <= row);
        let placed = self.blocks.get(after.checked_sub(1)?)?;
        let index = row.checked_sub(placed.start)?;
        (index < placed.rows).then(|| Spot {
            block: placed.block,
            index,
            section: placed.section,
            in_section: row.saturating_sub(self.start_of(placed.section)),
        })
    }

    /// The first row of a section.
    pub(super) fn start_of(&self, section: Section) -> u64 {
        self.blocks
            .iter()
            .find(|placed| placed.section >= section)
            .map_or(0, |placed| placed.start)
    }

    /// How many rows a section has.
    pub(super) fn rows_of(&self, section: Section) -> u64 {
        let of_it = self
            .blocks
            .iter()
            .filter(|placed| placed.section == section);
        of_it.map(|placed| placed.rows).fold(0, u64::saturating_add)
    }
}

/// The layout that a block's rows come from.
pub(super) fn layout_of(content: &Content, block: Block) -> Option<&Layout> {
    match block {
        Block::Laid(part) => content.part(part).view.layout(),
        Block::HeaderLaid(run) => match content.headers.get(run)? {
            Run::Long(_, layout) => Some(layout),
            Run::Rows(..) => None,
        },
        _ => None,
    }
}

/// The header that a row belongs to, by its number.
pub(super) fn header_at(content: &Content, spot: &Spot) -> Option<usize> {
    match spot.block {
        Block::Headers(first) => Some(first.saturating_add(usize_from_u64(spot.index))),
        Block::HeaderName(header) => Some(header),
        Block::HeaderLaid(run) => match content.headers.get(run)? {
            Run::Long(header, _) => Some(*header),
            Run::Rows(..) => None,
        },
        _ => None,
    }
}

/// What stands in a row that is not one of a value, in words.
pub(super) fn words_at(content: &Content, record: &Record, spot: &Spot) -> String {
    let index = usize_from_u64(spot.index);
    let line = |lines: &[String]| lines.get(index).cloned().unwrap_or_default();
    match spot.block {
        Block::Facts => {
            let facts = content.facts.get(index).map(Vec::as_slice);
            let texts: Vec<&str> = facts
                .unwrap_or_default()
                .iter()
                .map(|fact| fact.text.as_str())
                .collect();
            texts.join(BETWEEN)
        }
        Block::Gone => line(&content.gone),
        Block::Readers => content
            .readers
            .get(index)
            .map(reader_words)
            .unwrap_or_default(),
        Block::Notes(part) => line(&content.part(part).notes),
        Block::Errors(part) => line(&content.part(part).errors),
        Block::Format(part) => format_words(content.part(part).format.as_ref()),
        Block::Words(part) => line(&content.part(part).words),
        Block::Headers(_) | Block::HeaderName(_) => header_at(content, spot)
            .and_then(|header| record.headers.get(header))
            .map(|header| header_words(header, matches!(spot.block, Block::Headers(_))))
            .unwrap_or_default(),
        Block::NoHeaders => "no headers".to_owned(),
        Block::Gap | Block::Heading | Block::Laid(_) | Block::HeaderLaid(_) => String::new(),
    }
}

fn reader_words(line: &ReaderLine) -> String {
    match line {
        ReaderLine::Group(name, reading) => {
            format!("{} {}", format::group_name(name, 120), reading.sentence())
        }
        ReaderLine::Fold { fold, count, .. } => fold_sentence(*fold, *count),
        ReaderLine::Note(text, _) => text.clone(),
    }
}

/// What the line below a heading says, in words.
pub(super) fn format_words(line: Option<&FormatLine>) -> String {
    match line {
        Some(FormatLine::Read { title, why }) if why.is_empty() => format!("Read as {title}"),
        Some(FormatLine::Read { title, why }) => format!("Read as {title}: {why}"),
        Some(FormatLine::Large { .. }) => "Not decoded: it is larger than 1 MB".to_owned(),
        Some(FormatLine::Working) => "Decoding…".to_owned(),
        None => String::new(),
    }
}

fn header_words(header: &Header, with_value: bool) -> String {
    let name = headers::name_of(header, 120);
    if with_value {
        format!("{name} {}", headers::value_of(header).text())
    } else {
        name
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::decode::rows::Form;
    use crate::model::Text;
    use crate::ui::state::detail::Look;

    fn content() -> Content {
        let mut view = PartView::new(Some(Bytes::from_static(b"a\nb\nc")), 40);
        view.prepare(None, None, 1_000);
        let headers = [
            ("h", "1"),
            ("h", "2"),
            ("long", "0123456789012345678901234567"),
        ];
        let headers: Vec<Header> = headers
            .iter()
            .map(|(name, value)| Header {
                name: Text::from(*name),
                value: Some(Bytes::from_static(value.as_bytes())),
            })
            .collect();
        let mut runs = headers::runs(&headers, 20);
        for run in &mut runs {
            if let Run::Long(_, layout) = run {
                layout.advance(1_000);
            }
        }
        Content {
            facts: vec![vec![], vec![]],
            readers: vec![ReaderLine::Note("nobody".to_owned(), false)],
            value: PartRows {
                view,
                ..PartRows::default()
            },
            key: PartRows {
                words: vec!["null".to_owned()],
                ..PartRows::default()
            },
            headers: runs,
            ..Content::default()
        }
    }

    #[test]
    fn every_row_is_found() {
        let content = content();
        assert_eq!(content.value.view.look(), Some(Look::Raw(Form::Text)));
        let document = Document::new(&content);
        let found: Vec<(Block, u64, u64)> = (0..document.rows())
            .filter_map(|row| document.spot(row))
            .map(|spot| (spot.block, spot.index, spot.in_section))
            .collect();
        assert_eq!(
            found,
            [
                (Block::Facts, 0, 0),
                (Block::Facts, 1, 1),
                (Block::Gap, 0, 2),
                (Block::Readers, 0, 0),
                (Block::Gap, 0, 1),
                (Block::Heading, 0, 0),
                (Block::Laid(Part::Value), 0, 1),
                (Block::Laid(Part::Value), 1, 2),
                (Block::Laid(Part::Value), 2, 3),
                (Block::Gap, 0, 4),
                (Block::Heading, 0, 0),
                (Block::Words(Part::Key), 0, 1),
                (Block::Gap, 0, 2),
                (Block::Heading, 0, 0),
                (Block::Headers(0), 0, 1),
                (Block::Headers(0), 1, 2),
                (Block::HeaderName(2), 0, 3),
                (Block::HeaderLaid(1), 0, 4),
                (Block::HeaderLaid(1), 1, 5),
                (Block::Gap, 0, 6),
            ]
        );
        assert_eq!(document.spot(20), None);
        assert_eq!(document.start_of(Section::Key), 10);
        assert_eq!(document.rows_of(Section::Headers), 7);
        let last = document.spot(18);
        assert_eq!(last.and_then(|spot| header_at(&content, &spot)), Some(2));
    }
}
