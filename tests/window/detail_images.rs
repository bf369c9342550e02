//! What the decoded record and the way to a file look like.

use std::sync::Arc;

use bytes::Bytes;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use tideline::engine::{ExportStage, ExportView, Table};
use tideline::model::{Header, Record, Text, TopicPartition, Visibility};
use tideline::ui::App;

use crate::data;
use crate::fake::{Fake, window};
use crate::images::save;

/// A small order as `MessagePack`.
fn packed() -> Vec<u8> {
    let mut value = vec![0x84];
    let text = |value: &mut Vec<u8>, text: &str| {
        value.push(0xa0 | u8::try_from(text.len()).unwrap());
        value.extend(text.as_bytes());
    };
    text(&mut value, "orderId");
    text(&mut value, "o-4711");
    text(&mut value, "amount");
    text(&mut value, "19.20");
    text(&mut value, "lines");
    value.push(2);
    text(&mut value, "placedAt");
    value.push(0xcf);
    value.extend(1_796_043_720_007_u64.to_be_bytes());
    value
}

fn showing(size: (f32, f32)) -> (Harness<'static, App>, Fake) {
    let at = TopicPartition::new("orders", 1);
    let header = |name: &str, value: Option<&'static [u8]>| Header {
        name: Text::from(name),
        value: value.map(Bytes::from_static),
    };
    let record = Record {
        key: Some(Bytes::from_static(&[0, 0, 0, 0, 0, 0, 0x12, 0x67])),
        value: Some(Bytes::from(packed())),
        headers: vec![
            header("event-id", Some(b"e-1-85213")),
            header("retries", Some(&[0, 0, 0, 2])),
            header("retries", None),
        ],
        visibility: Visibility::Committed,
        ..data::record(&at, 85_213, data::NOW.0 - 60_000)
    };
    let (mut harness, fake) = window(Harness::builder().wgpu(), size, data::shop());
    harness.run();
    let request = fake.last_table();
    fake.change(|snapshot| {
        snapshot.table = Arc::new(Table {
            request,
            rows: vec![Arc::new(record)],
            up_to: Some(1),
            at_start: true,
            at_end: true,
            ..Table::default()
        });
    });
    harness.run();
    harness.get_by_label("orders / 1 offset 85,213").click();
    harness.run();
    harness.hover_at(egui::pos2(700.0, 500.0));
    harness.run();
    (harness, fake)
}

#[test]
fn a_decoded_record() {
    let (mut harness, _) = showing((1_440.0, 1_100.0));
    save(&mut harness, "decoded");
}

#[test]
fn the_dialog_that_writes_records() {
    let (mut harness, fake) = showing((1_024.0, 640.0));
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::E);
    harness.run();
    harness.get_by_label("Export").click();
    harness.run();
    fake.change(|snapshot| {
        snapshot.export = Arc::new(ExportView {
            number: 1,
            path: "/home/me/Documents/orders-1-85213.jsonl".into(),
            stage: ExportStage::Exists,
            ..ExportView::default()
        });
    });
    harness.run();
    save(&mut harness, "export");
}

#[test]
fn records_on_their_way_to_a_file() {
    let (mut harness, fake) = showing((1_024.0, 640.0));
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::E);
    harness.run();
    harness.get_by_label("Export").click();
    harness.run();
    fake.change(|snapshot| {
        snapshot.export = Arc::new(ExportView {
            number: 1,
            path: "/home/me/Documents/orders-1-85213.jsonl".into(),
            stage: ExportStage::Running,
            records: 12_408,
            bytes: 3_412_000,
            up_to: Some(18_422),
            ..ExportView::default()
        });
    });
    harness.run();
    save(&mut harness, "export_running");
}
