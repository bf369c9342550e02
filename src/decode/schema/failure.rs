//! Where and why bytes do not follow their schema.

use std::fmt::Write as _;

/// Why bytes do not follow their schema, and where.
#[derive(Debug)]
pub(super) struct Failure {
    /// The first byte of what could not be read.
    at: usize,
    what: String,
    /// The way to the field, innermost first.
    path: Vec<Step>,
}

#[derive(Debug)]
enum Step {
    Field(String),
    Item(u64),
}

impl Failure {
    pub(super) fn new(at: usize, what: impl Into<String>) -> Self {
        Self {
            at,
            what: what.into(),
            path: Vec::new(),
        }
    }

    /// The same, in this field of what is around.
    #[must_use]
    pub(super) fn in_field(mut self, name: &str) -> Self {
        self.path.push(Step::Field(name.to_owned()));
        self
    }

    /// The same, in this item of what is around.
    #[must_use]
    pub(super) fn in_item(mut self, index: u64) -> Self {
        self.path.push(Step::Item(index));
        self
    }

    /// In a sentence.
    pub(super) fn sentence(&self) -> String {
        let mut place = String::new();
        for step in self.path.iter().rev() {
            match step {
                Step::Field(name) => {
                    if !place.is_empty() {
                        place.push('.');
                    }
                    place.push_str(name);
                }
                // Writing to a String cannot fail.
                Step::Item(index) => write!(place, "[{index}]").unwrap_or_default(),
            }
        }
        if place.is_empty() {
            format!("at byte {}: {}", self.at, self.what)
        } else {
            format!("at byte {}, in {place}: {}", self.at, self.what)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_to_a_field_is_written_from_the_outside_in() {
        let failure = Failure::new(17, "3 bytes are missing");
        assert_eq!(failure.sentence(), "at byte 17: 3 bytes are missing");
        let failure = failure.in_field("sku").in_item(3).in_field("lines");
        assert_eq!(
            failure.sentence(),
            "at byte 17, in lines[3].sku: 3 bytes are missing"
        );
    }
}
