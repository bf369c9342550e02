//! What the field's words mean, each in one sentence: for hints wherever a word stands alone.

/// Each word in lower case, and what it means.
const WORDS: [(&str, &str); 46] = [
    (
        "aborted",
        "The producer took the record back by aborting its transaction; careful readers never see it",
    ),
    (
        "assignor",
        "The rule by which a group deals partitions out to its members",
    ),
    (
        "broker",
        "A server of the cluster; it keeps partitions and answers clients",
    ),
    ("cluster", "The brokers that together are one bus"),
    (
        "committed offset",
        "The group's bookmark in a partition: the offset of the next record it will read after a restart",
    ),
    (
        "compaction",
        "Deletes older records of the same key, so that the newest of each key stays",
    ),
    (
        "consumer group",
        "Readers that share the work under one name; each partition is read by one of them",
    ),
    (
        "control record",
        "A marker that the bus itself writes, such as the end of a transaction; it takes an offset and is no data",
    ),
    (
        "controller",
        "The broker that decides who leads which partition",
    ),
    (
        "coordinator",
        "The broker that keeps a group's members and committed offsets",
    ),
    (
        "dead letter",
        "A record that a reader could not handle and that was put aside in a topic of its own",
    ),
    (
        "delay",
        "How old the group's next record is: how far behind it is in time",
    ),
    (
        "guard",
        "Something that must hold before a plan is applied, looked at again in the moment of applying",
    ),
    (
        "header",
        "A name and a value that travel with a record beside key and value",
    ),
    (
        "held back",
        "Behind the first record of an open transaction; careful readers are given it when the transaction ends",
    ),
    (
        "high watermark",
        "The end of what readers may see: the offset behind the newest record that all in-sync replicas have",
    ),
    (
        "in-sync replicas",
        "The replicas that have everything their leader has; one of them takes over when it fails",
    ),
    (
        "internal",
        "A topic in which the bus or its tools keep data of their own",
    ),
    (
        "isolation level",
        "Whether a reader is given records of open and aborted transactions (read uncommitted) or not (read committed)",
    ),
    (
        "journal",
        "What was changed from here, written down before each change, so that it can be undone",
    ),
    (
        "key",
        "Decides the partition of a record, and what compaction takes for the same thing",
    ),
    (
        "lag",
        "How many records lie between a group's committed offset and the end of the partition",
    ),
    (
        "last stable offset",
        "Where the oldest open transaction begins; careful readers get nothing from here on",
    ),
    (
        "leader",
        "The replica of a partition that writes and answers; the others copy it",
    ),
    (
        "leader epoch",
        "Counts the leaders that a partition has had; it tells apart what different leaders wrote",
    ),
    ("log end", "The offset that the next record will get"),
    (
        "log start",
        "The oldest offset that is still there; what was before it has been deleted",
    ),
    ("member", "A running reader that belongs to a group"),
    (
        "offset",
        "A record's number in its partition, counted from 0 and never given twice",
    ),
    (
        "open",
        "The record belongs to a transaction that has not ended yet",
    ),
    (
        "partition",
        "A part of a topic with an order of its own; records with the same key go into the same one",
    ),
    (
        "plan",
        "Where the committed offsets of one group would go, partition by partition; nothing is written until it is applied",
    ),
    (
        "production",
        "People depend on this cluster; a change of it is confirmed by typing a name",
    ),
    (
        "profile",
        "A connection under a name: addresses and settings without secrets, and whether it is read-only",
    ),
    (
        "read-only",
        "Nothing on the bus is changed: no group, no committed offset, no topic",
    ),
    (
        "rebalance",
        "The members of a group deal partitions out anew; meanwhile none of them reads",
    ),
    (
        "record",
        "One entry of a partition: key, value, headers and a time",
    ),
    ("replica", "A copy of a partition on a broker"),
    (
        "retention",
        "How long, or up to what size, a topic keeps its records before they are deleted",
    ),
    (
        "rewind",
        "To move a group's committed offset back, so that it reads records a second time",
    ),
    (
        "run again",
        "Records that the group has passed and would be given a second time",
    ),
    (
        "skip",
        "To move a group's committed offset on, so that it never reads the records between",
    ),
    (
        "tombstone",
        "A record with a key and no value; compaction takes it as: delete this key",
    ),
    (
        "topic",
        "Records of one kind under one name, in one or more partitions",
    ),
    (
        "transaction",
        "Records that are valid together or not at all",
    ),
    (
        "withdrawn",
        "The record's transaction was aborted; careful readers never see it",
    ),
];

/// Other ways to say a word.
const SAME: [(&str, &str); 8] = [
    ("lso", "last stable offset"),
    ("isr", "in-sync replicas"),
    ("deleted", "log start"),
    ("log start offset", "log start"),
    ("group", "consumer group"),
    ("bookmark", "committed offset"),
    ("isolation", "isolation level"),
    ("event", "record"),
];

/// `text`, and below it what `word` means.
pub fn explained(text: &str, word: &str) -> String {
    match hint(word) {
        Some(meaning) => format!("{text}\n{meaning}"),
        None => text.to_owned(),
    }
}

/// What `word` means, in one sentence; upper or lower case, one or many.
pub fn hint(word: &str) -> Option<&'static str> {
    let word = word.trim().to_lowercase();
    let known = |word: &str| {
        let word = SAME
            .iter()
            .find(|(other, _)| *other == word)
            .map_or(word, |(_, same)| *same);
        WORDS
            .iter()
            .find(|(known, _)| *known == word)
            .map(|(_, meaning)| *meaning)
    };
    known(&word).or_else(|| known(word.strip_suffix('s')?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_however_they_are_written() {
        assert_eq!(hint("LSO"), hint("last stable offset"));
        assert_eq!(hint("Partitions"), hint("partition"));
        assert_eq!(hint("GROUPS"), hint("consumer group"));
        assert!(hint("in-sync replicas").is_some());
        assert_eq!(hint("balloon"), None);
        assert_eq!(
            explained("2 members", "member"),
            "2 members\nA running reader that belongs to a group"
        );
        assert_eq!(explained("2 balloons", "balloon"), "2 balloons");
        assert_eq!(hint("s"), None);
    }

    #[test]
    fn every_word_stands_once_and_is_one_sentence() {
        for (index, (word, meaning)) in WORDS.iter().enumerate() {
            assert_eq!(*word, word.to_lowercase());
            assert!(
                WORDS[index + 1..].iter().all(|(later, _)| word < later),
                "{word} is not in its place"
            );
            assert!(!meaning.ends_with('.') && !meaning.contains(". "), "{word}");
            assert!(meaning.starts_with(char::is_uppercase), "{word}");
            assert!(meaning.chars().count() <= 120, "{word}");
        }
        for (other, same) in SAME {
            assert!(WORDS.iter().any(|(word, _)| *word == same), "{other}");
            assert!(!WORDS.iter().any(|(word, _)| *word == other), "{other}");
        }
    }
}
