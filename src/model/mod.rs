//! What a bus is, as plain data. No I/O, no async, no egui.
