//! Records written to a file, as a person asks for it.

use std::path::PathBuf;

use tideline::engine::{ExportFormat, ExportOf, ExportRequest, ExportStage, ExportView};
use tideline::model::ProblemKind;

use super::around::{press, type_text};
use super::detail::{record, showing};
use super::*;

/// The window with the dialog open for one record.
fn dialog() -> (Window, Fake) {
    let (mut harness, fake) = showing(record());
    press(&mut harness, Modifiers::COMMAND, Key::E);
    fake.take();
    (harness, fake)
}

fn sent(fake: &Fake) -> Option<ExportRequest> {
    fake.take().into_iter().find_map(|command| match command {
        Command::Export(request) => Some(*request),
        _ => None,
    })
}

fn tell(harness: &mut Window, fake: &Fake, number: u64, stage: ExportStage) {
    fake.change(|snapshot| {
        snapshot.export = Arc::new(ExportView {
            number,
            path: "/home/me/Documents/orders-1-85213.jsonl".into(),
            stage,
            records: 1,
            bytes: 1_234,
            up_to: Some(4),
            ..ExportView::default()
        });
    });
    harness.run();
}

#[test]
fn the_shown_record_is_written_where_documents_are() {
    let (mut harness, fake) = dialog();
    assert!(harness.get_by_label("File to write").is_focused());
    assert!(shows(&harness, "The selected record"));
    click(&mut harness, "CSV");
    click(&mut harness, "Also what key and value were decoded to");
    click(&mut harness, "Export");
    let request = sent(&fake).unwrap();
    assert_eq!(request.number, 1);
    assert_eq!(
        request.path,
        PathBuf::from("/home/me/Documents/orders-1-85213.csv")
    );
    assert_eq!(
        (request.format, request.decode, request.replace),
        (ExportFormat::Csv, true, false)
    );
    let ExportOf::Records(records) = &request.what else {
        panic!("records were meant");
    };
    assert_eq!((records.len(), records[0].offset.0), (1, 85_213));
    tell(&mut harness, &fake, 1, ExportStage::Running);
    assert!(shows(&harness, "1 of 4 records, 1.2 kB"));
    tell(&mut harness, &fake, 1, ExportStage::Done);
    assert!(shows_part(&harness, "Wrote 1 record, 1.2 kB, to /home/me"));
    assert!(!shows(&harness, "Export records"));
}

#[test]
fn a_file_that_is_there_is_replaced_only_after_a_question() {
    let (mut harness, fake) = dialog();
    press(&mut harness, Modifiers::NONE, Key::Enter);
    assert!(!sent(&fake).unwrap().replace);
    tell(&mut harness, &fake, 1, ExportStage::Exists);
    assert!(shows_part(&harness, "There is a file already: /home/me"));
    click(&mut harness, "Replace it");
    let again = sent(&fake).unwrap();
    assert_eq!((again.number, again.replace), (2, true));
}

#[test]
fn a_failure_is_said_and_can_be_mended() {
    let (mut harness, fake) = dialog();
    click(&mut harness, "Export");
    sent(&fake).unwrap();
    let full = Problem::new(ProblemKind::Other, "the disk of /home/me is full");
    tell(&mut harness, &fake, 1, ExportStage::Failed(full));
    assert!(shows(
        &harness,
        "It could not be written: the disk of /home/me is full"
    ));
    let field = harness.get_by_label("File to write");
    field.focus();
    harness.run();
    press(&mut harness, Modifiers::COMMAND, Key::A);
    type_text(&mut harness, "File to write", "~/other.jsonl");
    assert!(shows(&harness, "/home/me/other.jsonl"));
    click(&mut harness, "Export");
    let again = sent(&fake).unwrap();
    assert_eq!(again.path, PathBuf::from("/home/me/other.jsonl"));
    assert!(!again.replace);
}

#[test]
fn it_can_be_given_up_or_hidden() {
    let (mut harness, fake) = dialog();
    click(&mut harness, "Export");
    tell(&mut harness, &fake, 1, ExportStage::Running);
    fake.take();
    click(&mut harness, "Stop");
    assert!(
        fake.take()
            .iter()
            .any(|command| matches!(command, Command::CancelExport))
    );
    tell(&mut harness, &fake, 1, ExportStage::Cancelled);
    assert!(shows(&harness, "Export"));
    click(&mut harness, "Export");
    tell(&mut harness, &fake, 2, ExportStage::Running);
    click(&mut harness, "Hide");
    assert!(!shows(&harness, "Export records"));
    let full = Problem::new(ProblemKind::Other, "the disk of /home/me is full");
    tell(&mut harness, &fake, 2, ExportStage::Failed(full));
    assert!(shows(
        &harness,
        "Nothing was written: the disk of /home/me is full"
    ));
}

#[test]
fn without_records_there_is_nothing_to_write() {
    let (mut harness, fake) = shop();
    press(&mut harness, Modifiers::COMMAND, Key::E);
    assert!(!shows(&harness, "Export records"));
    press(&mut harness, Modifiers::COMMAND, Key::K);
    type_text(&mut harness, "Commands", "export");
    assert!(shows(&harness, "Export records…, select records first"));
    assert!(sent(&fake).is_none());
}
