//! Wrong usage is told before any broker is asked.

use crate::support::cli::tideline;

/// Nobody listens there: a command that got as far as connecting would exit 5.
const NOWHERE: [&str; 3] = ["--json", "--bootstrap", "127.0.0.1:1"];

#[test]
fn what_cannot_be_meant_exits_2() {
    let wrong: [&[&str]; 12] = [
        &["topics", "--no-such-option"],
        &["no-such-command"],
        &["records"],
        &["records", "--topic", "six/x"],
        &["records", "--topic", "six/0/x"],
        &["records", "--topic", "six", "--from", "yesterdayish"],
        &["records", "--topic", "six", "--to", "offset:x"],
        &["records", "--topic", "six", "--limit", "many"],
        &["records", "--topic", "six", "--order", "size"],
        &["records", "--topic", "six", "--isolation", "none"],
        &["timeline", "--buckets", "0"],
        &["topics", "--command-config", "/no/such/file"],
    ];
    for arguments in wrong {
        let run = tideline(&[arguments, &NOWHERE].concat()).exits(2);
        assert!(
            !run.stderr.is_empty(),
            "{arguments:?} is refused without a word"
        );
        assert!(run.stdout.is_empty(), "{arguments:?}: {}", run.stdout);
    }
}

#[test]
fn a_mistyped_setting_is_refused_by_name() {
    let arguments = [&["topics", "-X", "no.such.property=1"][..], &NOWHERE].concat();
    tideline(&arguments).exits(2).says(&["no.such.property"]);
}

#[test]
fn every_command_explains_itself() {
    for command in ["cluster", "topics", "groups", "timeline", "records"] {
        let run = tideline(&[command, "--help"]).exits(0);
        assert!(run.stdout.contains("--bootstrap"), "{}", run.stdout);
    }
}
